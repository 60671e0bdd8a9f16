"""A heat map as a Bokeh plot, row 0 on top."""

from typing import Any, Final

import numpy as np
from bokeh.models import BasicTicker, ColorBar, HoverTool, LinearColorMapper, Range1d
from matplotlib import colormaps
from matplotlib.colors import to_hex

from docendo.plots import MISSING, ReadyHeatmap
from docendo.report.frame import Plot, framed

__all__ = ["aspect_ratio", "heatmap_plot"]

_SHADES: Final = 256
# pixels of a usual map, and what labels, toolbar and colour bar take beside it
_MAP: Final = 320
_BESIDE: Final = 135
_ABOVE_AND_BELOW: Final = 90


def heatmap_plot(ready: ReadyHeatmap) -> Plot:
    """The matrix as an image whose cells tell their row, column and value."""
    panel, (rows, columns) = ready.panel, ready.values.shape
    plot = framed(panel.x_label, panel.y_label, x_range=Range1d(-0.5, columns - 0.5), y_range=Range1d(rows - 0.5, -0.5))
    palette = [to_hex(colour) for colour in colormaps[ready.colour_map](np.linspace(0, 1, _SHADES))]
    mapper = LinearColorMapper(palette=palette, low=ready.low, high=ready.high, nan_color=MISSING)
    image = plot.image([ready.values.astype(np.float32)], x=-0.5, y=-0.5, dw=columns, dh=rows, color_mapper=mapper)
    for axis in (plot.xaxis, plot.yaxis):
        axis.ticker = BasicTicker(desired_num_ticks=6, mantissas=[1, 2, 5], min_interval=1, num_minor_ticks=0)
    plot.grid.visible = False
    bar = ColorBar(color_mapper=mapper, width=12, padding=4, background_fill_color=None)
    bar.major_label_text_font_size = "12px"
    # Bokeh does not ask the style sheet for this one: a grey that is legible on white and on dark.
    bar.major_label_text_color = "#737b84"
    plot.add_layout(bar, "right")
    tooltips = [(panel.y_label, "$y{0}"), (panel.x_label, "$x{0}"), (panel.value_label, "@image{%.5g}")]
    formatters: Any = {"@image": "printf"}
    plot.add_tools(HoverTool(renderers=[image], tooltips=tooltips, formatters=formatters, visible=False))
    return plot


def aspect_ratio(ready: ReadyHeatmap) -> float:
    """Width over height of the whole plot that makes cells about square, within what a page can bear."""
    rows, columns = ready.values.shape
    height = min(max(_MAP * rows / columns, _MAP / 3), 1.5 * _MAP)
    return (_MAP + _BESIDE) / (height + _ABOVE_AND_BELOW)
