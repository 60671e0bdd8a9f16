"""`draw`: a figure's description as a matplotlib figure, without pyplot and its global list of figures."""

import io

import matplotlib
from matplotlib.figure import Figure as MatplotlibFigure

from docendo.figures import Figure
from docendo.plots.curves import draw_curves, frame_of_curves
from docendo.plots.heatmap import draw_heatmap, frame_of_heatmap
from docendo.plots.layout import Box, Frame, place
from docendo.plots.prepare import ReadyCurves, ReadyPanel, prepare
from docendo.plots.style import STYLE

__all__ = ["Drawing", "draw"]


class Drawing(MatplotlibFigure):
    """A matplotlib figure that a notebook shows by itself, whatever its backend."""

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=150)
        return stream.getvalue()


def draw(figure: Figure) -> Drawing:
    """Draw a figure: its panels in rows of `figure.columns`, each with its axes labelled and its legend below.

    The figure's own title and caption are not drawn: on paper they are the text's, on a page the page's.

    Args:
        figure: what to draw.

    Returns:
        A matplotlib figure, 3.4 inches wide for each column; change it or save it with `savefig`.

    Raises:
        ValueError: the figure has no panels.
    """
    if not figure.panels:
        raise ValueError(f"a figure has at least one panel, {figure.name!r} has none. Add Curves or a Heatmap.")
    panels = prepare(figure)
    size, boxes = place([_frame(panel) for panel in panels], max(1, min(figure.columns, len(panels))))
    with matplotlib.rc_context(STYLE):
        drawing = Drawing(figsize=size)
        for panel, box in zip(panels, boxes, strict=True):
            _draw_panel(drawing, panel, box)
    return drawing


def _frame(panel: ReadyPanel) -> Frame:
    return frame_of_curves(panel) if isinstance(panel, ReadyCurves) else frame_of_heatmap(panel)


def _draw_panel(drawing: Drawing, panel: ReadyPanel, box: Box) -> None:
    width, height = drawing.get_size_inches()
    axes = drawing.add_axes((box.left / width, box.bottom / height, box.width / width, box.height / height))
    if isinstance(panel, ReadyCurves):
        draw_curves(axes, panel, box)
    else:
        draw_heatmap(drawing, axes, panel, box)
