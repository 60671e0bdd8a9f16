"""What figures and findings of a synthetic task share, beside what it should be."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray

import docendo as dc
from docendo.experiments.sizes import Synthetic
from docendo.experiments.task import Task, straight_line

SIZES = Synthetic(tokens=4, sparsity=2, features=3, channels=2, learning_rate=0.1, batch_size=50)


def task(teacher=None, **runs):
    return Task("a_task", teacher, SIZES, *(runs.get(name) for name in ("exact", "online", "flow")))


def run(**data):
    """A stand-in for a Run: only its recorded arrays are looked at."""
    arrays = {name: (("step", "sample")[: np.ndim(values)], values) for name, values in data.items()}
    return SimpleNamespace(data=xarray.Dataset(arrays))


def test_the_noise_ball_is_where_online_descent_of_the_values_stays():
    """One token a column and logits so far apart that only the values move; saves are many times 1/(ηλ) apart."""
    teacher = dc.teachers.random(tokens=4, sparsity=1, features=3, channels=2, activation=dc.identity, seed=0)
    start = dc.PositionOnly(teacher.value, 200 * np.asarray(teacher.support))
    dynamics = dc.Online(SIZES.learning_rate, batch_size=SIZES.batch_size, noise=SIZES.noise)
    trained = dc.train(teacher, start, dynamics, 6000, key=0, save_at=list(range(200, 6001, 20)))
    # 291 nearly independent squares of 6 numbers: 3.4 % standard error; inputs' own fluctuation adds some per cent.
    assert float(trained.data.excess_loss.mean()) == pytest.approx(task(teacher).noise_ball, rel=0.15)


def test_the_law_of_equal_supports():
    teacher = dc.teachers.random(tokens=4, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
    assert task(teacher).law == pytest.approx(2 * 4 * (4 - 2) / 4)


def test_the_population_is_the_exact_one_where_there_is_one():
    own = np.array([[1.0, 3.0], [2.0, 2.0]])
    values, error = task().population(run(ood_excess=own))
    np.testing.assert_allclose(values, [2.0, 2.0])
    np.testing.assert_allclose(error, [1.0, 0.0])
    values, error = task().population(run(test_excess_loss=np.array([5.0, 4.0])))
    assert values.tolist() == [5.0, 4.0] and error.tolist() == [0.0, 0.0]


def test_the_root_mean_square_of_samples():
    assert task().sampled_rms(run(sampled_ood_excess=np.array([[3.0, -4.0]]))) == pytest.approx([np.sqrt(12.5)])


def test_the_crossing_is_where_the_cross_term_equals_the_excess():
    excess = task().crossing
    assert SIZES.noise * np.sqrt(2 * excess / SIZES.batch_size) == pytest.approx(excess)


def test_the_onset_is_the_last_time_that_the_loss_was_half_its_start():
    begun = task(online=run(excess_loss=np.array([8.0, 3.0, 4.5, 3.0, 2.0, 1.5, 1.0, 0.5])))
    assert begun.after_onset().tolist() == [False] * 3 + [True] * 5
    assert begun.has_begun
    assert not task(online=run(excess_loss=np.array([8.0, 7.0, 6.0, 3.0]))).has_begun


def test_a_straight_line_through_a_power():
    steps = np.geomspace(10, 1000, 7)
    line = straight_line(steps, 3 * steps**-1.5)
    assert line.slope == pytest.approx(-1.5) and (line.first, line.last) == (10, pytest.approx(1000))
    np.testing.assert_allclose(line.at(steps), 3 * steps**-1.5)
