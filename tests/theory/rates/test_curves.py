"""Local exponents against closed forms, and what a curve must satisfy."""

import numpy as np
import pytest

from docendo.theory import rates

TIME = np.geomspace(1, 1e4, 200)


def test_a_power_has_its_exponent_everywhere() -> None:
    assert rates.local_exponents(TIME, 7 * TIME**-1.5) == pytest.approx(np.full(200, -1.5), abs=1e-12)


def test_differences_are_of_second_order() -> None:
    def error(points: int) -> float:
        time = np.geomspace(1, 1e4, points)
        return float(np.max(np.abs(rates.local_exponents(time, 1 / (time + 50)) + time / (time + 50))))

    assert np.log2(error(200) / error(399)) == pytest.approx(2, abs=0.1)


def test_an_exact_derivative_gives_the_exact_exponent() -> None:
    found = rates.local_exponents(TIME, 1 / (TIME + 50), derivative=-1 / (TIME + 50) ** 2)
    assert found == pytest.approx(-TIME / (TIME + 50), rel=1e-14)


def test_one_point_is_enough_with_a_derivative() -> None:
    assert rates.local_exponents([2.0], [3.0], derivative=[-6.0]) == pytest.approx([-4.0])


@pytest.mark.parametrize(
    ("time", "values", "message"),
    [
        ([1.0, 2.0, 3.0], [1.0, 2.0], r"equally long, got shapes \(3,\) and \(2,\)"),
        ([[1.0, 2.0]], [[1.0, 2.0]], "one-dimensional"),
        ([1.0, 2.0], [1.0, 2.0], "at least 3 points are needed, got 2"),
        ([0.0, 1.0, 2.0], [1.0, 1.0, 1.0], r"time must be positive.*time\[0\] = 0"),
        ([1.0, 2.0, 2.0], [1.0, 1.0, 1.0], r"time must increase, but time\[1\] = 2 is followed by 2"),
        ([1.0, np.inf, 2.0], [1.0, 1.0, 1.0], r"time must be finite, but time\[1\] = inf"),
        ([1.0, 2.0, 3.0], [1.0, np.nan, 1.0], r"values must be finite, but values\[1\] = nan"),
        ([1.0, 2.0, 3.0], [1.0, 0.0, 1.0], r"values must be positive.*values\[1\] = 0"),
        ([1.0, 2.0, 3.0], [1.0, 1.0, -2.0], r"values\[2\] = -2.*keep = values > 0"),
    ],
)
def test_bad_curves_are_refused(time: list[float], values: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rates.local_exponents(time, values)


def test_the_derivative_must_have_the_curves_length() -> None:
    with pytest.raises(ValueError, match="derivative are one-dimensional and equally long"):
        rates.local_exponents([1.0, 2.0], [1.0, 2.0], derivative=[1.0])
