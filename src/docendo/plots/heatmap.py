"""A heat map on matplotlib axes."""

from typing import Final, Literal

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from docendo.plots.labels import BELOW, above, beside, label_axes, wrapped
from docendo.plots.layout import LINE, PANEL_WIDTH, Box, Frame
from docendo.plots.prepare import ReadyHeatmap
from docendo.plots.style import MISSING

__all__ = ["draw_heatmap", "frame_of_heatmap"]

# inches: what the numbers take at the y axis and at the colour bar, and the bounds of the map
_TICKS: Final = 0.33
_BAR: Final = 0.6
_USUAL: Final = 2.0
_SHORTEST: Final = 0.9
_TALLEST: Final = 4.5


def frame_of_heatmap(ready: ReadyHeatmap) -> Frame:
    """Inches around and in the axes of this panel: square cells at the width of a column, as far as that goes."""
    rows, columns = ready.values.shape
    left, right = beside(ready.panel.y_label, _USUAL, _TICKS), beside(ready.panel.value_label, _USUAL, _BAR)
    room = PANEL_WIDTH - left - right
    height = min(max(room * rows / columns, _SHORTEST), _TALLEST)
    width = min(max(height * columns / rows, _SHORTEST), room)
    return Frame(left, above(ready.panel.title), BELOW + 0.08 + LINE * len(ready.notes), width, height)


def draw_heatmap(drawing: Figure, axes: Axes, ready: ReadyHeatmap, box: Box) -> None:
    """Draw the matrix with row 0 on top and a labelled colour bar of the map's own height."""
    panel = ready.panel
    image = axes.imshow(
        ready.values,
        cmap=colormaps[ready.colour_map].with_extremes(bad=MISSING),
        vmin=ready.low,
        vmax=ready.high,
        aspect="auto",
    )
    axes.grid(False)
    axes.spines[:].set_visible(True)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    label_axes(axes, box, panel.title, "\n".join([panel.x_label, *ready.notes]), panel.y_label, _TICKS)
    beside_it = axes.inset_axes((1 + 0.08 / box.width, 0, 0.1 / box.width, 1))
    bar = drawing.colorbar(image, cax=beside_it, extend=_beyond(ready))
    bar.set_label(wrapped(panel.value_label, box.height), parse_math=False)
    bar.outline.set_linewidth(0.4)


def _beyond(ready: ReadyHeatmap) -> Literal["neither", "min", "max", "both"]:
    """Which ends of the colour bar are arrows: those that some entry lies beyond."""
    below, above = bool((ready.values < ready.low).any()), bool((ready.values > ready.high).any())
    if below and above:
        return "both"
    return "min" if below else "max" if above else "neither"
