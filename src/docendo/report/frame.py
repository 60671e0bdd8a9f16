"""What all plots of the page share: tools, type and empty backgrounds. Colours come from the page's style sheet."""

import textwrap
from typing import Any, Final

from bokeh.models import BoxZoomTool, InlineStyleSheet, PanTool, PlainText, ResetTool, SaveTool, WheelZoomTool
from bokeh.plotting import figure

__all__ = ["Plot", "framed"]

Plot = figure

_FONT: Final = "system-ui, sans-serif"
# letters along the shorter axis of a usual plot
_LABEL_WIDTH: Final = 34


def framed(x_label: str, y_label: str, **ranges: Any) -> Plot:
    """An empty plot that fills its place on the page.

    A plain wheel scrolls the page, with Ctrl it zooms. Labels are plain text: what looks like TeX stays what it is.

    Args:
        x_label: of the horizontal axis.
        y_label: of the vertical axis.
        ranges: x_range, y_range, and x_axis_type and y_axis_type, as Bokeh's figure takes them.
    """
    wheel = WheelZoomTool(modifiers={"ctrl": True})
    box = BoxZoomTool()
    plot = figure(
        sizing_mode="stretch_both",
        tools=[box, PanTool(), wheel, ResetTool(), SaveTool()],
        toolbar_location="above",
        background_fill_color=None,
        border_fill_color=None,
        min_border_right=12,
        **ranges,
    )
    plot.toolbar.active_drag = box
    plot.toolbar.active_scroll = wheel
    plot.toolbar.autohide = True
    plot.toolbar.logo = None
    # A toolbar that is just as wide as its buttons hides the last one in a menu.
    plot.toolbar.stylesheets = [InlineStyleSheet(css=":host { padding-left: 20px; }")]
    for axis, label in ((plot.xaxis, x_label), (plot.yaxis, y_label)):
        axis.axis_label = PlainText(text=textwrap.fill(label, _LABEL_WIDTH))
        axis.axis_label_text_font = _FONT
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size = "13px"
        axis.major_label_text_font = _FONT
        axis.major_label_text_font_size = "12px"
    return plot
