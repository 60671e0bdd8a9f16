"""Full gradient descent: against NumPy, under any P, and the pieces it runs in."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import docendo as dc

ACTIVATIONS = [dc.identity, dc.relu, dc.leaky_relu(0.1)]


def teacher(activation=dc.relu, seed=0, **changes):
    sizes = {"tokens": 6, "sparsity": 2, "features": 3, "channels": 2} | changes
    return dc.teachers.random(**sizes, activation=activation, seed=seed)


def start(of, positions, seed=0):
    rng = np.random.default_rng(seed)
    width = of.tokens if positions is None else positions.shape[0]
    value, key_query = rng.standard_normal(of.value.shape), rng.standard_normal((width, width))
    return dc.PositionOnly(value, key_query, positions, activation=of.activation)


def numpy_descent(of, student, rate, steps):
    """The paper's update written out in NumPy for the identity, where the loss is ½‖W⊗S − V⊗S*‖²."""
    v, t, p = np.array(of.value), np.array(of.scores), np.array(student.positions)
    w, kq, tau = np.array(student.value), np.array(student.key_query), float(student.logit_scale)
    for _ in range(steps):
        logits = tau * p.T @ kq @ p
        s = np.exp(logits - logits.max(0))
        s /= s.sum(0)
        by_w = (s * s).sum() * w - (s * t).sum() * v
        by_s = (w * w).sum() * s - (w * v).sum() * t
        by_logits = s * (by_s - (s * by_s).sum(0))
        w, kq = w - rate * by_w, kq - rate * tau * p @ by_logits @ p.T
    return w, kq


@pytest.mark.parametrize("kind", ["orthogonal", "tall", "gaussian"])
def test_any_positions_against_numpy(kind):
    """Orthonormal columns are trained in the position basis, others by the general formula: both are the paper's."""
    of = teacher(dc.identity)
    positions = {
        "orthogonal": dc.positions.orthogonal(6, seed=1),
        "tall": jnp.linalg.qr(dc.positions.gaussian(6, 9, seed=2))[0],
        "gaussian": dc.positions.gaussian(6, 5, seed=3),
    }[kind]
    student = start(of, positions)
    run = dc.train(of, student, dc.GradientDescent(0.1), steps=40)
    value, key_query = numpy_descent(of, student, 0.1, 40)
    np.testing.assert_allclose(run.student.value, value, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(run.student.key_query, key_query, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_one_call_equals_many_bit_for_bit(activation):
    """However often a run is recorded, and so cut into pieces, its steps are the same."""
    of = teacher(activation)
    often = dc.train(of, None, dc.GradientDescent(0.1), steps=300, save_at=range(300))
    seldom = dc.train(of, None, dc.GradientDescent(0.1), steps=300, save_at=[300])
    assert often.data.sizes["step"] == 301
    assert np.array_equal(often.student.key_query, seldom.student.key_query)
    assert float(often.data.excess_loss[-1]) == float(seldom.data.excess_loss[-1])


@settings(max_examples=6)
@given(seed=st.integers(0, 1000), activation=st.sampled_from(ACTIVATIONS))
def test_orthogonal_positions_do_not_change_the_curve(seed, activation):
    of = teacher(activation, seed=seed)
    plain = dc.train(of, None, dc.GradientDescent(0.2), steps=50)
    turned = dc.PositionOnly.zeros(of, dc.positions.orthogonal(6, seed=seed))
    other = dc.train(of, turned, dc.GradientDescent(0.2), steps=50)
    np.testing.assert_allclose(other.data.excess_loss, plain.data.excess_loss, rtol=1e-12)


def test_zero_start_keeps_the_decomposition_of_lemma_d2():
    run = dc.train(teacher(dc.relu), None, dc.GradientDescent(0.2), steps=2000)
    assert float(run.data.value_off_line.max()) < 1e-13
    assert float(run.data.logit_spread_inside.max()) < 1e-10
    assert float(run.data.logit_spread_outside.max()) < 1e-10


def test_random_start_breaks_the_decomposition():
    of = teacher(dc.relu)
    run = dc.train(of, start(of, None), dc.GradientDescent(0.2), steps=10)
    assert float(run.data.value_off_line[-1]) > 0.1
    assert float(run.data.logit_spread_outside[-1]) > 0.1


def test_recorded_numbers_against_their_definitions():
    of = teacher(dc.leaky_relu(0.1))
    student = start(of, dc.positions.orthogonal(6, seed=5))
    run = dc.train(of, student, dc.GradientDescent(0.05), steps=7, save_at=[0, 7])
    last = run.data.isel(step=-1)
    w, s, v, t = (np.array(x) for x in (run.student.value, run.student.scores, of.value, of.scores))
    logits = np.array(run.student.logits)
    inside = t > 0
    gaps = [logits[m, i].mean() - logits[~m, i].mean() for i in range(6) for m in [inside[:, i]]]
    wanted = {
        "excess_loss": dc.excess_loss(of, run.student),
        "value_error": np.linalg.norm(w - v),
        "score_error": np.linalg.norm(s - t),
        "value_cosine": (w * v).sum() / np.linalg.norm(w) / np.linalg.norm(v),
        "leakage": s[~inside].sum() / 6,
        "largest_leakage": np.where(inside, 0, s).sum(0).max(),
        "c1": (w * v).sum() / (v * v).sum(),
        "gap": np.mean(gaps),
        "logit_spread_inside": max(np.ptp(logits[inside[:, i], i]) for i in range(6)),
        "logit_spread_outside": max(np.ptp(logits[~inside[:, i], i]) for i in range(6)),
    }
    for name, value in wanted.items():
        np.testing.assert_allclose(float(last[name]), float(value), rtol=1e-10, err_msg=name)
    cosines = (w * v).sum(1) / np.linalg.norm(w, axis=1) / np.linalg.norm(v, axis=1)
    np.testing.assert_allclose(last.channel_cosine, cosines, rtol=1e-12)
    np.testing.assert_allclose(run.data.time, [0, 7 * 0.05])


def test_local_exponent_is_the_slope_between_a_step_and_the_next():
    of = teacher(dc.relu)
    run = dc.train(of, None, dc.GradientDescent(0.2), steps=51, save_at=[50, 51])
    losses = np.log(run.data.excess_loss.values)
    np.testing.assert_allclose(run.data.local_exponent[0], (losses[1] - losses[0]) / np.log(51 / 50), rtol=1e-8)


def test_full_support_columns_are_measured_without_an_outside():
    of = teacher(dc.identity, sparsity=6)
    run = dc.train(of, None, dc.GradientDescent(0.1), steps=20)
    assert float(run.data.leakage[-1]) == 0 and float(run.data.gap[-1]) == 0
    assert float(run.data.logit_spread_outside[-1]) == 0


def test_smallest_teacher():
    of = dc.Teacher([[2.0]], [[1.0]], dc.relu)
    run = dc.train(of, None, dc.GradientDescent(0.5), steps=100)
    assert float(run.data.excess_loss[-1]) < 1e-10


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan, np.inf])
def test_rates_that_are_not_positive_and_finite(rate):
    with pytest.raises(ValueError, match="learning_rate must be positive and finite"):
        dc.GradientDescent(rate)


def test_content_attention_is_sent_to_sampling():
    of = teacher()
    with pytest.raises(ValueError, match=r"GradientDescent needs an exact loss.*dc\.Online"):
        dc.train(of, dc.ContentAttention.zeros(of), dc.GradientDescent(0.1), steps=1)
