"""The engine against stored reference values, correct to the digits given there."""

import jax
import numpy as np
import pytest

import docendo as dc
from tests.oracles import cases, householder, matrix

POPULATION, GENERAL = cases("population_loss"), cases("general_loss")


def nouns(case):
    teacher = dc.Teacher(matrix(case["V"]), matrix(case["S_star"]), dc.leaky_relu(float(case["negative_slope"])))
    positions, value, key_query = householder(case["householder"]), matrix(case["W_V"]), matrix(case["W_KQ"])
    if "heads" not in case:
        return teacher, dc.PositionOnly(value, key_query, positions), None
    law = dc.inputs.Gaussian(matrix(case["feature_covariance"]), matrix(case["token_covariance"]))
    return teacher, dc.MultiHead(value, key_query, positions), law


def relative_error(found, wanted):
    wanted = matrix(wanted)
    return np.abs(np.asarray(found) - wanted).max() / np.abs(wanted).max()


@pytest.mark.parametrize("case", POPULATION + GENERAL, ids=lambda case: f"{case.get('kind', 'general')}-{case['seed']}")
def test_loss_and_gradient(case):
    teacher, student, law = nouns(case)
    near = case.get("kind") == "near"
    loss = float(dc.excess_loss(teacher, student, law))
    assert abs(loss / float(case["excess_loss"]) - 1) < (1e-9 if near else 1e-12)
    slopes = dc.gradient(teacher, student, law)
    assert relative_error(slopes.value, case["grad_W_V"]) < (1e-8 if near else 1e-9)
    assert relative_error(slopes.key_query, case["grad_W_KQ"]) < (1e-8 if near else 1e-9)


@pytest.mark.parametrize("case", [case for case in GENERAL if case["heads"] == 1], ids=lambda case: case["seed"])
def test_one_head_is_the_position_only_student(case):
    teacher, heads, law = nouns(case)
    student = dc.PositionOnly(heads.value[0], heads.key_query[0], heads.positions)
    assert abs(float(dc.excess_loss(teacher, student, law)) / float(case["excess_loss"]) - 1) < 1e-12
    assert relative_error(dc.gradient(teacher, student, law).value, case["grad_W_V"][0]) < 1e-9


@pytest.mark.parametrize("case", [case for case in POPULATION if case["kind"] == "trajectory"], ids=lambda c: c["seed"])
def test_trajectories(case):
    teacher, student, _ = nouns(case)
    wanted = [float(loss) for loss in case["excess_loss_after_each_step"]]
    rate = float(case["learning_rate"])
    run = dc.train(teacher, student, dc.GradientDescent(rate), steps=len(wanted), save_at=range(len(wanted)))
    np.testing.assert_allclose(run.data.excess_loss[1:], wanted, rtol=1e-10)
    by_hand = student
    for loss in wanted:
        by_hand = jax.tree.map(lambda p, g: p - rate * g, by_hand, dc.gradient(teacher, by_hand))
        assert abs(float(dc.excess_loss(teacher, by_hand)) / loss - 1) < 1e-10
    np.testing.assert_allclose(run.student.key_query, by_hand.key_query, rtol=1e-12, atol=1e-13)
