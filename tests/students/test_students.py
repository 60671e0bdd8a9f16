"""Students on inputs against NumPy, their bases, and what happens without an activation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import docendo as dc

RNG = np.random.default_rng(0)
VALUE, KEY_QUERY = RNG.standard_normal((2, 3)), RNG.standard_normal((4, 4))
X = RNG.standard_normal((5, 3, 4))


def softmax(logits):
    weights = np.exp(logits - logits.max(-2, keepdims=True))
    return weights / weights.sum(-2, keepdims=True)


def test_position_only_on_inputs():
    p = np.array(dc.positions.gaussian(4, 4, seed=1))
    student = dc.PositionOnly(VALUE, KEY_QUERY, p, 0.7, dc.relu)
    scores = softmax(0.7 * p.T @ KEY_QUERY @ p)
    np.testing.assert_allclose(student.scores, scores, rtol=1e-13)
    np.testing.assert_allclose(student(X), np.maximum(VALUE @ X @ scores, 0), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(student(X[0]), student(X)[0], rtol=1e-12, atol=1e-14)


def test_default_scale_is_one_over_root_tokens():
    assert float(dc.PositionOnly(VALUE, KEY_QUERY).logit_scale) == 0.5
    assert float(dc.PositionOnly(VALUE, np.zeros((9, 9)), np.ones((9, 4))).logit_scale) == 0.5


def test_heads_add_up():
    values, key_queries = np.stack([VALUE, 2 * VALUE]), np.stack([KEY_QUERY, -KEY_QUERY])
    student = dc.MultiHead(values, key_queries, activation=dc.identity)
    wanted = sum(w @ X @ softmax(0.5 * a) for w, a in zip(values, key_queries, strict=True))
    np.testing.assert_allclose(student(X), wanted, rtol=1e-12)


def test_content_attention_on_inputs_and_its_position_only_corner():
    p = np.array(dc.positions.orthogonal(4, seed=2))
    value, key_query = RNG.standard_normal((2, 7)), RNG.standard_normal((7, 7))
    student = dc.ContentAttention(value, key_query, p, activation=dc.relu)
    z = np.concatenate([X, np.broadcast_to(p, (5, 4, 4))], axis=1)
    scores = softmax(0.5 * np.swapaxes(z, 1, 2) @ key_query @ z)
    np.testing.assert_allclose(student.attention(X), scores, rtol=1e-12)
    np.testing.assert_allclose(student(X), np.maximum(value @ z @ scores, 0), rtol=1e-11, atol=1e-13)
    corner = dc.ContentAttention(
        np.pad(VALUE, ((0, 0), (0, 4))), np.pad(KEY_QUERY, ((3, 0), (3, 0))), p, activation=dc.relu
    )
    np.testing.assert_allclose(
        corner(X), dc.PositionOnly(VALUE, KEY_QUERY, p, None, dc.relu)(X), rtol=1e-12, atol=1e-14
    )
    assert {name: block.shape for name, block in student.blocks().items()} == {
        "value_content": (2, 3),
        "value_position": (2, 4),
        "key_query_content_content": (3, 3),
        "key_query_content_position": (3, 4),
        "key_query_position_content": (4, 3),
        "key_query_position_position": (4, 4),
    }


def test_position_basis_and_back():
    p = dc.positions.orthogonal(4, seed=3)
    student = dc.PositionOnly(VALUE, KEY_QUERY, p)
    assert student.trains_in_position_basis
    inside = student.in_position_basis()
    np.testing.assert_allclose(inside.scores, student.scores, rtol=1e-13)
    moved = inside.with_parameters({"key_query": inside.key_query + 1.0})
    np.testing.assert_allclose(
        student.from_position_basis(moved).pattern, inside.key_query + 1.0, rtol=1e-12, atol=1e-13
    )


def test_without_an_activation_the_output_is_undefined():
    with pytest.raises(ValueError, match=r"made without an activation.*dc\.relu"):
        dc.PositionOnly(VALUE, KEY_QUERY)(X)


def test_a_student_with_another_activation_is_refused():
    of = dc.teachers.random(4, sparsity=2, value=np.ones((2, 3)), activation=dc.relu, seed=0)
    with pytest.raises(ValueError, match="must share their activation, got identity and relu"):
        dc.excess_loss(of, dc.PositionOnly(VALUE, KEY_QUERY, activation=dc.identity))
    with pytest.raises(ValueError, match="must share their activation"):
        dc.excess_loss(of, dc.PositionOnly(VALUE, KEY_QUERY, activation=dc.leaky_relu(0.1)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dc.PositionOnly(VALUE, np.zeros((4, 5))),
            r"key_query has axes \(width, width\) with width=4, got width=5",
        ),
        (lambda: dc.PositionOnly(VALUE, KEY_QUERY, np.zeros((5, 4))), "positions has axes .* width=4, got width=5"),
        (
            lambda: dc.PositionOnly(VALUE[0], KEY_QUERY),
            r"value has axes \(channels, features\), got an array of shape \(3,\)",
        ),
        (lambda: dc.PositionOnly(VALUE, KEY_QUERY * np.nan), r"key_query\[0, 0\] = nan"),
        (lambda: dc.PositionOnly(VALUE, KEY_QUERY, logit_scale=-1.0), "logit_scale must be positive and finite"),
        (lambda: dc.MultiHead(VALUE[None], np.zeros((2, 4, 4))), "key_query has axes .* heads=1, got heads=2"),
        (lambda: dc.ContentAttention(np.ones((2, 4)), np.ones((4, 4)), np.eye(4)), "no feature is left"),
    ],
)
def test_shapes(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_gradients_have_the_students_structure_and_leave_the_fixed_fields_alone():
    of = dc.teachers.random(4, sparsity=2, value=np.ones((2, 3)), activation=dc.relu, seed=0)
    student = dc.PositionOnly(VALUE, KEY_QUERY, dc.positions.gaussian(4, 4, seed=1), activation=dc.relu)
    slopes = dc.gradient(of, student)
    assert jax.tree.structure(slopes) == jax.tree.structure(student)
    assert not np.any(slopes.positions) and not np.any(slopes.logit_scale)
    assert np.any(slopes.value) and np.any(slopes.key_query)


def test_content_attention_has_no_exact_loss():
    of = dc.teachers.random(4, sparsity=2, value=np.ones((2, 3)), activation=dc.relu, seed=0)
    for ask in (dc.excess_loss, dc.gradient):
        with pytest.raises(ValueError, match=r"scores of a ContentAttention depend on X.*dc\.sampled_excess_loss"):
            ask(of, dc.ContentAttention.zeros(of))


def test_students_may_be_stacked_and_mapped():
    student = dc.PositionOnly(VALUE, KEY_QUERY, activation=dc.identity)
    stacked = jax.tree.map(lambda leaf: jnp.stack([leaf, 2 * leaf]), student)
    out = jax.vmap(lambda one: one(X[0]))(stacked)
    assert out.shape == (2, 2, 4)
