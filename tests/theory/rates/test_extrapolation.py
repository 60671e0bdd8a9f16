"""Each member is exact for the form it assumes, and the bracket keeps those that agree with themselves."""

from collections.abc import Callable

import numpy as np
import pytest

from docendo.theory.rates.extrapolation import GENERAL, Correction, bracket, powers, slide, spacing_for

EXACT_FOR: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "corrections T^-0.5": lambda t: 3 * t**-0.5,
    "corrections T^-1": lambda t: 3 / t,
    "corrections T^-0.5, T^-1": lambda t: 3 * t**-0.5 - 40 / t,
    "corrections T^-1, T^-2": lambda t: 3 / t - 4000 / t**2,
    "corrections T^-0.5, T^-1, T^-1.5": lambda t: 3 * t**-0.5 - 40 / t + 200 * t**-1.5,
    "corrections T^-1, T^-2, T^-3": lambda t: 3 / t - 4e3 / t**2 + 1e6 / t**3,
    "corrections T^-1, log T / T": lambda t: (3 * np.log(t) - 5) / t,
    "corrections T^-0.5, T^-1, log T / T": lambda t: 0.2 * t**-0.5 + (3 * np.log(t) - 5) / t,
    "an unknown power (Aitken)": lambda t: 3 * t**-0.37,
    "two unknown powers (Wynn)": lambda t: 3 * t**-0.37 - 20 * t**-0.9,
    "a rational function of 1/T (Thiele)": lambda t: 300 / (t + 777),
    "a rational function of T^-1/2 (Thiele)": lambda t: 30 / (t**0.5 + 44),
    "a rational function of 1/log T (Thiele)": lambda t: 2 / (np.log(t) + 3.3),
    "corrections 1/log T": lambda t: 2 / np.log(t),
    "corrections 1/log T, 1/log² T": lambda t: 2 / np.log(t) - 3 / np.log(t) ** 2,
}


def test_every_member_has_a_form_of_its_own() -> None:
    assert {member.name for member in GENERAL} == set(EXACT_FOR)


@pytest.mark.parametrize("member", GENERAL, ids=lambda member: member.name)
def test_members_are_exact_for_their_form(member: Correction) -> None:
    form = EXACT_FOR[member.name]
    (track,) = slide(lambda log_time: -1 + form(np.exp(log_time)), np.log(1e4), np.log(2), [member]).values()
    # Eliminating up to four nodes an octave apart multiplies rounding errors of 1e-16 by less than 1e4.
    assert track == pytest.approx(np.full(5, -1.0), abs=1e-11)


def test_logarithms_of_times_below_e_are_left_alone() -> None:
    inverse = next(member for member in GENERAL if member.name == "corrections 1/log T")
    (track,) = slide(lambda log_time: -1 + 0 * np.asarray(log_time), 1.2, np.log(2), [inverse]).values()
    assert np.isnan(track).all()


def test_the_steadiest_member_gives_the_value_and_bad_ones_do_not_widen() -> None:
    tracks = {
        "steady": np.array([1.0, 1.001, 1.0021]),
        "alike": np.array([1.01, 1.012, 1.0145]),
        "third": np.array([0.99, 0.992, 0.9941]),
        "drifting": np.array([2.0, 3.0, 5.0]),
        "broken": np.array([np.nan, 1.0, 1.0]),
    }
    found = bracket(tracks, 1.2)
    assert (found.value, found.name) == (1.0, "steady")
    assert found.low == pytest.approx(0.99 - 2 * 0.0041)
    assert found.high == pytest.approx(1.01 + 2 * 0.0045)


def test_three_members_enter_even_if_only_one_is_steady() -> None:
    tracks = {
        "a": np.array([1.0, 1.0]),
        "b": np.array([2.0, 2.5]),
        "c": np.array([0.0, 3.0]),
        "d": np.array([9.0, 0.0]),
    }
    found = bracket(tracks, 1.0)
    assert (found.low, found.high) == pytest.approx((-6.0, 6.0))


def test_irregular_members_are_kept_longer() -> None:
    """A member that jumps to and fro shows rounding, not a wrong form."""
    few = {"a": np.array([1.0, 1.001, 1.002]), "b": np.array([1.0, 1.001, 1.002]), "c": np.array([1.0, 1.001, 1.002])}
    jumping = bracket({**few, "d": np.array([1.5, 1.45, 1.5])}, 1.0)
    sliding = bracket({**few, "d": np.array([1.5, 1.55, 1.6])}, 1.0)
    assert jumping.high == pytest.approx(1.6)
    assert sliding.high == pytest.approx(1.004)


def test_errors_of_the_data_widen() -> None:
    tracks = {"a": np.array([1.0, 1.0])}
    assert bracket(tracks, 1.0, {"a": 0.5}).high == pytest.approx(1.5)


def test_a_single_limit_counts_as_spread_from_the_last_value() -> None:
    assert bracket({"a": np.array([1.0])}, 1.25).high == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("first", "last", "points", "spacing"),
    [(1, 1e4, 200, np.log(2)), (1, 8, 200, np.log(8) / 6), (1, 1e12, 13, np.log(10))],
)
def test_nodes_are_an_octave_apart_where_the_grid_allows(
    first: float, last: float, points: int, spacing: float
) -> None:
    assert spacing_for(np.log(np.geomspace(first, last, points))) == pytest.approx(spacing)


def test_names_of_known_powers() -> None:
    assert powers(0.5, 1).name == "corrections T^-0.5, T^-1"
