"""A panel of curves as a Bokeh plot. Its legend is the page's, so it wraps, and a keyboard reaches it."""

from typing import Any, Final

from bokeh.models import ColumnDataSource, GlyphRenderer, HoverTool, Range1d

from docendo.plots import ReadyCurve, ReadyCurves
from docendo.report.frame import NUMBER, Plot, framed

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
    for axis, log, (low, high) in ((plot.xaxis, panel.x_log, ready.x_range), (plot.yaxis, panel.y_log, ready.y_range)):
        if not log or high < 100 * low:
            axis.ticker.num_minor_ticks = 0
    hovered = [_add_curve(plot, number, curve) for number, curve in enumerate(ready.curves)]
    tooltips = [("", "$name"), (panel.x_label, f"@x{NUMBER}"), (panel.y_label, f"@y{NUMBER}")]
    formatters: Any = {"@x": "printf", "@y": "printf"}
    plot.add_tools(HoverTool(renderers=hovered, tooltips=tooltips, formatters=formatters, line_policy="nearest"))
    return plot


def _add_curve(plot: Plot, number: int, curve: ReadyCurve) -> "GlyphRenderer[Any]":
    columns = {"x": curve.x, "y": curve.y}
    if curve.low is not None and curve.high is not None:
        columns |= {"low": curve.low, "high": curve.high}
    source = ColumnDataSource(columns)
    if "low" in columns:
        band = plot.varea("x", "low", "high", source=source, fill_color=curve.colour, fill_alpha=0.2)
        band.tags = [number]
    common: dict[str, Any] = {"source": source, "level": _LEVELS.get(curve.style, "glyph"), "name": curve.label}
    # A line through a single point is invisible.
    if curve.style == "points" or len(curve.x) == 1:
        renderer = plot.scatter("x", "y", size=5, fill_color=curve.colour, line_color=None, fill_alpha=0.75, **common)
    else:
        renderer = plot.line("x", "y", line_color=curve.colour, **_LOOKS[curve.style], **common)
    renderer.tags = [number]
    return renderer
