"""The scalar recursion is full gradient descent, step by step, which computes with other formulas."""

import numpy as np
import pytest

import docendo as dc

ACTIVATIONS = [dc.identity, dc.relu, dc.leaky_relu(0.1), dc.leaky_relu(-0.6)]
SUPPORTS = [[1] * 6, [2] * 6, [5] * 6, [6] * 6, [1, 1, 4, 4, 1, 4], [1, 2, 3, 6, 2, 3]]
COMPARED = ["excess_loss", "c1", "c2", "c3", "gap", "value_error", "score_error", "leakage", "largest_leakage"]


def teacher(sizes, activation, channels=2, features=3, norm=1.0, seed=0):
    rng = np.random.default_rng(seed)
    scores = np.zeros((len(sizes), len(sizes)))
    for i, size in enumerate(sizes):
        scores[rng.choice(len(sizes), size, replace=False), i] = 1 / size
    return dc.Teacher(norm * rng.standard_normal((channels, features)), scores, activation)


def agree(of, rate, steps, start=None, tolerance=1e-10, save_at=None):
    saves = range(steps) if save_at is None else save_at
    full, scalar = (
        dc.train(of, start, kind(rate), steps=steps, save_at=saves) for kind in (dc.GradientDescent, dc.Reduced)
    )
    assert set(scalar.data) == set(full.data)
    for name in COMPARED:
        # Full descent rounds on the scale of 1: a logit, or a loss of 1e-30 where K = D, that is 0 or less elsewhere.
        scale = max(1.0, float(abs(full.data[name]).max()))
        np.testing.assert_allclose(scalar.data[name], full.data[name], rtol=tolerance, atol=1e-15 * scale, err_msg=name)
    for name in ("value_off_line", "logit_spread_inside", "logit_spread_outside"):
        assert float(full.data[name].max()) < 1e-13
        assert not scalar.data[name].any()
    # One further step changes the loss by a part of 1/T: that many roundings more.
    seen = np.asarray(full.data.excess_loss > 1e-12 * full.data.excess_loss[0]) & np.asarray(full.data.step > 0)
    np.testing.assert_allclose(scalar.data.local_exponent[seen], full.data.local_exponent[seen], atol=1e-9)
    np.testing.assert_array_equal(np.isnan(scalar.data.channel_cosine), np.isnan(full.data.channel_cosine))
    np.testing.assert_allclose(scalar.student.value, full.student.value, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(scalar.student.key_query, full.student.key_query, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("sizes", SUPPORTS, ids=str)
@pytest.mark.parametrize("activation", ACTIVATIONS, ids=repr)
def test_step_by_step(activation, sizes):
    of = teacher(sizes, activation, norm=2.0)
    rate = 0.8 * 2 / (float(activation.second_moment) * sum(1 / size for size in sizes))
    agree(of, rate, steps=40)


@pytest.mark.parametrize("activation", ACTIVATIONS[:3], ids=repr)
def test_over_many_steps(activation):
    agree(teacher([1, 2, 3, 6, 2, 3], activation), 0.2, steps=20_000, save_at=[1, 10, 100, 1000, 5000, 20_000])


@pytest.mark.parametrize("activation", ACTIVATIONS[:3], ids=repr)
def test_one_token_one_channel(activation):
    agree(teacher([1], activation, channels=1, features=1), 0.3, steps=20)
    agree(teacher([1, 1], activation, channels=1, features=1), 0.3, steps=40)


def test_any_orthonormal_positions_and_scale():
    of = teacher(SUPPORTS[5], dc.relu)
    tall = np.linalg.qr(np.random.default_rng(1).standard_normal((8, 6)))[0]
    for positions in (dc.positions.orthogonal(6, seed=2), tall):
        agree(of, 0.3, steps=40, start=dc.PositionOnly.zeros(of, positions, logit_scale=0.8))


@pytest.mark.parametrize("activation", ACTIVATIONS[1:], ids=repr)
def test_overshooting_below_zero(activation):
    """Large steps throw C1 below zero, where the angle is obtuse; both follow, while errors have not grown much."""
    of = teacher([1, 1, 4, 4, 1, 4], activation, norm=1.0)
    rate = 4.5
    with pytest.warns(UserWarning, match="stability limit"):
        full, scalar = (
            dc.train(of, None, kind(rate), steps=12, save_at=range(13)) for kind in (dc.GradientDescent, dc.Reduced)
        )
    assert float(full.data.c1.min()) < 0
    np.testing.assert_allclose(scalar.data.c1, full.data.c1, rtol=1e-10)
    np.testing.assert_allclose(scalar.data.excess_loss, full.data.excess_loss, rtol=1e-10)
