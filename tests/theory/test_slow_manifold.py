import numpy as np
import pytest
from scipy.optimize import minimize

import docendo as dc
from docendo.theory.kinds import kinds_of
from docendo.theory.slow_manifold import Scale, manifold, white_manifold

SCALE = Scale(logit_scale=0.4, value_norm=2.0, value_square=5.0, moment=0.545, beta=0.2025)


def scores(seed, tokens=5):
    rng = np.random.default_rng(seed)
    columns = np.zeros((tokens, tokens))
    for i in range(tokens):
        size = rng.integers(1, tokens + 1)
        columns[rng.choice(tokens, size, replace=False), i] = rng.dirichlet(3 * np.ones(size))
    return columns


def pressure(columns):
    inside = columns > 0
    return np.where(inside, 0, inside.sum(0) / (2 * SCALE.logit_scale**2 * len(columns)))


@pytest.mark.parametrize("seed", range(4))
def test_the_closed_form_for_white_inputs_and_newtons_method_agree(seed):
    columns = scores(seed)
    scale = SCALE._replace(value_square=SCALE.value_norm**2)
    closed = white_manifold(kinds_of(dc.Teacher(np.ones((1, 1)), columns)), scale)
    solved = manifold(columns, np.eye(5), pressure(columns), scale)
    assert closed == pytest.approx(solved, rel=1e-8)


def test_newtons_method_against_a_general_minimiser():
    """With masses as exponentials and the last token of each support eliminated, SciPy finds the same minimum."""
    columns = np.array([[0.7, 0.2, 0], [0.3, 0.8, 0], [0, 0, 1]])
    root = np.random.default_rng(1).standard_normal((3, 3))
    covariance = root @ root.T / 3 + 0.3 * np.eye(3)
    inside, push = columns > 0, pressure(columns) / (SCALE.moment * SCALE.value_square)
    last = [np.flatnonzero(column)[-1] for column in inside.T]

    def errors(parameters):
        free = parameters[:-1].reshape(3, 3)
        e = np.where(inside, free, np.exp(free))
        for i, row in enumerate(last):
            e[row, i] -= e[:, i].sum()
        return e, parameters[-1]

    def value(parameters):
        e, xi = errors(parameters)
        square = 0.5 * (e * (covariance @ e)).sum() + xi * (columns * (covariance @ e)).sum()
        square += 0.5 * xi**2 * (columns * (covariance @ columns)).sum()
        return square - (push * np.where(inside, 0, parameters[:-1].reshape(3, 3))).sum()

    best = minimize(value, np.zeros(10), method="BFGS", options={"gtol": 1e-9})
    e, xi = errors(best.x)
    found = manifold(columns, covariance, pressure(columns), SCALE)
    assert found.score_error == pytest.approx(np.linalg.norm(e), rel=1e-5)
    assert found.value_error == pytest.approx(abs(xi) * SCALE.value_norm, rel=1e-5)


@pytest.mark.parametrize("size", [1, 3])
def test_the_next_order_of_a_relu(size):
    """Equal K, uniform: 2k (2a)^(−1/2) with k = 4β√R/(3π(α+β)), R = (D−K)/K, a = (α+β)τ²‖V*‖²D/K³."""
    tokens = 8
    scale = SCALE._replace(value_square=SCALE.value_norm**2)
    odds = (tokens - size) / size
    bend = 4 * scale.beta * np.sqrt(odds) / (3 * np.pi * scale.moment)
    strength = scale.moment * scale.logit_scale**2 * scale.value_square * tokens / size**3
    found = white_manifold(kinds_of(dc.teachers.symmetric(tokens, size, 2.0)), scale)
    assert found.correction == pytest.approx(2 * bend / np.sqrt(2 * strength), rel=1e-12)


def test_masses_without_pressure_are_left_out():
    """Where no mass of a column falls like t^(−1/2), the column only follows ξ; then its errors are in its support."""
    columns = np.array([[1.0, 0.5, 0], [0, 0.5, 0], [0, 0, 1]])
    push = pressure(columns)
    push[:, 1] = 0
    full, less = (manifold(columns, np.eye(3), each, SCALE) for each in (pressure(columns), push))
    assert 0 < less.score_error < full.score_error
    assert np.isfinite(less.correction)
