"""Two small pictures, as sinks are given them."""

from pathlib import Path

import matplotlib.image
import numpy as np

PIXELS = np.array([[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 0, 0], [1, 1, 1], [1, 0, 1]]], dtype=float)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"><rect width="2" height="1"/></svg>'


def png(folder: Path) -> Path:
    """A file of two by three pixels."""
    matplotlib.image.imsave(folder / "small.png", PIXELS)
    return folder / "small.png"


def svg(folder: Path) -> Path:
    """A file of one rectangle."""
    (folder / "small.svg").write_text(SVG)
    return folder / "small.svg"
