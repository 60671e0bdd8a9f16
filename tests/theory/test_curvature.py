import numpy as np
import pytest

import docendo as dc
from docendo.theory.asymptotics import problem_of
from docendo.theory.curvature import decay_rate, limit_from_zero


def unequal(size, seed, activation, tokens=5):
    rng = np.random.default_rng(seed)
    scores = np.zeros((tokens, tokens))
    for i in range(tokens):
        scores[rng.choice(tokens, size, replace=False), i] = rng.dirichlet(4 * np.ones(size))
    return dc.Teacher(6 * rng.standard_normal((2, 3)), scores, activation)


@pytest.mark.parametrize("activation", [dc.identity, dc.relu], ids=repr)
@pytest.mark.parametrize("size", [2, 5])
def test_with_unequal_weights_all_directions_are_taken(activation, size):
    """Then the limit is that of the whole Hessian, which another code finds by products with it."""
    teacher = unequal(size, 1, activation)
    assert limit_from_zero(problem_of(teacher)) == pytest.approx(dc.stable_learning_rate(teacher), rel=1e-8)


def test_on_uniform_columns_the_value_alone_limits():
    assert limit_from_zero(problem_of(dc.teachers.symmetric(8, {1: 6, 4: 2}, 100.0, dc.relu))) == pytest.approx(
        2 / (0.5 * (6 + 2 / 4)), rel=1e-14
    )


def test_the_decay_of_dense_columns_against_the_full_hessian():
    """J = diag(s) − ssᵀ column by column, by definition, with the smallest eigenvalue that is not a shift's zero."""
    teacher = unequal(4, 2, dc.relu, tokens=4)
    scores, tau, moment, norm = np.asarray(teacher.scores), 0.5, 0.5, float(teacher.value_norm)
    blocks = [np.diag(s) - np.outer(s, s) for s in scores.T]
    hessian = np.zeros((17, 17))
    hessian[0, 0] = moment * (scores**2).sum()
    for i, block in enumerate(blocks):
        place = slice(1 + 4 * i, 5 + 4 * i)
        hessian[place, place] = moment * tau**2 * norm**2 * block @ block
        hessian[0, place] = hessian[place, 0] = moment * tau * norm * block @ scores[:, i]
    assert decay_rate(problem_of(teacher)) == pytest.approx(2 * np.linalg.eigvalsh(hessian)[4], rel=1e-9)


def test_a_uniform_dense_teacher_decays_with_its_values():
    assert decay_rate(problem_of(dc.teachers.symmetric(7, 7, 3.0, dc.relu))) == pytest.approx(1.0, rel=1e-14)


def test_too_many_directions():
    rng = np.random.default_rng(0)
    scores = rng.uniform(1, 2, (40, 40))
    teacher = dc.Teacher(np.ones((1, 1)), scores / scores.sum(0))
    assert decay_rate(problem_of(teacher)) is None
