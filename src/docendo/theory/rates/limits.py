"""The limit of a local exponent, or of a quantity itself, as T → ∞.

Both take a smooth deterministic curve (exact descent, a flow) and extrapolate it (`extrapolation`). Two things can
make a limit meaningless, and both are looked for first:

    floor            y tends to L∞ > 0. Aitken's Δ² on y finds L∞; it is real if it stays put while y falls.
    not asymptotic   the curve's steps per half octave still grow, as before the onset of a power law, at a
                     crossover, or with exponential convergence, or stay the same, as for log T. The interval is then
                     unbounded.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from docendo.theory.rates.curves import LogCurve, Points, Real, as_curve, interpolate, require_positive
from docendo.theory.rates.estimate import FLOOR, NOT_ASYMPTOTIC, Estimate
from docendo.theory.rates.extrapolation import AITKEN, GENERAL, Correction, bracket, powers, slide, spacing_for

__all__ = ["limit", "limit_exponent"]

_FEWEST_POINTS = 8
_SHORTEST = math.log(4)
_GROWING_STEPS = 6
_UNNOTICED = 1e-5  # steps of a curve below this fraction of its scale are no sign of anything,
_UNNOTICED_TURN = 1e-3  # nor are these where it has just turned: two corrections of opposite sign make it turn
_CONSTANT = 0.97
_STEADY = 0.5  # log L∞ moves less than this fraction of what log y falls; for a power law it falls faster than log y
_FLOOR_SHARE = 1e-3


def limit_exponent(
    time: ArrayLike,
    values: ArrayLike | None = None,
    *,
    local_exponents: ArrayLike | None = None,
    orders: Sequence[Real] | None = None,
    window: tuple[Real, Real] | None = None,
) -> Estimate:
    """The exponent p in y ~ T^p as T → ∞, with the spread of extrapolations as its interval.

    Args:
        time: (n,) increasing positive numbers, n ≥ 8 within the window, which spans a factor 4 at least (100 or
            more is better). Any unit.
        values: (n,) the curve y, positive. Give either it or
        local_exponents: (n,) d log y / d log T, better where it is known exactly.
        orders: powers r of the corrections T^(−r) to the local exponent, where known, increasing: (0.5, 1) tries
            T^(−1/2) alone and then both. Without it a general family is tried: powers of T^(−1/2), log T / T,
            1/log T, and unknown powers.
        window: first and last time to use, all of them by default.

    Returns:
        The exponent. With `flag` "floor" the curve levels off: it is no power of T, and the value is 0. With `flag`
        "not asymptotic" the interval is unbounded: the curve must go further.

    Raises:
        ValueError: both or neither of values and local exponents are given; too few points; a number that is not
            finite or, for time and values, not positive; orders or window out of order.
    """
    name, given = _only("values", values, "local_exponents", local_exponents)
    time, curve = _windowed(time, given, window, name)
    log_time = np.log(time)
    if local_exponents is None:
        require_positive("values", curve)
        logarithm = interpolate(log_time, np.log(curve))
        slope = logarithm.derivative()
    else:
        slope = interpolate(log_time, curve)
        logarithm = slope.antiderivative()
    level = _floor(logarithm, log_time)
    if level > _FLOOR_SHARE:
        return _levelled(level, float(slope(log_time[-1])), time)
    return _extrapolated(slope, time, 1.0, _family(orders))


def limit(
    time: ArrayLike,
    values: ArrayLike,
    *,
    orders: Sequence[Real] | None = None,
    window: tuple[Real, Real] | None = None,
) -> Estimate:
    """The limit of a quantity as T → ∞, for example of ηT × excess loss, in the unit of `values`.

    Args:
        time: (n,) increasing positive numbers, n ≥ 8 within the window, which spans a factor 4 at least.
        values: (n,) the quantity, of any sign.
        orders: powers r of the corrections T^(−r), where known, as in `limit_exponent`.
        window: first and last time to use, all of them by default.

    Returns:
        The limit. With `flag` "not asymptotic" its interval is unbounded.

    Raises:
        ValueError: too few points, a number that is not finite, a time that is not positive, orders or window out
            of order.
    """
    time, values = _windowed(time, values, window, "values")
    scale = abs(float(values[-1])) or float(np.max(np.abs(values))) or 1.0
    return _extrapolated(interpolate(np.log(time), values / scale), time, scale, _family(orders))


def _extrapolated(f: LogCurve, time: Points, scale: float, family: Sequence[Correction]) -> Estimate:
    log_time = np.log(time)
    spacing, end = spacing_for(log_time), float(log_time[-1])
    found = bracket(slide(f, end, spacing, family), float(f(end)))
    window = (float(time[0]), float(time[-1]))
    value, low, high = (scale * number for number in (found.value, found.low, found.high))
    estimate = Estimate(value, low, high, f"extrapolated, steadiest with {found.name}", window)
    if _not_slowing_down(f, end, spacing):
        return replace(estimate, low=-math.inf, high=math.inf, flag=NOT_ASYMPTOTIC)
    return estimate


def _not_slowing_down(f: LogCurve, end: float, spacing: float) -> bool:
    steps = np.diff(f(end - spacing / 2 * np.arange(_GROWING_STEPS, -1, -1)))
    straight = _one_way(steps)
    if abs(steps[-1]) <= (_UNNOTICED if straight else _UNNOTICED_TURN):
        return False
    growing = _one_way(np.diff(steps)) and abs(steps[-1]) > abs(steps[-2])
    constant = straight and np.min(np.abs(steps)) >= _CONSTANT * np.max(np.abs(steps))
    return bool(growing or constant)


def _one_way(numbers: Points) -> bool:
    return bool(np.all(numbers > 0) or np.all(numbers < 0))


def _floor(logarithm: LogCurve, log_time: Points) -> float:
    """L∞ / y(T_end) where y tends to a floor, otherwise 0."""
    spacing, end = spacing_for(log_time), float(log_time[-1])

    def curve(at: ArrayLike) -> Points:
        return np.exp(logarithm(at) - logarithm(end))

    levels = slide(curve, end, spacing, (AITKEN,))[AITKEN.name][:3]
    fall = float(logarithm(end - spacing)) - float(logarithm(end))
    real = bool(np.all(levels > 0) and np.all(levels < 1))
    return float(levels[0]) if real and np.ptp(np.log(levels)) <= _STEADY * fall else 0.0


def _levelled(level: float, slope: float, time: Points) -> Estimate:
    method = f"the curve tends to {level:.3g} of its last value"
    return Estimate(0.0, min(slope, 0.0), max(slope, 0.0), method, (float(time[0]), float(time[-1])), FLOOR)


def _only(first: str, one: ArrayLike | None, second: str, other: ArrayLike | None) -> tuple[str, ArrayLike]:
    if one is not None and other is None:
        return first, one
    if other is not None and one is None:
        return second, other
    count = "neither" if one is None else "both"
    raise ValueError(
        f"exactly one of {first} and {second} is needed, got {count}. "
        f"For example: dc.rates.limit_exponent(run.data.time, run.data.excess_loss)."
    )


def _windowed(time: ArrayLike, values: ArrayLike, window: tuple[Real, Real] | None, name: str) -> tuple[Points, Points]:
    t, y = np.asarray(time, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if window is not None:
        if not 0 < window[0] < window[1]:
            raise ValueError(f"window is (first, last) with 0 < first < last, got {window}. Try window=(1e2, 1e6).")
        if t.ndim == 1 and t.shape == y.shape:
            inside = (t >= window[0]) & (t <= window[1])
            t, y = t[inside], y[inside]
    t, y = as_curve(t, y, _FEWEST_POINTS, name)
    if math.log(t[-1] / t[0]) < _SHORTEST:
        raise ValueError(
            f"time must span a factor 4 at least to be extrapolated, got {t[0]:g} to {t[-1]:g}. "
            f"Run longer, to {100 * t[0]:g} say, or widen the window."
        )
    return t, y


def _family(orders: Sequence[Real] | None) -> tuple[Correction, ...]:
    if orders is None:
        return GENERAL
    if not orders or min(orders) <= 0 or any(b <= a for a, b in itertools.pairwise(orders)):
        raise ValueError(f"orders are positive and increasing, got {tuple(orders)}. For example orders=(0.5, 1.0).")
    return tuple(powers(*orders[:count]) for count in range(1, min(len(orders), 4) + 1))
