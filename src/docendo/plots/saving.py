"""Figures as files: the same description gives the same bytes, today and tomorrow."""

from io import BytesIO
from pathlib import Path
from typing import Any, Final

import matplotlib

from docendo.figures import Figure
from docendo.files import write_atomically
from docendo.files.atomic import FilePath
from docendo.plots.drawing import draw

__all__ = ["picture_files", "save_figure"]

# dots per inch of the PNG, and of heat maps inside the SVG
RESOLUTION: Final = 300
# zlib at level 6, the default, takes a fifth of all the drawing and saves little of such flat pictures
OPTIONS: Final[dict[str, dict[str, Any]]] = {"svg": {}, "png": {"pil_kwargs": {"compress_level": 2}}}


def picture_files(figure: Figure) -> dict[str, bytes]:
    """What `<name>.svg` and `<name>.png` hold, by those names, SVG first.

    The SVG holds its letters as outlines, so it looks the same everywhere. Neither holds a date or a random name.

    Args:
        figure: what to draw.

    Raises:
        ValueError: the figure has no panels.
    """
    drawing = draw(figure)
    about = {"Title": figure.title, "Description": figure.caption}
    metadata: dict[str, dict[str, Any]] = {
        "svg": about | {"Creator": "docendo", "Date": None},
        "png": about | {"Software": "docendo"},
    }
    files = {}
    for kind, facts in metadata.items():
        stream = BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "docendo", "svg.fonttype": "path"}):
            drawing.savefig(stream, format=kind, dpi=RESOLUTION, metadata=facts, **OPTIONS[kind])
        files[f"{figure.name}.{kind}"] = stream.getvalue()
    return files


def save_figure(figure: Figure, folder: FilePath) -> list[Path]:
    """Draw a figure and write `<name>.svg` and `<name>.png`, each atomically.

    Args:
        figure: what to draw.
        folder: an existing folder.

    Returns:
        The two paths, SVG first.

    Raises:
        ValueError: the figure has no panels, or the folder is missing or can't be written.
    """
    return [write_atomically(Path(folder) / name, content) for name, content in picture_files(figure).items()]
