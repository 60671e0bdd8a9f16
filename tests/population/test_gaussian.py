"""The closed form against 60 digits, Monte Carlo, finite differences, and its own symmetries."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import docendo as dc
from docendo.inputs import Gaussian
from tests.oracles import monte_carlo_excess, precise_excess

M, FEATURES, TOKENS = 2, 3, 4
SCALE = 0.5
SLOPES = [1.0, 0.0, 0.1, -0.5]


def instance(seed, slope, distance=1.0):
    """A random teacher and a student at the given distance from it; both columns and rows are generic."""
    rng = np.random.default_rng(seed)
    value = rng.standard_normal((M, FEATURES))
    logits = rng.standard_normal((TOKENS, TOKENS)) / SCALE
    scores = np.exp(SCALE * logits) / np.exp(SCALE * logits).sum(0)
    teacher = dc.Teacher(value, scores, dc.leaky_relu(slope))
    near_value = value + distance * rng.standard_normal(value.shape)
    near_logits = logits + distance * rng.standard_normal(logits.shape)
    return teacher, dc.PositionOnly(near_value, near_logits, logit_scale=SCALE)


def oracle(teacher, student, digits=60):
    slope = float(teacher.activation.slope)
    return precise_excess(student.value, student.key_query, teacher.value, teacher.scores, slope, SCALE, digits)


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("distance", [1.0, 1e-2, 1e-4])
def test_sixty_digits(slope, distance):
    teacher, student = instance(1, slope, distance)
    # Rounding the softmax costs 1e-16 of scores that differ by `distance`.
    assert abs(float(dc.excess_loss(teacher, student)) / oracle(teacher, student) - 1) < 1e-14 / distance


@pytest.mark.parametrize("slope", SLOPES)
def test_no_digit_is_lost_at_losses_of_1e_18(slope):
    """With the scores themselves given, nothing cancels."""
    from docendo.population.gaussian import Arrays, gaussian_excess
    from tests.oracles import plain_excess, precise

    rng = np.random.default_rng(2)
    value, scores = rng.standard_normal((M, FEATURES)), rng.dirichlet(np.ones(TOKENS), TOKENS).T
    student_value = value + 1e-9 * rng.standard_normal(value.shape)
    student_scores = scores + 1e-9 * rng.standard_normal(scores.shape)
    found = gaussian_excess(
        dc.leaky_relu(slope),
        Arrays(jnp.asarray(value), jnp.asarray(scores)),
        Arrays(jnp.asarray(student_value)[None], jnp.asarray(student_scores)[None]),
    )
    with mpmath.workdps(60):
        exact = plain_excess(
            precise(student_value), precise(student_scores), precise(value), precise(scores), mpmath.mpf(slope)
        )
    assert 1e-19 < exact < 1e-16
    assert abs(float(found) / exact - 1) < 3e-15


@pytest.mark.parametrize("slope", SLOPES)
def test_gradient_against_differences_in_sixty_digits(slope):
    teacher, student = instance(3, slope)
    slopes = dc.gradient(teacher, student)
    for name, place in (("value", (1, 2)), ("value", (0, 0)), ("key_query", (2, 3)), ("key_query", (0, 1))):
        step = 2.0**-40
        array = np.array(getattr(student, name))
        moved = [student.with_parameters({name: _bumped(array, place, sign * step)}) for sign in (1, -1)]
        rise = oracle(teacher, moved[0]) - oracle(teacher, moved[1])
        width = _bumped(array, place, step)[place] - _bumped(array, place, -step)[place]
        assert abs(float(getattr(slopes, name)[place]) - float(rise / width)) < 1e-11


def _bumped(array, place, step):
    bumped = array.copy()
    bumped[place] += step
    return bumped


@pytest.mark.parametrize("slope", SLOPES)
def test_monte_carlo(slope):
    teacher, student = instance(4, slope)
    x = np.random.default_rng(5).standard_normal((100_000, FEATURES, TOKENS))
    mean, error = monte_carlo_excess(
        np.array(student.value), np.array(student.scores), np.array(teacher.value), np.array(teacher.scores), slope, x
    )
    assert abs(float(dc.excess_loss(teacher, student)) - mean) < 5 * error


@pytest.mark.parametrize("heads", [2, 3])
def test_several_heads_by_monte_carlo_with_correlated_inputs(heads):
    rng = np.random.default_rng(heads)
    teacher, _ = instance(6, 0.1)
    student = dc.MultiHead(
        rng.standard_normal((heads, M, FEATURES)), rng.standard_normal((heads, TOKENS, TOKENS)), activation=None
    )
    law = Gaussian(_covariance(rng, FEATURES), _covariance(rng, TOKENS))
    estimate, error = dc.sampled_excess_loss(teacher, student, law, key=0, samples=100_000)
    assert abs(float(dc.excess_loss(teacher, student, law)) - estimate) < 5 * error


def _covariance(rng, size):
    root = rng.standard_normal((size, size))
    return root @ root.T + 0.1 * np.eye(size)


@pytest.mark.parametrize("slope", SLOPES)
def test_at_the_optimum_loss_and_gradient_vanish_and_are_finite(slope):
    teacher, student = instance(7, slope, distance=0.0)
    assert 0 <= float(dc.excess_loss(teacher, student)) < 1e-30
    slopes = dc.gradient(teacher, student)
    assert np.abs(slopes.value).max() < 1e-14 and np.abs(slopes.key_query).max() < 1e-14


@pytest.mark.parametrize("slope", SLOPES)
def test_the_zero_start_moves_by_the_symmetric_derivative(slope):
    """At W_V = 0 the gradient is −α Σ_i (s_i·s*_i) v_m; a one-sided σ'(0) would give a ReLU none at all."""
    teacher, student = instance(8, slope)
    student = student.with_parameters({"value": jnp.zeros((M, FEATURES))})
    wanted = -(((1 + slope) / 2) ** 2) * (student.scores * teacher.scores).sum() * teacher.value
    np.testing.assert_allclose(dc.gradient(teacher, student).value, wanted, rtol=1e-14)
    assert np.abs(dc.gradient(teacher, student).key_query).max() == 0


