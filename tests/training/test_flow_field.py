"""The gradient in differences: the population gradient itself, with digits left where that one has none."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

import docendo as dc
from docendo.training.flow_field import Differences, difference_excess, difference_gradient
from tests import oracles, oracles_training

ACTIVATIONS = [dc.identity, dc.relu, dc.leaky_relu(-0.4)]


def problem(seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.random((4, 4)) * (rng.random((4, 4)) < 0.6) + np.eye(4)
    return rng.standard_normal((2, 3)), scores / scores.sum(0), rng


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=repr)
def test_against_numpy(activation):
    value, scores, rng = problem()
    student, logits = rng.standard_normal((2, 3)), rng.standard_normal((4, 4))
    apart = Differences(jnp.array(student - value), jnp.array(oracles_training.softmax(logits) - scores))
    by_value, by_score = difference_gradient(activation, jnp.array(value), jnp.array(scores), apart)
    columns = oracles_training.softmax(logits)
    by_logit = columns * (by_score - (columns * by_score).sum(0))
    wanted = oracles_training.gradient(student, logits, value, scores, float(activation.slope), np.eye(3), np.eye(4))
    np.testing.assert_allclose(by_value, wanted[0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(by_logit, wanted[1], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e-14])
@pytest.mark.parametrize("activation", ACTIVATIONS, ids=repr)
def test_excess_and_slope_far_below_rounding(activation, size):
    """At differences of 1e-14 a student and its teacher agree in all but two digits, and the loss is 1e-28."""
    value, scores, rng = problem()
    change = rng.standard_normal((4, 4))
    apart = Differences(jnp.array(size * rng.standard_normal((2, 3))), jnp.array(size * (change - change.mean(0))))
    direction = rng.standard_normal((2, 3))
    with mpmath.workdps(80):
        slope, step = mpmath.mpf(float(activation.slope)), mpmath.mpf(10) ** -40
        target, goal = oracles.precise(value), oracles.precise(scores)
        columns = add(goal, oracles.precise(apart.scores))

        def loss(shift):
            moved = add(
                add(target, oracles.precise(apart.values)),
                [[shift * x for x in row] for row in oracles.precise(direction)],
            )
            return oracles.plain_excess(moved, columns, target, goal, slope)

        excess, slope_along = loss(mpmath.mpf(0)), (loss(step) - loss(-step)) / (2 * step)
    found = difference_excess(activation, jnp.array(value), jnp.array(scores), apart)
    by_value = difference_gradient(activation, jnp.array(value), jnp.array(scores), apart).values
    np.testing.assert_allclose(float(found), float(excess), rtol=1e-12)
    # Entries of the gradient are sums over columns that may cancel a little among themselves.
    np.testing.assert_allclose(float((by_value * direction).sum()), float(slope_along), rtol=1e-9)


def add(left, right):
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(left, right, strict=True)]


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=repr)
def test_its_jacobian_is_finite_where_angles_vanish(activation):
    """At the teacher, and at a student on its line: R = 0 there, whose root has no derivative."""
    value, scores, _ = problem()
    for scale in (0.0, -0.5):
        apart = Differences(jnp.array(scale * value), jnp.zeros((4, 4)))
        jacobian = jax.jacfwd(lambda at: difference_gradient(activation, jnp.array(value), jnp.array(scores), at))(
            apart
        )
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(jacobian))


def test_zero_follows_the_convention():
    """At W_V = 0 the gradient is −α (s·s*) v."""
    value, scores, _ = problem()
    apart = Differences(jnp.array(-value), jnp.zeros((4, 4)))
    by_value = difference_gradient(dc.relu, jnp.array(value), jnp.array(scores), apart).values
    np.testing.assert_allclose(by_value, -0.25 * (scores**2).sum() * value, rtol=1e-13)
