"""Exponents in a swept variable, and the sandwich: the ratio measured / claimed over a sweep.

Between two values v < w of a variable the exponent of y is the chord log(y(w)/y(v)) / log(w/v). For
y = c v^p (1 + a/v + …) chords tend to p with corrections in 1/v, for y = c v^p log v with corrections in 1/log v.
They are eliminated on the values as given (no fit, no even grid). An exponent in another variable, K say, taken at
fixed D, has corrections in 1/D, and its limit as D → ∞ is taken in the same way. Intervals are the spread of these
eliminations, as in `extrapolation`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from docendo.theory.rates.curves import Points, Real, as_curve, require_positive
from docendo.theory.rates.estimate import TWO_POINTS, Estimate, hull
from docendo.theory.rates.extrapolation import Bracket, bracket

__all__ = ["Sandwich", "power_in", "sandwich"]

_ORDERS = {"-1/2": 0.5, "-1": 1.0, "-2": 2.0, "-3": 3.0}
_LOGARITHM = "1/log"
_FAMILY: tuple[tuple[str, ...], ...] = (
    (),
    ("-1",),
    ("-1", "-2"),
    ("-1", "-2", "-3"),
    ("-1/2",),
    ("-1/2", "-1"),
    (_LOGARITHM,),
)
_WINDOWS = 3


@dataclass(frozen=True)
class Sandwich:
    """The ratio measured / claimed over a sweep.

    Attributes:
        low: smallest ratio.
        high: largest ratio.
        drift: per swept variable the exponent with which the ratio grows in it; 0 for a Θ-claim that holds. A
            variable is missing where no two runs differ in it alone.
    """

    low: float
    high: float
    drift: dict[str, Estimate]


def power_in(
    variable: ArrayLike,
    measured: ArrayLike,
    *,
    asymptotic_in: ArrayLike | None = None,
    relative_error: Real = 0.0,
) -> Estimate:
    """The exponent of a measured quantity in a swept variable.

    Args:
        variable: (n,) increasing positive values, n ≥ 2.
        measured: (n,) positive numbers: the exponent as the variable itself tends to ∞. With `asymptotic_in`
            (n, m): the exponent in `variable` at each of the m values of another variable, and its limit as that
            one tends to ∞; the interval then spans all neighbouring pairs of `variable`.
        asymptotic_in: (m,) increasing positive values of the other variable, D in most claims; m ≥ 1.
        relative_error: bound on the relative error of every measured number; it widens the interval.

    Returns:
        The exponent. Two points alone give the mean exponent between them and say so in `flag`.

    Raises:
        ValueError: shapes that disagree, fewer than 2 values, numbers that are not positive and finite, values that
            do not increase.
    """
    _check_error(relative_error)
    if asymptotic_in is None:
        v, y = as_curve(variable, measured, 2, "measured", "variable")
        require_positive("measured", y)
        return _self_limit(v, y, relative_error)
    v, y, other = _table(variable, measured, asymptotic_in)
    errors = 2 * relative_error / np.diff(np.log(v))
    chords = np.diff(np.log(y), axis=0) / np.diff(np.log(v))[:, None]
    rows = [_limit_along(other, chord, error) for chord, error in zip(chords, errors, strict=True)]
    flag = TWO_POINTS if chords.size == 1 else ""
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    middle = sorted(row.value for row in rows)[len(rows) // 2]
    return Estimate(middle, low, high, _method(other, rows), (float(v[0]), float(v[-1])), flag)


def sandwich(
    ratio: ArrayLike,
    variables: Mapping[str, ArrayLike],
    *,
    asymptotic_in: str = "D",
    relative_error: Real = 0.0,
) -> Sandwich:
    """Smallest and largest ratio of measured to claimed over a sweep, and its drift in every swept variable.

    Args:
        ratio: (n,) measured / claimed, positive, one number per run.
        variables: for each swept variable its (n,) values, one per run. Any set of runs will do; a full grid tells
            most.
        asymptotic_in: the variable in whose limit → ∞ the others' drifts are taken, where it is swept.
        relative_error: bound on the relative error of every ratio; it widens the drifts' intervals.

    Raises:
        ValueError: lengths differ, no variable is given, a number is not positive and finite, or two runs share the
            values of all variables.
    """
    _check_error(relative_error)
    numbers, columns = _runs(ratio, variables)
    drift = {name: _drift(name, numbers, columns, asymptotic_in, relative_error) for name in columns}
    found = {name: estimate for name, estimate in drift.items() if estimate is not None}
    return Sandwich(float(np.min(numbers)), float(np.max(numbers)), found)


def _self_limit(v: Points, y: Points, relative_error: Real) -> Estimate:
    gaps = np.diff(np.log(v))
    chords = np.diff(np.log(y)) / gaps
    columns = {name: np.diff(v**-order) / gaps for name, order in _ORDERS.items()}
    if v[0] > 1:
        columns[_LOGARITHM] = np.diff(np.log(np.log(v))) / gaps
    found = _eliminate(chords, columns, 2 * relative_error / float(np.min(gaps)))
    flag = TWO_POINTS if len(chords) == 1 else ""
    return Estimate(found.value, found.low, found.high, found.name, (float(v[0]), float(v[-1])), flag)


def _limit_along(other: Points, f: Points, error: float) -> Bracket:
    columns = {name: other**-order for name, order in _ORDERS.items()}
    if other[0] > 1:
        columns[_LOGARITHM] = 1 / np.log(other)
    return _eliminate(f, columns, error)


def _eliminate(f: Points, columns: Mapping[str, Points], error: float) -> Bracket:
    """The limit of f = A + Σ_k c_k columns_k from its last points, for every family of columns they suffice for."""
    tracks, errors = {}, {}
    for names in (names for names in _FAMILY if all(name in columns for name in names)):
        nodes = len(names) + 1
        ends = [len(f) - back for back in range(_WINDOWS) if len(f) - back >= nodes]
        if ends:
            weights = [_weights([columns[name][end - nodes : end] for name in names], nodes) for end in ends]
            pieces = [f[end - nodes : end] for end in ends]
            form = f"corrections of order {', '.join(names)}" if names else "no correction"
            tracks[form] = np.array([weight @ piece for weight, piece in zip(weights, pieces, strict=True)])
            errors[form] = error * float(np.sum(np.abs(weights[0])))
    return bracket(tracks, float(f[-1]), errors)


def _weights(columns: list[Points], nodes: int) -> Points:
    matrix = np.stack([np.ones(nodes), *(column / np.max(np.abs(column)) for column in columns)], axis=1)
    return np.linalg.inv(matrix)[0]


def _drift(
    name: str, ratio: Points, columns: Mapping[str, Points], asymptotic_in: str, relative_error: Real
) -> Estimate | None:
    towards = asymptotic_in if asymptotic_in in columns and name != asymptotic_in else None
    others = [column for key, column in columns.items() if key not in (name, towards)]
    estimates = []
    for rows in _groups(others, len(ratio)):
        inside = {key: column[rows] for key, column in columns.items()}
        found = _drift_in(inside[name], ratio[rows], None if towards is None else inside[towards], relative_error)
        estimates += [] if found is None else [found]
    slices = f", over {len(estimates)} slices" if len(estimates) > 1 else ""
    return hull(estimates, f"{estimates[0].method}{slices}") if estimates else None


def _drift_in(v: Points, ratio: Points, other: Points | None, relative_error: Real) -> Estimate | None:
    values = np.unique(v)
    if len(values) < 2:
        return None
    if other is None:
        return power_in(values, ratio[np.argsort(v)], relative_error=relative_error)
    table = {(a, b): r for a, b, r in zip(v, other, ratio, strict=True)}
    shared = [b for b in np.unique(other) if all((a, b) in table for a in values)]
    if not shared:
        return None
    grid = np.array([[table[a, b] for b in shared] for a in values])
    return power_in(values, grid, asymptotic_in=np.array(shared), relative_error=relative_error)


def _groups(others: list[Points], runs: int) -> list[list[int]]:
    groups: dict[tuple[float, ...], list[int]] = {}
    for row in range(runs):
        groups.setdefault(tuple(float(column[row]) for column in others), []).append(row)
    return list(groups.values())


def _method(other: Points, rows: list[Bracket]) -> str:
    if len(other) == 1:
        return "chords"
    return f"chords, extrapolated along the other variable to {other[-1]:g} and beyond, {rows[0].name}"


def _table(variable: ArrayLike, measured: ArrayLike, asymptotic_in: ArrayLike) -> tuple[Points, Points, Points]:
    y = np.asarray(measured, dtype=np.float64)
    shape = (np.size(np.asarray(variable)), np.size(np.asarray(asymptotic_in)))
    if y.shape != shape:
        raise ValueError(
            f"measured has axes (variable, asymptotic_in), here {shape}, got shape {y.shape}. "
            f"Transpose it, or leave asymptotic_in out for a one-dimensional sweep."
        )
    v, _ = as_curve(variable, y[:, 0], 2, "measured", "variable")
    for row in y:
        other, _ = as_curve(asymptotic_in, row, 1, "measured", "asymptotic_in")
        require_positive("measured", row)
    return v, y, other


def _runs(ratio: ArrayLike, variables: Mapping[str, ArrayLike]) -> tuple[Points, dict[str, Points]]:
    numbers = np.asarray(ratio, dtype=np.float64)
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in variables.items()}
    if not columns:
        raise ValueError("sandwich needs the swept variables, got none. For example variables={'D': [8, 16, 32]}.")
    for name, column in {"ratio": numbers, **columns}.items():
        if column.ndim != 1 or column.shape != numbers.shape or not column.size:
            raise ValueError(
                f"ratio and variables hold one number per run, got {name} of shape {column.shape} for a ratio of shape "
                f"{numbers.shape}. For a grid use np.meshgrid(..., indexing='ij') and ravel()."
            )
        bad = np.flatnonzero(~(np.isfinite(column) & (column > 0)))
        if bad.size:
            raise ValueError(
                f"{name} must be positive and finite, but {name}[{bad[0]}] = {column[bad[0]]:g}. "
                f"Leave that run out: np.delete({name}, {bad[0]})."
            )
    _refuse_repeats(columns)
    return numbers, columns


def _refuse_repeats(columns: Mapping[str, Points]) -> None:
    repeated = next(
        (rows for rows in _groups(list(columns.values()), len(next(iter(columns.values())))) if rows[1:]), None
    )
    if repeated is not None:
        values = ", ".join(f"{name}={column[repeated[0]]:g}" for name, column in columns.items())
        raise ValueError(
            f"every run has its own values of the variables, but runs {repeated[0]} and {repeated[1]} share {values}. "
            f"Name what else differs in variables, or keep one of them."
        )


def _check_error(relative_error: Real) -> None:
    if not (math.isfinite(relative_error) and relative_error >= 0):
        raise ValueError(f"relative_error is a number of at least 0, got {relative_error}. For example 1e-4.")
