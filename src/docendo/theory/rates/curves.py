"""Curves on a logarithmic axis: what they must satisfy, and their local exponents.

The local exponent of y(T) is d log y / d log T = T y'/y: −1 throughout for c/T, −T/(T + T0) for 1/(T + T0).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import BSpline, make_interp_spline

__all__ = ["LogCurve", "Points", "Real", "as_curve", "interpolate", "local_exponents", "require_positive"]

Points = NDArray[np.float64]
LogCurve = Callable[[ArrayLike], Points]
Real = int | float

_DEGREE = 5
_CLOSEST = np.log(2) / 12  # closer points would only divide their rounding errors by a smaller spacing


def local_exponents(time: ArrayLike, values: ArrayLike, *, derivative: ArrayLike | None = None) -> Points:
    """The local exponent d log y / d log T at every point of a curve.

    Args:
        time: (n,) increasing positive numbers, in any unit (steps, ηT, D, …); n ≥ 3, or ≥ 1 with a derivative.
        values: (n,) positive numbers y.
        derivative: (n,) exact dy/dT. Without it three-point differences of log y on the given grid are used,
            whose error is of second order in the spacing of log T.

    Returns:
        (n,) the local exponents, without unit.

    Raises:
        ValueError: lengths differ, too few points, a number that is not finite or, where it must be, not positive.
    """
    time, values = as_curve(time, values, 3 if derivative is None else 1)
    require_positive("values", values)
    if derivative is None:
        return np.gradient(np.log(values), np.log(time), edge_order=2)
    _, slope = as_curve(time, derivative, 1, "derivative")
    return time * slope / values


def as_curve(
    time: ArrayLike, values: ArrayLike, least: int, name: str = "values", abscissa: str = "time"
) -> tuple[Points, Points]:
    """Both as float64 arrays, refused unless they form a curve of `least` points over an increasing positive axis."""
    t, y = np.asarray(time, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if t.ndim != 1 or t.shape != y.shape:
        raise ValueError(
            f"{abscissa} and {name} are one-dimensional and equally long, got shapes {t.shape} and {y.shape}. "
            f"For example: n = min(len({abscissa}), len({name})), then {abscissa}[:n] and {name}[:n]."
        )
    if t.size < least:
        raise ValueError(
            f"at least {least} points are needed, got {t.size}. "
            f"Record more of them, for example with save_at=dc.log_spaced(200)."
        )
    _require_finite(abscissa, t)
    _require_finite(name, y)
    require_positive(abscissa, t)
    _require_increasing(abscissa, t)
    return t, y


def require_positive(name: str, array: Points) -> None:
    """Raise unless every entry is above zero, naming the first that is not."""
    bad = np.flatnonzero(array <= 0)
    if bad.size:
        raise ValueError(
            f"{name} must be positive, since their logarithm is taken, but {name}[{bad[0]}] = {array[bad[0]]:g}. "
            f"Keep the rest: keep = {name} > 0, then time[keep] and values[keep]."
        )


def interpolate(log_time: Points, values: Points) -> BSpline:
    """A quintic spline through `values` over log T.

    Where points lie closer than a twelfth of an octave, only some are kept (always the last one).
    """
    kept = _thin(log_time)
    return make_interp_spline(log_time[kept], values[kept], k=min(_DEGREE, len(kept) - 1))


def _thin(log_time: Points) -> list[int]:
    kept = [len(log_time) - 1]
    for index in range(len(log_time) - 2, -1, -1):
        if log_time[kept[-1]] - log_time[index] >= _CLOSEST:
            kept.append(index)
    return kept[::-1]


def _require_finite(name: str, array: Points) -> None:
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(
            f"{name} must be finite, but {name}[{bad[0]}] = {array[bad[0]]}. "
            f"Keep the rest: keep = np.isfinite({name}), then time[keep] and values[keep]."
        )


def _require_increasing(name: str, array: Points) -> None:
    bad = np.flatnonzero(np.diff(array) <= 0)
    if bad.size:
        i = bad[0]
        raise ValueError(
            f"{name} must increase, but {name}[{i}] = {array[i]:g} is followed by {array[i + 1]:g}. "
            f"Sort both: order = np.argsort({name}), then time[order] and values[order]; drop repeated points."
        )
