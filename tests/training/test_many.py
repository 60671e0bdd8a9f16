"""Batches: each lane is the run alone, to rounding; what goes wrong in one lane stays there."""

import numpy as np
import pytest

import docendo as dc
from docendo.training.many import is_batchable, train_many
from docendo.training.packing import pack, unpack
from docendo.training.planning import plan

STEPS, SAVES = 300, dc.log_spaced(8)


def teacher(seed, activation=dc.relu, tokens=4):
    return dc.teachers.random(tokens, sparsity=2, features=3, channels=2, activation=activation, seed=seed)


def planned(target, student, dynamics, steps=STEPS):
    return plan(target, student, dynamics, steps, None, None, None, None, SAVES)


def descents(activation, positions=None, rates=(0.05, 0.1, 0.2)):
    targets = [teacher(seed, activation) for seed in range(len(rates))]
    starts = [
        dc.PositionOnly.zeros(target, None if positions is None else positions(seed))
        for seed, target in enumerate(targets)
    ]
    return [planned(*each) for each in zip(targets, starts, map(dc.GradientDescent, rates), strict=True)]


def alone(each):
    problem = each.problem
    return dc.train(problem.teacher, problem.student, each.dynamics, STEPS, save_at=SAVES)


def assert_same(run, other):
    assert run.status == other.status
    assert set(run.data.data_vars) == set(other.data.data_vars)
    for name in run.data.data_vars:
        # Residuals that are zero up to rounding are compared on the scale of what they are residuals of.
        np.testing.assert_allclose(run.data[name], other.data[name], rtol=1e-10, atol=1e-13, err_msg=str(name))
    for part, mine in run.student.parameters().items():
        np.testing.assert_allclose(mine, other.student.parameters()[part], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("activation", [dc.identity, dc.relu, dc.leaky_relu(0.1)], ids=repr)
def test_a_lane_is_the_run_alone(activation):
    plans = descents(activation)
    for each, run in zip(plans, train_many(plans), strict=True):
        assert_same(run, alone(each))
        assert run.data.attrs["configuration"] == alone(each).data.attrs["configuration"]


def test_orthogonal_positions_differ_from_lane_to_lane():
    plans = descents(dc.relu, lambda seed: dc.positions.orthogonal(4, seed=seed))
    for each, run in zip(plans, train_many(plans), strict=True):
        assert_same(run, alone(each))
        np.testing.assert_array_equal(run.student.positions, each.problem.student.positions)


def test_reduced_runs_share_a_batch():
    targets = [dc.teachers.symmetric(64, 4, value_norm=norm) for norm in (1.0, 4.0)]
    plans = [planned(target, None, dc.Reduced(0.05)) for target in targets]
    for each, run in zip(plans, train_many(plans), strict=True):
        assert_same(run, alone(each))


def test_a_lane_that_diverges_ends_as_it_does_alone_and_disturbs_no_other():
    with pytest.warns(UserWarning, match="stability limit"):
        plans = descents(dc.identity, rates=(0.1, 50.0, 0.1))
    runs = train_many(plans)
    assert [str(run.status) in ("diverged", "non_finite") for run in runs] == [False, True, False]
    assert_same(runs[0], alone(plans[0]))
    assert_same(runs[2], alone(plans[2]))
    with pytest.warns(UserWarning, match="stability limit"):
        assert runs[1].status.at == alone(plans[1]).status.at


def test_the_same_batch_gives_the_same_bits_and_so_does_one_that_was_stopped(tmp_path):
    plans = descents(dc.relu)
    straight = train_many(plans)
    pieces = []

    def stop(at):
        pieces.append(at)
        if at > 20:
            raise KeyboardInterrupt

    stopped = train_many(plans, checkpoint=tmp_path, report=stop)
    assert {str(run.status) for run in stopped} == {"interrupted"} and pieces[-1] < STEPS
    for run, other in zip(straight, train_many(plans, checkpoint=tmp_path), strict=True):
        assert run.data.drop_attrs().equals(other.data.drop_attrs())
        for part, mine in run.student.parameters().items():
            np.testing.assert_array_equal(mine, other.student.parameters()[part])


def test_what_does_not_fit_together_is_refused():
    first, *_ = descents(dc.relu)
    larger = teacher(0, tokens=5)
    other = planned(larger, dc.PositionOnly.zeros(larger), dc.GradientDescent(0.1))
    with pytest.raises(ValueError, match="same shapes"):
        train_many([first, other])
    longer = planned(first.problem.teacher, first.problem.student, first.dynamics, steps=2 * STEPS)
    with pytest.raises(ValueError, match="same steps and saves"):
        train_many([first, longer])
    assert is_batchable(first.dynamics) and not is_batchable(dc.GradientFlow())


def test_a_packed_run_comes_back_whole():
    run = alone(descents(dc.relu, lambda seed: dc.positions.orthogonal(4, seed=seed))[0])
    back = unpack(*pack(run))
    assert back.data.identical(run.data) and back.status == run.status and repr(back) == repr(run)
    np.testing.assert_array_equal(back.student.key_query, run.student.key_query)
    np.testing.assert_array_equal(back.teacher.scores, run.teacher.scores)
