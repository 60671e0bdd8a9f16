"""Exponents of sampled runs: a shifted power with a floor, L = c (T + T0)^(−p) + L∞, and intervals across seeds.

A sampled curve has no smooth derivative to extrapolate, but its seeds are independent. The model is fitted to every
seed by least squares of log L, each save weighing the same (log-spaced saves weigh every decade the same). Bounds:
p > 0, T0 ≥ 0, L∞ ≥ 0. Values and intervals are mean and Student's t interval over the seeds' estimates, so whatever
is correlated within one run does no harm.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.special import stdtrit

from docendo.theory.rates.curves import Points, Real, as_curve, require_positive
from docendo.theory.rates.estimate import ONE_SEED, Estimate

__all__ = ["ShiftedPower", "fit_shifted_power"]

_FEWEST_POINTS = 6
_STARTS = [(shift, floor) for shift in (1e-3, 0.1) for floor in (0.0, 0.5)]
_HIGHEST_POWER = 20.0
_LOWER = (-math.inf, 1e-6, 0.0, 0.0)
_UPPER = (math.inf, _HIGHEST_POWER, math.inf, 1.0)


@dataclass(frozen=True)
class ShiftedPower:
    """L = scale · (T + shift)^exponent + floor.

    Attributes:
        exponent: −p, negative for a falling curve.
        shift: T0, in the unit of time.
        floor: L∞, in the unit of the values.
        log_scale: the natural logarithm of c, whose unit depends on p.
    """

    exponent: Estimate
    shift: Estimate
    floor: Estimate
    log_scale: Estimate

    def __str__(self) -> str:
        return f"exponent {self.exponent}\nshift    {self.shift}\nfloor    {self.floor}"


def fit_shifted_power(
    time: ArrayLike, values: ArrayLike, *, floor: Real | None = None, confidence: float = 0.95
) -> ShiftedPower:
    """Fit L = c (T + T0)^(−p) + L∞ to each seed's curve.

    Args:
        time: (n,) increasing positive numbers, n ≥ 6, log-spaced if every decade is to count the same.
        values: (seeds, n) positive numbers, or (n,) for one seed.
        floor: L∞ where it is known, 0 for a curve without one. Fitted by default.
        confidence: of the t interval over seeds.

    Returns:
        Estimates of the exponent −p, T0, L∞ and log c. From one seed they carry no interval, and say so in `flag`.

    Raises:
        ValueError: shapes that disagree, too few points, numbers that are not positive and finite, a floor that is
            negative or not below every value, a confidence outside (0, 1).
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence lies between 0 and 1, got {confidence}. For example confidence=0.95.")
    seeds = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if seeds.ndim != 2 or not len(seeds):
        raise ValueError(f"values have axes (seeds, points), got shape {np.shape(values)}. Reshape them to two axes.")
    curves = [_checked(time, seed, floor) for seed in seeds]
    fits = np.array([_fit(t, y, floor) for t, y in curves])
    window = (float(curves[0][0][0]), float(curves[0][0][-1]))
    exponent, shift, level, log_scale = (_across(column, confidence, window) for column in fits.T)
    return ShiftedPower(exponent, shift, level, log_scale)


def _checked(time: ArrayLike, values: Points, floor: Real | None) -> tuple[Points, Points]:
    t, y = as_curve(time, values, _FEWEST_POINTS)
    require_positive("values", y)
    if floor is not None and not 0 <= floor < np.min(y):
        raise ValueError(
            f"floor lies between 0 and the smallest value, here {np.min(y):g}, got {floor}. "
            f"Use floor=0.0, or leave it out to have it fitted."
        )
    return t, y


def _fit(t: Points, y: Points, floor: Real | None) -> Points:
    """(−p, T0, L∞, log c) of the best of several starts."""
    model = _Model(t, y)
    free = 4 if floor is None else 3
    fixed = [] if floor is None else [floor / model.smallest]
    middle = float(np.interp(math.log(model.middle), np.log(t), np.log(y)))
    starts = [(middle, _mean_slope(t, y), *start)[:free] for start in _STARTS[:: 5 - free]]
    fits = [
        least_squares(
            lambda unknowns: model.log_value(*unknowns, *fixed) - np.log(y),
            start,
            jac=lambda unknowns: model.derivatives(*unknowns, *fixed)[:, :free],
            bounds=(_LOWER[:free], _UPPER[:free]),
            x_scale="jac",
        )
        for start in starts
    ]
    best = min(fits, key=lambda fit: fit.cost)
    return model.parameters(*best.x, *fixed)


class _Model:
    """log L in unknowns of order one: log (L − L∞) at the middle of the range, p, T0 / T_end and L∞ / min L."""

    def __init__(self, t: Points, y: Points):
        self.t, self.end, self.smallest = t, float(t[-1]), float(np.min(y))
        self.middle = math.sqrt(t[0] * t[-1])

    def log_value(self, height: float, power: float, shift: float, level: float) -> Points:
        falling = height - power * self._log_distance(shift)
        return np.logaddexp(falling, math.log(level * self.smallest)) if level > 0 else falling

    def derivatives(self, height: float, power: float, shift: float, level: float) -> Points:
        log_value, distance = self.log_value(height, power, shift, level), self._log_distance(shift)
        share = np.exp(height - power * distance - log_value)
        nearer = 1 / (self.t + shift * self.end) - 1 / (self.middle + shift * self.end)
        by_level = self.smallest * np.exp(-log_value)
        return np.stack([share, -share * distance, -share * power * self.end * nearer, by_level], axis=1)

    def parameters(self, height: float, power: float, shift: float, level: float) -> Points:
        log_scale = height + power * math.log(self.middle + shift * self.end)
        return np.array([-power, shift * self.end, level * self.smallest, log_scale])

    def _log_distance(self, shift: float) -> Points:
        return np.log((self.t + shift * self.end) / (self.middle + shift * self.end))


def _mean_slope(t: Points, y: Points) -> float:
    return float(np.clip(-math.log(y[-1] / y[0]) / math.log(t[-1] / t[0]), 0.1, _HIGHEST_POWER / 2))


def _across(column: Points, confidence: float, window: tuple[float, float]) -> Estimate:
    mean, seeds = float(np.mean(column)), len(column)
    if seeds == 1:
        return Estimate(mean, -math.inf, math.inf, "shifted power with floor, one seed", window, ONE_SEED)
    quantile = float(stdtrit(seeds - 1, (1 + confidence) / 2))
    half = quantile * float(np.std(column, ddof=1)) / math.sqrt(seeds)
    method = f"shifted power with floor, mean of {seeds} seeds, {100 * confidence:g} % t interval"
    return Estimate(mean, mean - half, mean + half, method, window)
