"""The scalars: their loss and its gradient from definitions in sixty digits, and no digit lost near the optimum."""

import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

import docendo as dc
from docendo.training.scalars import Profile, Scalars, angle_parts, excess, pull
from tests import oracles_training

SLOPES = [1.0, 0.0, 0.1, -0.6]
TOKENS, SIZES, COUNTS, NORM = 7, [1, 3, 7], [4, 2, 1], 1.7
STATES = [
    (0.4, [0.3, 0.1, 0.0]),
    (1.3, [2.0, -0.5, 0.0]),
    (-0.7, [-1.0, 0.8, 0.0]),
    (1 + 1e-9, [20.0, 18.0, 0.0]),
    (1 - 3e-14, [33.0, 31.0, 0.0]),
]


def profile(slope):
    counts, sizes = jnp.array(COUNTS, float), jnp.array(SIZES, float)
    return Profile(jnp.array(float(TOKENS)), sizes, counts, jnp.array(NORM), jnp.array(0.4), dc.leaky_relu(slope))


def scalars(c1, gaps):
    return Scalars(jnp.array(c1), jnp.array(c1 - 1), jnp.array(gaps))


def precise(slope, c1, gaps):
    # C1 is 1 + x, as the state has it, and not C1 as rounded.
    return oracles_training.scalar_excess(TOKENS, SIZES, COUNTS, NORM, slope, 1 + mpmath.mpf(c1 - 1), gaps)


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize(("c1", "gaps"), STATES)
def test_excess_from_the_definition(slope, c1, gaps):
    """Sixty digits subtract what cancels; float64 must not have to. Down to losses of 1e-27."""
    with mpmath.workdps(60):
        wanted = precise(slope, c1, [mpmath.mpf(gap) for gap in gaps])
    # 1e-14 is what rounding a gap of 33 costs: its exponential carries 33 times the rounding of the gap, twice.
    np.testing.assert_allclose(float(excess(profile(slope), scalars(c1, gaps))), float(wanted), rtol=2e-14)


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize(("c1", "gaps"), STATES)
def test_pull_is_the_gradient(slope, c1, gaps):
    """Central differences in eighty digits: of C1, and of a gap, which moves (D−K)/D inside and −K/D outside."""
    step = mpmath.mpf(10) ** -25
    with mpmath.workdps(80):
        x, exact = mpmath.mpf(c1 - 1), [mpmath.mpf(gap) for gap in gaps]

        def loss(shift, moved):
            return oracles_training.scalar_excess(TOKENS, SIZES, COUNTS, NORM, slope, 1 + x + shift, moved)

        by_c1 = (loss(step, exact) - loss(-step, exact)) / (2 * step)
        by_gap = []
        for k in range(2):
            up, down = list(exact), list(exact)
            up[k], down[k] = exact[k] + step, exact[k] - step
            by_gap.append((loss(0, up) - loss(0, down)) / (2 * step))
    slopes = pull(profile(slope), scalars(c1, gaps))
    sizes, counts = np.array(SIZES), np.array(COUNTS)
    weights = NORM**2 * counts * sizes * (TOKENS - sizes) / TOKENS
    assert slopes.gaps[2] == 0
    # In C1, terms of size x and K u cancel down to their product: relative to the largest of them.
    size = NORM**2 * max(abs(c1 - 1), np.exp(-gaps[0]))
    np.testing.assert_allclose(NORM**2 * float(slopes.value), float(by_c1), rtol=1e-12, atol=1e-13 * size)
    np.testing.assert_allclose((weights * slopes.gaps)[:2], np.array(by_gap, float), rtol=1e-12)


def test_zero_obeys_the_symmetric_derivative():
    """At C1 = 0 the gradient is −α Σ s_in: the mean of those on either side."""
    for slope in SLOPES:
        inside = 1 / TOKENS * sum(COUNTS)
        alpha = ((1 + slope) / 2) ** 2
        assert float(pull(profile(slope), scalars(0.0, [0.0] * 3)).value) == pytest.approx(-alpha * inside, rel=1e-14)


@pytest.mark.parametrize("gap", [-800.0, 800.0])
def test_no_gap_overflows(gap):
    for slope in SLOPES:
        state = scalars(-0.5, [gap, gap, 0.0])
        assert np.isfinite(float(excess(profile(slope), state)))
        assert all(np.isfinite(np.asarray(part)).all() for part in pull(profile(slope), state))


@pytest.mark.parametrize("tangent", [1e-9, 1e-3, 0.2, 0.2999, 0.3001, 2.0, 1e6])
def test_angle_parts_keep_their_digits(tangent):
    with mpmath.workdps(50):
        t = mpmath.mpf(tangent)
        bend, turn = t - mpmath.atan(t), mpmath.atan(t) - t / (1 + t**2)
    found = angle_parts(jnp.array(1.0), jnp.array(tangent))
    # Just above the threshold of 0.3, t − arctan t is t/33: that many roundings are lost, and no more.
    np.testing.assert_allclose([float(part) for part in found], [float(bend), float(turn)], rtol=50 * 2.3e-16)
