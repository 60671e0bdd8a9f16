"""Limits on synthetic curves whose exponents are known: covered by the interval, and tightly.

Every family is a smooth curve y = T^(−p) × (something tending to 1, or slowly varying). Parameters are drawn so that
the corrections have begun to fade at the end of the range: shifts up to a fifth of it, second terms up to half of the
first one.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from docendo.theory import rates
from docendo.theory.rates.curves import Points

Curve = Callable[[Points], Points]
DECADES = (1e4, 1e6, 1e12)


def families(rng: np.random.Generator, last: float, slow: bool) -> Iterator[tuple[float, Curve]]:
    """One draw of each family: its power p, and T^p y as a function of T. `slow` ones tend to no constant."""

    def log_uniform(low: float, high: float) -> float:
        return math.exp(rng.uniform(math.log(low), math.log(high)))

    p = float(rng.choice([0.25, 0.5, 1.0, 1.5, 2.0]))
    shift, a, b = log_uniform(1, last / 5), log_uniform(0.1, 30), log_uniform(1, 100)
    gap, share = rng.uniform(0.15, 1.5), log_uniform(1e-3, 0.5)
    below = min(share * last**gap, 0.9 * 100**gap)
    sign = rng.choice([1, -1])
    yield p, lambda t: (t / (t + shift)) ** p
    yield p, lambda t: 1 + a * t**-0.5
    yield p, lambda t: 1 - min(a, 8.0) * t**-0.5
    yield p, lambda t: 1 + a * np.log(t) / t
    yield p, lambda t: 1 + share * (last / t) ** gap
    yield p, lambda t: 1 - below * t**-gap
    yield p, lambda t: 1 + a * t**-0.5 + sign * min(b, 50 * a / 3) / t
    yield p, lambda t: 1 + a * t**-0.5 + b * np.log(t) / t
    yield p, lambda t: 3 + 0 * t
    yield p, lambda t: (1 + (shift / t) ** 0.5) ** (-2 * p)
    yield p, lambda t: (1 + (shift / t) ** 2) ** (-p / 2)
    if slow:
        power, unit = rng.choice([1.0, -1.0, 2.0, 0.5]), log_uniform(0.02, 50)
        yield p, lambda t: np.log(math.e * t / unit) ** power
        yield 1.0, np.log


def battery(last: float, draws: int, slow: bool) -> list[tuple[float, Curve]]:
    rng = np.random.default_rng(2026)
    return [case for _ in range(draws) for case in families(rng, last, slow)]


@pytest.mark.parametrize(("last", "width"), [(1e4, 1e-2), (1e6, 1e-4), (1e12, 1e-8)])
@pytest.mark.parametrize("noise", [0.0, 1e-10])
def test_exponents_are_covered_and_tight(last: float, width: float, noise: float) -> None:
    time, rng = np.geomspace(100, last, 120), np.random.default_rng(7)
    cases = battery(last, 6, slow=True)
    curves = [time**-p * form(time) * np.exp(noise * rng.standard_normal(120)) for p, form in cases]
    found = [rates.limit_exponent(time, curve) for curve in curves]
    covered = [-p in estimate for (p, _), estimate in zip(cases, found, strict=True)]
    assert np.mean(covered) >= 0.98
    assert np.mean([bool(estimate.flag) for estimate in found]) <= 0.05
    # Noise of 1e-10 on points 0.2 apart costs about 1e-9 per local exponent, some 1e3 times that in the widest member.
    assert np.median([estimate.width for estimate in found]) <= max(width, 2e4 * noise)


@pytest.mark.parametrize(("last", "width"), [(1e4, 2e-3), (1e6, 1e-5), (1e12, 1e-9)])
def test_limits_of_quantities_are_covered_and_tight(last: float, width: float) -> None:
    time = np.geomspace(100, last, 120)
    forms = [form for _, form in battery(last, 6, slow=False)]
    found = [rates.limit(time, 7 * form(time) / form(np.array([1e300]))) for form in forms]
    assert np.mean([7.0 in estimate for estimate in found]) >= 0.98
    assert np.median([estimate.width / 7 for estimate in found]) <= width


def test_where_a_straight_line_fit_is_far_off() -> None:
    """A fit of log 1/(T + 2000) over two decades gives −0.36; its standard error would exclude −1."""
    time = np.geomspace(1e2, 1e4, 200)
    values = 1 / (time + 2000)
    assert np.polyfit(np.log(time), np.log(values), 1)[0] == pytest.approx(-0.36, abs=0.005)
    found = rates.limit_exponent(time, values)
    assert -1 in found
    assert found.value == pytest.approx(-1, abs=1e-6)
    assert found.width < 0.6
    assert not found.flag


@pytest.mark.parametrize("last", DECADES)
def test_exact_local_exponents_do_as_well(last: float) -> None:
    time = np.geomspace(100, last, 60)
    found = rates.limit_exponent(time, local_exponents=-time / (time + 10))
    assert -1 in found
    assert found.width < {1e4: 1e-5, 1e6: 1e-7, 1e12: 1e-9}[last]


@pytest.mark.parametrize("last", DECADES)
def test_known_orders_are_enough(last: float) -> None:
    time = np.geomspace(100, last, 120)
    found = rates.limit_exponent(time, (1 + 3 * time**-0.5) / time, orders=(0.5, 1, 1.5))
    assert -1 in found
    assert found.width < 3 * last**-0.5 / 3


def test_a_wrong_order_is_not_hidden() -> None:
    time = np.geomspace(100, 1e4, 120)
    found = rates.limit_exponent(time, (1 + 3 * time**-0.5) / time, orders=(1,))
    assert abs(found.value + 1) > 1e-3
    assert found.width > 1e-3


def test_units_of_time_do_not_matter() -> None:
    time = np.geomspace(100, 1e6, 120)
    values = (1 + 5 * time**-0.5 + 9 * np.log(time) / time) / time
    here, there = rates.limit_exponent(time, values), rates.limit_exponent(1e3 * time, 1e9 * values)
    assert here.value == pytest.approx(there.value, abs=1e-9)
    assert there.window == pytest.approx((1e5, 1e9))


@pytest.mark.parametrize("last", DECADES)
@pytest.mark.parametrize("share", [0.1, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("power", [0.5, 1.0, 1.5])
def test_a_floor_is_no_power(last: float, share: float, power: float) -> None:
    """L∞ is `share` of the last value."""
    time = np.geomspace(100, last, 120)
    found = rates.limit_exponent(time, (time / last) ** -power + share / (1 - share))
    assert found.flag == "floor"
    assert found.value == 0
    assert -power not in found
    assert f"{share:.2g} of its last value" in found.method


def test_a_floor_shows_in_the_local_exponents_alone() -> None:
    time = np.geomspace(100, 1e6, 120)
    found = rates.limit_exponent(time, local_exponents=-1 / (1 + time / 1e5))
    assert found.flag == "floor"


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(lambda t: 1 / (t + 1e6), id="before the onset"),
        pytest.param(lambda t: np.exp(-t / 1e3), id="exponential"),
        pytest.param(lambda t: 1 / t - 5e-5, id="heading for zero"),
        pytest.param(lambda t: t ** -np.log(t), id="faster than any power"),
    ],
)
def test_what_has_not_begun_to_settle_has_no_interval(values: Curve) -> None:
    time = np.geomspace(100, 1e4, 120)
    found = rates.limit_exponent(time, values(time))
    assert found.flag == "not asymptotic"
    assert (found.low, found.high) == (-math.inf, math.inf)


@pytest.mark.parametrize("values", [np.sqrt, np.log, lambda t: np.log(t) ** 2, lambda t: -np.log(t)])
def test_a_growing_quantity_has_no_limit(values: Curve) -> None:
    time = np.geomspace(100, 1e4, 120)
    assert rates.limit(time, values(time)).flag == "not asymptotic"


def test_the_window_cuts() -> None:
    time = np.geomspace(1, 1e6, 200)
    values = np.where(time < 100, 5.0, 1 / time)
    found = rates.limit_exponent(time, values, window=(200, 1e5))
    assert found.value == pytest.approx(-1, abs=1e-9)
    assert 200 <= found.window[0] < found.window[1] <= 1e5


def test_limits_may_be_negative_or_zero() -> None:
    time = np.geomspace(100, 1e6, 100)
    assert -3 in rates.limit(time, -3 + 2 * time**-0.5)
    assert 0 in rates.limit(time, 2 * time**-0.5)
    assert rates.limit(time, np.zeros(100)).value == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one of values and local_exponents is needed, got neither"),
        ({"values": np.ones(20), "local_exponents": np.ones(20)}, "needed, got both"),
        ({"values": np.ones(19)}, "equally long"),
        ({"values": np.linspace(1, -1, 20)}, "values must be positive"),
        ({"local_exponents": np.full(20, np.nan)}, r"local_exponents must be finite, but local_exponents\[0\] = nan"),
        ({"values": np.ones(20), "window": (10, 1)}, r"window is \(first, last\) with 0 < first < last, got \(10, 1\)"),
        ({"values": np.ones(20), "window": (500, 600)}, "at least 8 points are needed"),
        ({"values": np.ones(20), "orders": (1, 0.5)}, r"orders are positive and increasing, got \(1, 0.5\)"),
        ({"values": np.ones(20), "orders": ()}, "orders are positive"),
        ({"values": np.ones(20), "orders": (0,)}, "orders are positive"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rates.limit_exponent(np.geomspace(1, 1e4, 20), **arguments)


def test_a_range_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="must span a factor 4 at least to be extrapolated, got 1 to 3"):
        rates.limit(np.linspace(1, 3, 20), np.ones(20))


def test_a_small_turn_near_the_end_is_no_alarm() -> None:
    """Two corrections of opposite sign, as the value error of an exact run has them: the exponent passes its limit."""
    time = np.geomspace(100, 1e6, 120)
    for second in np.geomspace(1, 30, 40):
        found = rates.limit_exponent(time, (1 + 0.01 * time**-0.5 - second / time) / time)
        assert not found.flag
        assert -1 in found
