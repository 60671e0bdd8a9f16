"""Shifted powers with a floor: exact curves are recovered, intervals across seeds cover."""

import math

import numpy as np
import pytest

from docendo.theory import rates

TIME = np.geomspace(10, 1e4, 40)


@pytest.mark.parametrize(("power", "shift", "floor"), [(1.0, 20.0, 1e-4), (0.5, 300.0, 0.0), (2.0, 0.0, 1e-8)])
def test_exact_curves_are_recovered(power: float, shift: float, floor: float) -> None:
    found = rates.fit_shifted_power(TIME, 3 * (TIME + shift) ** -power + floor)
    assert found.exponent.value == pytest.approx(-power, abs=1e-3)
    assert found.shift.value == pytest.approx(shift, abs=0.05)
    assert found.floor.value == pytest.approx(floor, rel=0.02, abs=1e-5)
    assert math.exp(found.log_scale.value) == pytest.approx(3, rel=0.01)


def test_a_plain_line_would_be_off() -> None:
    values = 3 / (TIME + 300)
    assert np.polyfit(np.log(TIME), np.log(values), 1)[0] > -0.8
    assert rates.fit_shifted_power(TIME, values, floor=0).exponent.value == pytest.approx(-1, abs=1e-6)


def test_intervals_cover_across_seeds() -> None:
    """Of 25 studies of 6 seeds at 95 %, fewer than 20 cover with a probability of 0.1 %."""
    rng, covered = np.random.default_rng(3), 0
    for _ in range(25):
        noise = 0.1 * rng.standard_normal((6, 40)) + 0.1 * rng.standard_normal((6, 1))
        found = rates.fit_shifted_power(TIME, 3 / (TIME + 20) * np.exp(noise), floor=0)
        covered += -1 in found.exponent
    assert covered >= 20


def test_intervals_shrink_with_seeds_and_grow_with_confidence() -> None:
    noise = 0.1 * np.random.default_rng(4).standard_normal((16, 40))
    curves = 3 / (TIME + 20) * np.exp(noise)
    few, many = rates.fit_shifted_power(TIME, curves[:4], floor=0), rates.fit_shifted_power(TIME, curves, floor=0)
    sure = rates.fit_shifted_power(TIME, curves, floor=0, confidence=0.999)
    assert many.exponent.width < few.exponent.width
    assert sure.exponent.width > many.exponent.width
    assert "mean of 16 seeds, 99.9 % t interval" in sure.exponent.method
    assert "exponent -" in str(many)


@pytest.mark.parametrize("values", [3 / TIME, 3 / TIME[None, :]])
def test_one_seed_has_no_interval(values: np.ndarray) -> None:
    found = rates.fit_shifted_power(TIME, values).exponent
    assert found.flag == "no interval: one seed"
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert found.value == pytest.approx(-1, abs=1e-3)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.ones((2, 2, 40)), {}, r"values have axes \(seeds, points\), got shape \(2, 2, 40\)"),
        (np.ones((0, 40)), {}, r"got shape \(0, 40\)"),
        (np.ones((2, 39)), {}, "equally long"),
        (np.linspace(1, -1, 40), {}, "values must be positive"),
        (np.full(40, np.nan), {}, "values must be finite"),
        (np.ones(40), {"floor": 1.0}, "floor lies between 0 and the smallest value, here 1, got 1.0"),
        (np.ones(40), {"floor": -1}, "got -1"),
        (np.ones(40), {"confidence": 1.0}, "confidence lies between 0 and 1, got 1.0"),
    ],
)
def test_bad_input_is_refused(values: np.ndarray, options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rates.fit_shifted_power(TIME, values, **options)


def test_too_few_points_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 6 points are needed, got 5"):
        rates.fit_shifted_power(TIME[:5], TIME[:5])
