"""The recursion in kinds against 50 digits straight from the definitions."""

import itertools

import mpmath
import numpy as np
import pytest

import docendo as dc
from docendo.theory.asymptotics import problem_of
from docendo.theory.grouped import State, descend, evaluate, flow, start
from tests import oracles

SCORES = np.array([[0.7, 0, 0.25, 0], [0.3, 0.5, 0.25, 0], [0, 0.5, 0.25, 0], [0, 0, 0.25, 1]])


@pytest.mark.parametrize("activation", [dc.identity, dc.relu, dc.leaky_relu(0.2)], ids=repr)
def test_steps_are_those_of_full_descent(activation):
    teacher = dc.Teacher(np.array([[1.0, -0.5], [0.3, 2.0]]), SCORES, activation)
    run = dc.train(teacher, None, dc.GradientDescent(0.1), 300, save_at=[1, 2, 30, 300])
    problem = problem_of(teacher)
    states = list(itertools.islice(descend(problem, start(problem), 0.1), 300))
    losses = [states[step - 1][1] for step in (1, 2, 30, 300)]
    assert losses == pytest.approx(run.data.excess_loss.values, rel=1e-12)


@pytest.mark.parametrize("slope", [1.0, 0.0])
def test_the_loss_near_the_optimum_keeps_its_digits(slope):
    teacher = dc.Teacher(np.array([[1.0, -0.5]]), SCORES, dc.leaky_relu(slope))
    problem = problem_of(teacher)
    inside = problem.kinds.weights > 0
    nudge = 1e-7 * np.arange(inside.size).reshape(inside.shape)
    logits = np.where(inside, np.log(np.where(inside, problem.kinds.weights, 1)) + nudge, -16.0)
    with mpmath.workdps(50):
        kinds = problem.kinds
        columns = []
        for kind in range(len(kinds.counts)):
            repeated = [
                mpmath.exp(mpmath.mpf(logits[kind, level]))
                for level in range(kinds.weights.shape[1])
                for _ in range(int(kinds.copies[kind, level]))
            ]
            target = [
                kinds.weights[kind, level]
                for level in range(kinds.weights.shape[1])
                for _ in range(int(kinds.copies[kind, level]))
            ]
            total = sum(repeated)
            columns += [([mass / total for mass in repeated], target)] * int(kinds.counts[kind])
        scores, targets = ([list(row) for row in zip(*side, strict=True)] for side in zip(*columns, strict=True))
        targets = [[mpmath.mpf(entry) for entry in row] for row in targets]
        value = oracles.precise(teacher.value)
        moved = [[entry * (1 + mpmath.mpf(3e-7)) for entry in row] for row in value]
        expected = oracles.plain_excess(moved, scores, value, targets, mpmath.mpf(slope))
    assert evaluate(problem, State(3e-7, logits))[0] == pytest.approx(float(expected), rel=1e-9)


def test_the_flow_is_that_of_many_small_steps():
    """Descent differs from the flow by O(η): halving η halves the difference."""
    teacher = dc.Teacher(np.array([[1.0, -0.5], [0.3, 2.0]]), SCORES, dc.relu)
    problem = problem_of(teacher)
    first, _ = next(descend(problem, start(problem), 0.01))
    gaps = []
    for rate in (0.02, 0.01):
        _, loss = next(itertools.islice(descend(problem, first, rate), round(2 / rate) - 1, None))
        reached, course = flow(problem, first, 1.0, 3.0, 5)
        assert course.losses[-1] == pytest.approx(evaluate(problem, reached)[0], rel=1e-12)
        gaps.append(loss - course.losses[-1])
    assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.05)
