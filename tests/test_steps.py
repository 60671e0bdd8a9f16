"""When a run is recorded: lists and log-spaced points, and what is neither."""

import jax.numpy as jnp
import numpy as np
import pytest

from docendo.steps import log_spaced, resolve_steps, resolve_times


@pytest.mark.parametrize(
    "points", [[3, 1, 3], (1.0, 3.0), np.array([3, 1]), jnp.array([1, 3]), iter([1, 3]), range(1, 4, 2)]
)
def test_lists_of_any_kind_are_sorted_and_hold_each_point_once(points):
    assert resolve_steps(points, 10) == [1, 3, 10]


def test_the_end_is_always_there_and_may_be_asked_for():
    assert resolve_steps([], 5) == [5] and resolve_steps([0, 5], 5) == [0, 5]
    assert resolve_times([0.5], 0.75) == [0.5, 0.75] and resolve_times([0.75], 0.75) == [0.75]


def test_log_spaced_points_lie_between_their_first_and_the_end():
    assert resolve_steps(log_spaced(4), 1000) == [1, 10, 100, 1000]
    assert resolve_steps(log_spaced(200), 0) == [0]
    np.testing.assert_allclose(resolve_times(log_spaced(3, first=0.01), 100.0), [0.01, 1.0, 100.0])


@pytest.mark.parametrize("bad", [7, "log", b"log", None, ["1", "2"], [[1, 2]], [True], [1j], [None], {"n": 3}])
def test_what_is_no_list_of_numbers(bad):
    for resolve, kind in ((resolve_steps, "whole steps"), (resolve_times, "times")):
        with pytest.raises(
            ValueError, match=rf"save_at is a list of {kind} or dc\.log_spaced\(n\), got .*save_at=\[0, 1"
        ):
            resolve(bad, 10)


@pytest.mark.parametrize("bad", [[-1], [np.nan], [np.inf], [0.5]])
def test_points_that_are_no_steps(bad):
    with pytest.raises(ValueError, match=rf"non-negative finite whole steps, got {bad[0]:g}\."):
        resolve_steps(bad, 10)


def test_points_beyond_the_end():
    with pytest.raises(
        ValueError, match=r"got 20 with steps=10\. Train longer, steps=20, or take save_at=dc\.log_spaced"
    ):
        resolve_steps([1, 20], 10)
    with pytest.raises(ValueError, match=r"got 20\.5 with time=10\. Train longer, time=20\.5"):
        resolve_times([20.5], 10.0)


@pytest.mark.parametrize("n", [1, 2.5, "3", True, None])
def test_numbers_of_points(n):
    with pytest.raises(ValueError, match="log_spaced needs at least 2 points, got n="):
        log_spaced(n)


@pytest.mark.parametrize("first", [0.0, -1.0, np.inf, np.nan, "1"])
def test_first_points(first):
    with pytest.raises(ValueError, match="log_spaced needs a positive finite first point, got first="):
        log_spaced(4, first=first)
