"""A panel of curves on matplotlib axes."""

import textwrap
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from docendo.plots.labels import BELOW, above, beside, label_axes, linear_ticks, log_ticks
from docendo.plots.layout import LINE, PANEL_WIDTH, Box, Frame
from docendo.plots.prepare import ReadyCurve, ReadyCurves

__all__ = ["draw_curves", "frame_of_curves"]

# inches: what the numbers at the y axis may take, and the axes' height
_TICKS: Final = 0.5
_HEIGHT: Final = 1.85
# characters of the legend's type that fit side by side in one panel
_LEGEND_WIDTH: Final = 52
# what the line and the spaces before a label take, in characters
_HANDLE_WIDTH: Final = 8

_LOOKS: Final[dict[str, dict[str, Any]]] = {
    "line": {"linestyle": "-"},
    "points": {"linestyle": "none", "marker": "o", "markeredgewidth": 0, "alpha": 0.75},
    "dashed": {"linestyle": (0, (5, 2.5))},
    "reference": {"linestyle": "-", "linewidth": 0.8},
}
_ORDER: Final = {"reference": 2.0, "points": 2.2, "line": 2.4, "dashed": 2.6}


def frame_of_curves(ready: ReadyCurves) -> Frame:
    """Inches around the axes of this panel."""
    labels, columns = _legend(ready)
    rows = [labels[start : start + columns] for start in range(0, len(labels), columns)]
    lines = sum(max(label.count("\n") + 1 for label in row) for row in rows)
    left, top = beside(ready.panel.y_label, _HEIGHT, _TICKS), above(ready.panel.title)
    width = PANEL_WIDTH - left - 0.14
    return Frame(left, top, BELOW + 0.08 + LINE * lines, width, _HEIGHT, stretches=True)


def draw_curves(axes: Axes, ready: ReadyCurves, box: Box) -> None:
    """Draw the curves, guides to the eye lowest, sampled points below lines; the legend goes below the axes."""
    panel = ready.panel
    axes.set_xscale("log" if panel.x_log else "linear")
    axes.set_yscale("log" if panel.y_log else "linear")
    handles = [_draw_curve(axes, curve) for curve in ready.curves]
    axes.set_xlim(ready.x_range)
    axes.set_ylim(ready.y_range)
    for axis, log, ends in ((axes.xaxis, panel.x_log, ready.x_range), (axes.yaxis, panel.y_log, ready.y_range)):
        if log:
            log_ticks(axis, *ends)
        else:
            linear_ticks(axis)
    label_axes(axes, box, panel.title, panel.x_label, panel.y_label, _TICKS)
    _draw_legend(axes, ready, handles, -BELOW / box.height)


def _draw_curve(axes: Axes, curve: ReadyCurve) -> Line2D:
    order = _ORDER[curve.style]
    if curve.low is not None and curve.high is not None:
        looks: dict[str, Any] = {"color": curve.colour, "alpha": 0.2, "linewidth": 0, "zorder": order - 0.1}
        axes.fill_between(curve.x, curve.low, curve.high, **looks)
    alone = {"marker": "o"} if len(curve.x) == 1 else {}
    (line,) = axes.plot(curve.x, curve.y, color=curve.colour, zorder=order, **_LOOKS[curve.style] | alone)
    return line


def _draw_legend(axes: Axes, ready: ReadyCurves, handles: list[Line2D], top: float) -> None:
    labels, columns = _legend(ready)
    if not labels:
        return
    entries = [*handles, *(Line2D([], [], linestyle="none") for _ in ready.notes)]
    # A legend fills its columns from top to bottom; people read from left to right.
    order = [i for column in range(columns) for i in range(column, len(labels), columns)]
    legend = axes.legend(
        [entries[i] for i in order],
        [labels[i] for i in order],
        loc="upper center",
        bbox_to_anchor=(0.44, top),
        borderaxespad=0,
        labelspacing=0.3,
        ncols=columns,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _legend(ready: ReadyCurves) -> tuple[list[str], int]:
    """The legend's labels, notes last, wrapped, and in how many columns they fit."""
    names = [curve.label for curve in ready.curves]
    if not ready.notes and names == [ready.panel.y_label]:
        return [], 1
    widest = max((len(name) for name in names), default=0) + _HANDLE_WIDTH
    columns = 1 if ready.notes else max(1, min(len(names), _LEGEND_WIDTH // widest))
    width = _LEGEND_WIDTH // columns - _HANDLE_WIDTH
    return [textwrap.fill(name, width) for name in [*names, *ready.notes]], columns
