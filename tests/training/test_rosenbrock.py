"""Rodas5P: its order, its error estimate, and what it does where the problem is stiff."""

import diffrax
import jax.numpy as jnp
import numpy as np
import pytest

from docendo.training.rosenbrock import Rodas5P, dense

TERM = diffrax.ODETerm(lambda t, y, rate: (-rate * (y[0] - jnp.cos(t)) - jnp.sin(t), y[1] * y[0] * jnp.cos(t)))


def solve(steps, rate, start=1.0, until=2.0):
    solution = diffrax.diffeqsolve(
        TERM, Rodas5P(), 0.0, until, until / steps, (jnp.array(start), jnp.array(1.0)), args=rate, max_steps=steps + 1
    )
    return [float(leaf[0]) for leaf in solution.ys]


@pytest.mark.parametrize("steps", [8, 16])
def test_order_five_with_time_in_the_equation(steps):
    """y₀' = −(y₀ − cos t) − sin t from 2, y₁' = y₀ y₁ cos t: known by hand. Halving the step divides errors by 2⁵."""
    ends = {n: np.array(solve(n, 1.0, start=2.0)) for n in (steps, 2 * steps)}
    # y₀ = cos t + e^(−t), and log y₁ = ∫ (cos² t + e^(−t) cos t) dt.
    t = 2.0
    log = t / 2 + np.sin(2 * t) / 4 + (np.exp(-t) * (np.sin(t) - np.cos(t)) + 1) / 2
    exact = np.array([np.cos(t) + np.exp(-t), np.exp(log)])
    order = np.log2(np.abs(ends[steps] - exact) / np.abs(ends[2 * steps] - exact))
    assert order[0] == pytest.approx(5, abs=0.2)
    # In y₁ the leading errors of two sources nearly cancel.
    assert order[1] > 5


def test_the_error_estimate_has_order_four():
    def estimate(size):
        state = (jnp.array(2.0), jnp.array(1.0))
        return np.array(Rodas5P().step(TERM, jnp.array(0.3), jnp.array(0.3 + size), state, 1.0, None, False)[1])

    # The local error of an order-4 method falls like the fifth power of the step.
    order = np.log2(np.abs(estimate(0.1)) / np.abs(estimate(0.05)))
    np.testing.assert_allclose(order, 5, atol=0.3)


@pytest.mark.parametrize("rate", [1e6, 1e12])
def test_a_fast_part_is_followed_and_damped(rate):
    """Prothero and Robinson's problem: on the slow solution to 1e-8 with 20 steps; a start far off it is forgotten."""
    on, off = solve(20, rate), solve(20, rate, start=5.0)
    assert on[0] == pytest.approx(np.cos(2.0), abs=1e-8)
    assert off[0] == pytest.approx(np.cos(2.0), abs=1e-6)


def test_dense_inverts():
    matrix = np.random.default_rng(0).standard_normal((5, 5)) + 3 * np.eye(5)

    def linear(tree):
        image = matrix @ jnp.concatenate([tree[0].ravel(), tree[1]])
        return image[:4].reshape(2, 2), image[4:]

    template = (jnp.zeros((2, 2)), jnp.zeros(1))
    right = (jnp.arange(4.0).reshape(2, 2), jnp.ones(1))
    found = dense(linear, template)(right)
    wanted = np.linalg.solve(matrix, np.concatenate([np.arange(4.0), [1.0]]))
    np.testing.assert_allclose(np.concatenate([found[0].ravel(), found[1]]), wanted, rtol=1e-13)