@pytest.mark.parametrize("size", [1e-200, 1e-8, 1e8, 1e100])
def test_tiny_and_huge_values_keep_their_angle(size):
    """The θ-terms depend on directions alone; squares of tiny norms must not underflow."""
    teacher, student = instance(9, 0.0)
    small = student.with_parameters({"value": student.value * size})
    slopes, reference = dc.gradient(teacher, small), dc.gradient(teacher, student)
    assert np.isfinite(slopes.value).all() and np.isfinite(slopes.key_query).all()
    if size < 1:
        bracket = _value_gradient_at_zero(teacher, student)
        np.testing.assert_allclose(slopes.value, bracket, rtol=1e-7 if size > 1e-100 else 1e-12)
    assert np.isfinite(reference.value).all()


def _value_gradient_at_zero(teacher, student):
    """lim of ∂L/∂w along the ray through W_V: the angular part alone, from its own formula in NumPy."""
    w, v, s, t = (np.array(x) for x in (student.value, teacher.value, student.scores, teacher.scores))
    total = np.zeros_like(w)
    for m in range(M):
        for i in range(TOKENS):
            a, b = np.linalg.norm(w[m]) * np.linalg.norm(s[:, i]), np.linalg.norm(v[m]) * np.linalg.norm(t[:, i])
            c = s[:, i] @ t[:, i]
            theta = np.arccos((w[m] @ v[m]) * c / (a * b))
            total[m] += -(1 / (2 * np.pi)) * (b / a) * np.sin(theta) * (s[:, i] @ s[:, i]) * w[m]
            total[m] -= (0.25 + (1 / (2 * np.pi)) * (np.pi / 2 - theta)) * c * v[m]
    return total


def test_opposite_student():
    """θ = π: E σ(z)σ(−z) = 0 for ReLU, so each entry costs ½·½(a² + b²)."""
    teacher, student = instance(10, 0.0, distance=0.0)
    flipped = student.with_parameters({"value": -student.value})
    wanted = 0.5 * float((teacher.value**2).sum() * (teacher.scores**2).sum())
    assert abs(float(dc.excess_loss(teacher, flipped)) / wanted - 1) < 1e-14
    assert np.isfinite(dc.gradient(teacher, flipped).key_query).all()


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), slope=st.sampled_from(SLOPES))
def test_symmetries(seed, slope):
    """Rotating features, permuting tokens on both sides, and an orthogonal P change nothing."""
    teacher, student = instance(seed, slope)
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.standard_normal((FEATURES, FEATURES)))[0]
    order = rng.permutation(TOKENS)
    positions = np.linalg.qr(rng.standard_normal((TOKENS, TOKENS)))[0]
    turned = dc.Teacher(teacher.value @ rotation, teacher.scores[order][:, order], teacher.activation)
    key_query = positions @ student.key_query[order][:, order] @ positions.T
    other = dc.PositionOnly(student.value @ rotation, key_query, positions, SCALE)
    np.testing.assert_allclose(dc.excess_loss(turned, other), dc.excess_loss(teacher, student), rtol=1e-12)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), factor=st.sampled_from([0.5, 3.0]))
def test_loss_scales_with_the_square_of_the_values(seed, factor):
    teacher, student = instance(seed, 0.2)
    scaled = dc.Teacher(factor * teacher.value, teacher.scores, teacher.activation)
    bigger = student.with_parameters({"value": factor * student.value})
    np.testing.assert_allclose(dc.excess_loss(scaled, bigger), factor**2 * dc.excess_loss(teacher, student), rtol=1e-13)


def test_value_is_the_same_under_jit_and_when_differentiated():
    teacher, student = instance(11, 0.1)
    plain = dc.excess_loss(teacher, student)
    value, _ = jax.value_and_grad(lambda moved: dc.excess_loss(teacher, student.with_parameters(moved)))(
        student.parameters()
    )
    np.testing.assert_allclose([jax.jit(dc.excess_loss)(teacher, student), value], [plain, plain], rtol=1e-15)


def test_vmap_over_teachers_and_students():
    pairs = [instance(seed, 0.1) for seed in (1, 2)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *pairs)
    together = jax.vmap(dc.excess_loss)(*stacked)
    np.testing.assert_allclose(together, [dc.excess_loss(*pair) for pair in pairs], rtol=1e-14)
