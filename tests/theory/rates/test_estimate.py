"""What an estimate says about itself."""

import math

import pytest

from docendo.theory.rates.estimate import Estimate, hull


def test_contains_its_ends_and_nothing_beyond() -> None:
    estimate = Estimate(-1.0, -1.2, -0.9, "extrapolated", (1.0, 10.0))
    assert -1.2 in estimate
    assert -0.9 in estimate
    assert -0.89 not in estimate
    assert estimate.width == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("low", "high", "flag", "text"),
    [
        (-1.2, -0.9, "", "-1.000 [-1.200, -0.900] (m, 1 … 1e+04)"),
        (-1.00002, -0.99999, "", "-1.000000 [-1.000020, -0.999990] (m, 1 … 1e+04)"),
        (-1.0, -1.0, "", "-1.000 [-1.000, -1.000] (m, 1 … 1e+04)"),
        (-math.inf, math.inf, "not asymptotic", "-1.000 [-inf, inf] (m, 1 … 1e+04, not asymptotic)"),
    ],
)
def test_prints_as_many_digits_as_it_knows(low: float, high: float, flag: str, text: str) -> None:
    assert str(Estimate(-1.0, low, high, "m", (1.0, 1e4), flag)) == text


def test_a_hull_spans_all_and_keeps_the_caution() -> None:
    parts = [
        Estimate(1.0, 0.9, 1.1, "a", (1.0, 4.0)),
        Estimate(3.0, 2.9, 3.1, "b", (2.0, 8.0), "not asymptotic"),
        Estimate(2.0, 0.5, 2.1, "c", (1.0, 2.0)),
    ]
    assert hull(parts, "all") == Estimate(2.0, 0.5, 3.1, "all", (1.0, 8.0), "not asymptotic")
