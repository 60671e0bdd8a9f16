"""Figures as files: the same description gives the same bytes, today and tomorrow."""

from pathlib import Path
from typing import Any, Final

import matplotlib

from docendo.figures import Figure
from docendo.files import write_atomically
from docendo.files.atomic import FilePath
from docendo.plots.drawing import draw

__all__ = ["save_figure"]

# dots per inch of the PNG, and of heat maps inside the SVG
RESOLUTION: Final = 300


def save_figure(figure: Figure, folder: FilePath) -> list[Path]:
    """Draw a figure and write `<name>.svg` and `<name>.png`, each atomically.

    The SVG holds its letters as outlines, so it looks the same everywhere. Neither file holds a date or a random name.

    Args:
        figure: what to draw.
        folder: an existing folder.

    Returns:
        The two paths, SVG first.

    Raises:
        ValueError: the figure has no panels, or the folder is missing or can't be written.
    """
    drawing = draw(figure)
    about = {"Title": figure.title, "Description": figure.caption}
    metadata: dict[str, dict[str, Any]] = {
        "svg": about | {"Creator": "docendo", "Date": None},
        "png": about | {"Software": "docendo"},
    }
    paths = []
    for kind, facts in metadata.items():

        def content(stream: Any, kind: str = kind, facts: dict[str, Any] = facts) -> None:
            drawing.savefig(stream, format=kind, dpi=RESOLUTION, metadata=facts)

        with matplotlib.rc_context({"svg.hashsalt": "docendo", "svg.fonttype": "path"}):
            paths.append(write_atomically(Path(folder) / f"{figure.name}.{kind}", content))
    return paths
