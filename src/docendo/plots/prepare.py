"""From a description to what can be drawn: points, colours, ranges, and notes on what had to be left out.

A logarithmic axis has no place for zero and below: such points are left out and counted in a note. A point that is not
finite leaves a gap. Both drawers, paper and page, start from here, so they agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from docendo.figures import Curve, Curves, Figure, Heatmap, Numbers
from docendo.plots.style import DIVERGING, REFERENCE, SEQUENTIAL, family_colours

__all__ = ["ReadyCurve", "ReadyCurves", "ReadyHeatmap", "ReadyPanel", "prepare"]

Range = tuple[float, float]

_MARGIN: Final = 0.04
# A band that reaches down to zero would stretch a logarithmic axis without end: it may add one decade.
_BAND_REACH: Final = 10.0


@dataclass(frozen=True)
class ReadyCurve:
    """A curve's drawable points, (points,) each, with its band where it has one."""

    label: str
    style: str
    colour: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray | None
    high: np.ndarray | None


@dataclass(frozen=True)
class ReadyCurves:
    """A panel of curves; `notes` say what is not drawn."""

    panel: Curves
    curves: Sequence[ReadyCurve]
    x_range: Range
    y_range: Range
    notes: Sequence[str]


@dataclass(frozen=True)
class ReadyHeatmap:
    """A panel of one matrix, (rows, columns), NaN where an entry is missing."""

    panel: Heatmap
    values: np.ndarray
    low: float
    high: float
    colour_map: str
    notes: Sequence[str]


ReadyPanel = ReadyCurves | ReadyHeatmap


def prepare(figure: Figure) -> list[ReadyPanel]:
    """Every panel of a figure, ready to draw; a `group` has one colour in all of them."""
    panels = [panel for panel in figure.panels if isinstance(panel, Curves)]
    groups = sorted({curve.group for panel in panels for curve in panel.curves if curve.group is not None})
    families = [_families(panel, groups) for panel in panels]
    colours = family_colours(max((number + 1 for panel in families for number in panel), default=0))
    coloured = iter([[REFERENCE, *colours][number + 1] for number in panel] for panel in families)
    return [_curves(each, next(coloured)) if isinstance(each, Curves) else _heatmap(each) for each in figure.panels]


def _families(panel: Curves, groups: Sequence[int]) -> list[int]:
    """The number of each curve's colour: its group's, else the next one free; -1 for a guide to the eye."""
    numbers, free = [], len(groups)
    for curve in panel.curves:
        alone = curve.group is None and curve.style != "reference"
        numbers.append(free if alone else -1 if curve.group is None else groups.index(curve.group))
        free += alone
    return numbers


def _curves(panel: Curves, colours: Sequence[str]) -> ReadyCurves:
    curves = [_curve(panel, curve, colour) for curve, colour in zip(panel.curves, colours, strict=True)]
    x_range, y_range = _ranges(panel, curves)
    return ReadyCurves(panel, [_within(curve, y_range) for curve in curves], x_range, y_range, _notes(panel))


def _curve(panel: Curves, curve: Curve, colour: str) -> ReadyCurve:
    x, y = _numbers(curve.x), _numbers(curve.y)
    kept = ~_outside(panel, curve) & np.isfinite(x)
    low, high = (None if band is None else _numbers(band)[kept] for band in (curve.low, curve.high))
    return ReadyCurve(curve.label, curve.style, colour, x[kept], np.where(np.isfinite(y), y, np.nan)[kept], low, high)


def _notes(panel: Curves) -> list[str]:
    """What is not drawn of which curves, one note for each reason."""
    reasons = {"zero or negative on a logarithmic axis": _outside, "not a finite number": _gaps}
    found = {why: [(curve.label, which(panel, curve)) for curve in panel.curves] for why, which in reasons.items()}
    named = {why: [(label, which) for label, which in curves if which.any()] for why, curves in found.items()}
    return [f"Not drawn, {why}: {_told(curves)}." for why, curves in named.items() if curves]


def _outside(panel: Curves, curve: Curve) -> np.ndarray:
    return ((_numbers(curve.x) <= 0) & panel.x_log) | ((_numbers(curve.y) <= 0) & panel.y_log)


