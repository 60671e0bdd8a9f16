"""Figure descriptions drawn for a paper: SVG and PNG at column width, legible in print, no LaTeX needed.

`draw` makes a matplotlib figure, `picture_files` the bytes of its files, `save_figure` the files; `plot_run` shows a
Run. `prepare` is what every drawer starts from, the report's included: numbers that can be drawn, colours and ranges.
"""

from docendo.plots.drawing import Drawing, draw
from docendo.plots.prepare import ReadyCurve, ReadyCurves, ReadyHeatmap, ReadyPanel, prepare
from docendo.plots.run import describe_run, plot_run
from docendo.plots.saving import picture_files, save_figure
from docendo.plots.study import describe_study
from docendo.plots.style import MISSING

__all__ = [
    "MISSING",
    "Drawing",
    "ReadyCurve",
    "ReadyCurves",
    "ReadyHeatmap",
    "ReadyPanel",
    "describe_run",
    "describe_study",
    "draw",
    "picture_files",
    "plot_run",
    "prepare",
    "save_figure",
]
