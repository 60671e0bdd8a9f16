"""Figures as the page's templates need them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bokeh.embed import json_item

from docendo.figures import Figure
from docendo.plots import ReadyCurve, ReadyCurves, ReadyPanel, prepare
from docendo.report.curves import curves_plot
from docendo.report.heatmap import aspect_ratio, heatmap_plot
from docendo.report.words import described

__all__ = ["FigureView", "PanelView", "figure_view"]


@dataclass(frozen=True)
class PanelView:
    """One plot of the page.

    Attributes:
        title: its heading.
        plot: what `Bokeh.embed.embed_item` takes.
        alternative: the plot in words.
        notes: what it does not show.
        legend: its curves, if it has any.
        labels: of the horizontal and the vertical axis.
        scale: what its colours mean, if it is a heat map.
        ratio: width over height; None for the usual height.
    """

    title: str
    plot: Any
    alternative: str
    notes: Sequence[str]
    labels: tuple[str, str]
    legend: Sequence[ReadyCurve] = ()
    scale: str | None = None
    ratio: float | None = None


@dataclass(frozen=True)
class FigureView:
    """One figure of the page."""

    figure: Figure
    panels: Sequence[PanelView]


def figure_view(figure: Figure) -> FigureView:
    """Make the plots of a figure."""
    return FigureView(figure, [_panel_view(ready) for ready in prepare(figure)])


def _panel_view(ready: ReadyPanel) -> PanelView:
    panel = ready.panel
    common: dict[str, Any] = {"title": panel.title, "alternative": described(ready), "notes": ready.notes}
    common["labels"] = (panel.x_label, panel.y_label)
    if isinstance(ready, ReadyCurves):
        return PanelView(plot=json_item(curves_plot(ready)), legend=ready.curves, **common)
    common |= {"scale": ready.panel.value_label, "ratio": aspect_ratio(ready)}
    return PanelView(plot=json_item(heatmap_plot(ready)), **common)