def _gaps(panel: Curves, curve: Curve) -> np.ndarray:
    """Points that are missing; a guide to the eye may be made of strokes, which are apart on purpose."""
    if curve.style == "reference":
        return np.zeros(len(curve.y), dtype=bool)
    return ~np.isfinite(_numbers(curve.y)) & ~_outside(panel, curve)


def _told(curves: Sequence[tuple[str, np.ndarray]]) -> str:
    """Up to two curves are named, more are counted."""
    if len(curves) > 2:
        return f"{_points(np.concatenate([which for _, which in curves]))}, in {len(curves)} curves"
    return ", ".join(f"{_points(which)} of “{label}”" for label, which in curves)


def _within(curve: ReadyCurve, y_range: Range) -> ReadyCurve:
    """The curve with its band cut at the axis, for a logarithmic one has no zero to fill down to."""
    if curve.low is None or curve.high is None:
        return curve
    low, high = (np.clip(band, *y_range) for band in (curve.low, curve.high))
    return ReadyCurve(curve.label, curve.style, curve.colour, curve.x, curve.y, low, high)


def _ranges(panel: Curves, curves: Sequence[ReadyCurve]) -> tuple[Range, Range]:
    """The ends of both axes. Guides to the eye follow the data and don't stretch them."""
    shown = [curve for curve in curves if curve.style != "reference"] or curves
    x = np.concatenate([np.empty(0), *(curve.x for curve in shown)])
    y = np.concatenate([np.empty(0), *(_extent(curve, panel.y_log) for curve in shown)])
    if panel.y_range is not None:
        return _padded(x, panel.x_log), (float(panel.y_range[0]), float(panel.y_range[1]))
    return _padded(x, panel.x_log), _padded(y, panel.y_log)


def _extent(curve: ReadyCurve, log: bool) -> np.ndarray:
    if curve.low is None or curve.high is None or not np.isfinite(curve.y).any():
        return curve.y
    low = np.maximum(curve.low, np.nanmin(curve.y) / _BAND_REACH) if log else curve.low
    return np.concatenate([curve.y, low, curve.high])


def _padded(values: np.ndarray, log: bool) -> Range:
    finite = values[np.isfinite(values) & ((values > 0) | (not log))]
    if not finite.size:
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = float(finite.min()), float(finite.max())
    if log:
        low, high = np.log10(low), np.log10(high)
    # 1e-9: a curve that is constant but for rounding must not be blown up to fill the panel
    flat = high - low <= 1e-9 * max(abs(low), abs(high))
    margin = (0.3 if log else 0.1 * max(abs(high), 0.1)) if flat else _MARGIN * (high - low)
    ends = (low - margin, high + margin)
    return (_power(ends[0]), _power(ends[1])) if log else ends


def _power(exponent: float) -> float:
    """10^exponent, kept within the range of a double."""
    return float(10.0 ** min(max(exponent, -307.0), 307.0))


def _heatmap(panel: Heatmap) -> ReadyHeatmap:
    values = np.array([_numbers(row) for row in panel.values])
    finite = values[np.isfinite(values)]
    missing = ~np.isfinite(values)
    notes = [f"{_points(missing, 'entry', 'entries')} missing, drawn in grey."] if missing.any() else []
    low = float(finite.min(initial=np.inf)) if panel.low is None else float(panel.low)
    high = float(finite.max(initial=-np.inf)) if panel.high is None else float(panel.high)
    if not finite.size and not low < high:
        low, high = 0.0, 1.0
    if panel.diverging:
        high = max(abs(low), abs(high))
        low = -high
    if not low < high:
        low, high = low - 0.5 * max(abs(low), 1e-12), low + 0.5 * max(abs(low), 1e-12)
    return ReadyHeatmap(panel, values, low, high, DIVERGING if panel.diverging else SEQUENTIAL, notes)


def _numbers(values: Numbers) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _points(which: np.ndarray, one: str = "point", many: str = "points") -> str:
    return f"{which.sum()} of {which.size} {many}" if which.sum() > 1 else f"1 {one}"
