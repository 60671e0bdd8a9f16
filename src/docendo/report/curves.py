"""A panel of curves as a Bokeh plot.

Its legend and its hover text are the page's own: a legend that wraps and that a keyboard reaches, and one text for all
curves at the pointer, where Bokeh would stack one for each on the same spot.
"""

import math
from typing import Any, Final

from bokeh.models import BasicTickFormatter, ColumnDataSource, FixedTicker, Range1d

from docendo.plots import ReadyCurve, ReadyCurves
from docendo.report.frame import Plot, framed

__all__ = ["curves_plot"]

_LOOKS: Final[dict[str, dict[str, Any]]] = {
    "line": {"line_width": 2.2},
    "dashed": {"line_width": 2.2, "line_dash": [8, 4]},
    "reference": {"line_width": 1.2},
}
_LEVELS: Final = {"reference": "underlay"}


def curves_plot(ready: ReadyCurves) -> Plot:
    """The curves, each tagged with its number in the panel, by which the page's legend shows and hides it."""
    panel = ready.panel
    plot = framed(
        panel.x_label,
        panel.y_label,
        x_range=Range1d(*ready.x_range),
        y_range=Range1d(*ready.y_range),
        x_axis_type="log" if panel.x_log else "linear",
        y_axis_type="log" if panel.y_log else "linear",
    )
    _set_ticks(plot.xaxis, panel.x_log, ready.x_range)
    _set_ticks(plot.yaxis, panel.y_log, ready.y_range)
    for number, curve in enumerate(ready.curves):
        _add_curve(plot, number, curve)
    return plot


def _set_ticks(axis: Any, log: bool, ends: tuple[float, float]) -> None:
    """Small ticks only where they show an axis to be logarithmic; over one or two decades 1, 2 and 5 are numbered."""
    decades = math.log10(ends[1] / ends[0]) if log else 0
    if decades >= 2:
        return
    axis.ticker.num_minor_ticks = 0
    if decades >= 0.8:
        powers = range(math.floor(math.log10(ends[0])), math.ceil(math.log10(ends[1])) + 1)
        axis.ticker = FixedTicker(ticks=[digit * 10.0**power for power in powers for digit in (1, 2, 5)])
        axis.formatter = BasicTickFormatter()


def _add_curve(plot: Plot, number: int, curve: ReadyCurve) -> None:
    columns = {"x": curve.x, "y": curve.y}
    if curve.low is not None and curve.high is not None:
        columns |= {"low": curve.low, "high": curve.high}
    source = ColumnDataSource(columns)
    if "low" in columns:
        band = plot.varea("x", "low", "high", source=source, fill_color=curve.colour, fill_alpha=0.2)
        band.tags = [number]
    common: dict[str, Any] = {"source": source, "level": _LEVELS.get(curve.style, "glyph")}
    # A line through a single point is invisible.
    if curve.style == "points" or len(curve.x) == 1:
        renderer = plot.scatter("x", "y", size=5, fill_color=curve.colour, line_color=None, fill_alpha=0.75, **common)
    else:
        renderer = plot.line("x", "y", line_color=curve.colour, **_LOOKS[curve.style], **common)
    renderer.tags = [number]
