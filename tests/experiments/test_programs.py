"""Every experiment at a tiny size: complete, finite, repeatable, and with verdicts that come from its numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from docendo.experiments.base import choose
from docendo.experiments.bench import Bench
from docendo.experiments.judging import judge
from docendo.experiments.registry import EXPERIMENTS
from docendo.experiments.sizes import Beyond, Digits, FiniteData, FullTransformer, Neighbours, Synthetic, Theory
from docendo.figures import figure_from_json, figure_to_json
from docendo.theory.rates import Estimate

TINY = {
    FullTransformer: {"steps": 30, "saves": 6},
    Synthetic: {"steps": 2000, "online_steps": 20, "saves": 30, "batches": 3, "time": 1e6},
    Digits: {"epochs": 1, "images": 200, "steps": 20, "saves": 4},
    Beyond: {"tokens": 4, "steps": 1000, "saves": 30},
    FiniteData: {"steps": 20, "samples": (8, 16), "draws": 2, "saves": 4},
    Neighbours: {"tokens": 6, "sparsity": 2, "steps": 2000, "sampled_steps": 20, "batch_size": 16, "saves": 30},
    Theory: {"steps": 1000, "saves": 20, "time": 1e6, "collapse_over": ("D=8,16,32", "K=1,2")},
}


def tiny(experiment):
    return replace(experiment.quick, **TINY[type(experiment.quick)])


@pytest.mark.parametrize(
    "experiment", [each for each in EXPERIMENTS if type(each.quick) in TINY], ids=lambda each: each.name
)
def test_complete_and_finite(experiment):
    shares = []
    outcome = experiment.resolve()(tiny(experiment), Bench(0, report=shares.append))
    assert outcome.summary and outcome.findings and outcome.figures and outcome.runs
    for finding in outcome.findings:
        given = [number for number in (finding.measured, finding.low, finding.high) if number is not None]
        assert all(math.isfinite(number) for number in given)
    assert all(math.isfinite(number) for number in outcome.numbers.values())
    names = {figure.name for figure in outcome.figures}
    assert {finding.figure for finding in outcome.findings if finding.figure} <= names
    assert all(figure_from_json(figure_to_json(figure)).name in names for figure in outcome.figures)
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)


def test_the_same_seed_gives_the_same_numbers_and_another_does_not():
    experiment = next(each for each in EXPERIMENTS if each.name == "group_sparse")
    runs = [experiment.resolve()(tiny(experiment), Bench(seed)).runs["online"].data.excess_loss for seed in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_the_sampled_excess_is_the_students_loss_minus_the_teachers():
    """With labels f* + E on the same pairs, written out: ½‖Y − TF‖² − ½‖Y − f*‖²."""
    from docendo.experiments.synthetic import Batches, _sampled_excess
    from docendo.students.position_only import PositionOnly
    from docendo.teachers import random

    teacher = random(4, sparsity=2, features=3, channels=2, seed=0)
    rng = np.random.default_rng(0)
    x, noise = rng.standard_normal((5, 7, 3, 4)), rng.standard_normal((5, 7, 2, 4))
    student = PositionOnly(rng.standard_normal((2, 3)), rng.standard_normal((4, 4)), activation=teacher.activation)
    targets = np.asarray(teacher(x))
    labels = targets + noise
    losses = [0.5 * ((labels - np.asarray(output)) ** 2).sum((-2, -1)).mean(-1) for output in (student(x), targets)]
    found = _sampled_excess(teacher, Batches(*map(np.asarray, (x, noise))))(student)
    np.testing.assert_allclose(found, losses[0] - losses[1], rtol=1e-10, atol=1e-12)


def test_those_beyond_the_paper_run_where_they_are_asked_for():
    paper, both = choose(EXPERIMENTS, None), choose(EXPERIMENTS, None, beyond=True)
    assert not any(each.beyond for each in paper) and both == list(EXPERIMENTS) and len(paper) < len(both)
    assert [each.name for each in choose(EXPERIMENTS, ["optimizers"])] == ["optimizers"]


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-1.05, -0.95, "agrees"), (-0.9, -0.8, "differs"), (-2.0, 0.0, "undecided"), (-1.0, -1.0, "agrees")],
)
def test_a_wide_interval_refutes_but_does_not_confirm(low, high, verdict):
    assert judge(-1.0, Estimate((low + high) / 2, low, high, "by hand", (1.0, 2.0))) == verdict


def test_unknown_names_are_answered_with_the_closest():
    with pytest.raises(ValueError, match=r"got 'mnits'. Did you mean 'mnist'"):
        choose(EXPERIMENTS, ["mnits"])


def test_configurations_follow_what_decides_the_outcome():
    experiment = EXPERIMENTS[1]
    base = experiment.configuration(True, 0, "")
    assert base == experiment.configuration(True, 0, "other digits")
    assert len({base, experiment.configuration(False, 0, ""), experiment.configuration(True, 1, "")}) == 3
    digits = next(each for each in EXPERIMENTS if each.needs_digits)
    assert digits.configuration(True, 0, "a") != digits.configuration(True, 0, "b")
