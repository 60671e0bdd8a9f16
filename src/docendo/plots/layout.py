"""Where panels go, in inches: one panel fills a column of a two-column paper (3.4 inches), two fill the page.

Margins follow from how many lines of type a panel has above and below its axes, so axes in a row are aligned, nothing
is cut, and no iterative layout has to draw everything twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

__all__ = ["LINE", "PANEL_WIDTH", "Box", "Frame", "place"]

PANEL_WIDTH: Final = 3.4
# one line of small type
LINE: Final = 0.135


@dataclass(frozen=True)
class Frame:
    """What a panel needs, in inches: margins and the size of its axes; `stretches` if a taller row may stretch them."""

    left: float
    above: float
    below: float
    width: float
    height: float
    stretches: bool = False


@dataclass(frozen=True)
class Box:
    """The axes of a panel: left and bottom edge, width and height, in inches from the figure's lower left."""

    left: float
    bottom: float
    width: float
    height: float


def place(frames: Sequence[Frame], columns: int) -> tuple[tuple[float, float], list[Box]]:
    """The figure's width and height, and the box of every panel's axes; the tops of a row are aligned."""
    rows = [frames[start : start + columns] for start in range(0, len(frames), columns)]
    tall = [_height(row) for row in rows]
    tops = accumulate(tall[:-1], lambda top, used: top - used, initial=sum(tall))
    boxes = [box for row, top in zip(rows, tops, strict=True) for box in _boxes(row, top)]
    return (PANEL_WIDTH * columns, sum(tall)), boxes


def _boxes(row: Sequence[Frame], top: float) -> list[Box]:
    tallest = max(frame.height for frame in row)
    top -= max(frame.above for frame in row)
    boxes = []
    for column, frame in enumerate(row):
        height = tallest if frame.stretches else frame.height
        boxes.append(Box(column * PANEL_WIDTH + frame.left, top - height, frame.width, height))
    return boxes


def _height(row: Sequence[Frame]) -> float:
    tallest = max(frame.height for frame in row)
    below = max(frame.below + (tallest if frame.stretches else frame.height) for frame in row)
    return max(frame.above for frame in row) + below
