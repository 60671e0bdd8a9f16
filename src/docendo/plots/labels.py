"""Titles, axis labels and ticks: plain text, wrapped to the room there is, at fixed distances from the axes."""

import math
import textwrap
from typing import Final

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from docendo.plots.layout import LINE, Box

__all__ = ["BELOW", "above", "beside", "label_axes", "linear_ticks", "log_ticks", "wrapped"]

# inches from the axes down to the end of the x label
BELOW: Final = 0.45

_TITLE_WIDTH: Final = 40
# inches across for one letter of a label, on average
_LETTER: Final = 0.062


def wrapped(text: str, inches: float) -> str:
    """A label broken into lines of that length."""
    return textwrap.fill(text, max(8, int(inches / _LETTER)))


def above(title: str) -> float:
    """Inches above the axes: the title's lines, and room for the exponent that ticks may share."""
    return 0.2 + LINE * len(_title(title))


def beside(label: str, height: float, ticks: float) -> float:
    """Inches beside axes of some height: `ticks` for their numbers, and the label's lines."""
    return ticks + 0.1 + LINE * (wrapped(label, height).count("\n") + 1)


def label_axes(axes: Axes, box: Box, title: str, x_label: str, y_label: str, ticks: float) -> None:
    """Set title and labels; a dollar sign in them is a dollar sign, not mathematics."""
    # Only the exponent that linear ticks may share stands in a title's way; looking for it takes time.
    height = None if axes.get_yscale() == "linear" else 1.0
    axes.set_title("\n".join(_title(title)), pad=5, y=height, parse_math=False)
    axes.set_xlabel(x_label, parse_math=False)
    axes.set_ylabel(wrapped(y_label, box.height), parse_math=False)
    axes.xaxis.set_label_coords(0.5, -0.27 / box.height)
    axes.yaxis.set_label_coords(-ticks / box.width, 0.5)


def linear_ticks(axis: Axis) -> None:
    """At most seven round numbers."""
    axis.set_major_locator(MaxNLocator(6))


def log_ticks(axis: Axis, low: float, high: float) -> None:
    """Powers of ten; over less than two decades 1, 2, 5, and where even those are too few, round numbers."""
    decades = math.log10(high / low)
    if decades >= 2:
        axis.set_major_locator(LogLocator(numticks=8))
        axis.set_minor_formatter(NullFormatter())
        return
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)) if decades >= 0.8 else MaxNLocator(4))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.4g}"))
    axis.set_minor_locator(NullLocator())


def _title(title: str) -> list[str]:
    return textwrap.wrap(title, _TITLE_WIDTH) or [""]
