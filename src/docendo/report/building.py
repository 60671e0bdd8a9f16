"""`build_report`: read everything, make the whole page, and only then write."""

from pathlib import Path

from docendo.files import writable_folder, write_atomically
from docendo.files.atomic import FilePath
from docendo.plots import save_figure
from docendo.report.page import render
from docendo.report.reading import read_stored

__all__ = ["build_report"]


def build_report(out: FilePath) -> Path:
    """Make `report.html`, and `figures/*.svg` and `*.png`, from what experiments stored; nothing is computed again.

    Args:
        out: the folder that `docendo reproduce` wrote: runs/<name>/{result.json, figures.json, *.nc}, and, where
            they are, summary.json and theory/*.json.

    Returns:
        The page: one file that opens from disk and asks no network for anything. Its links to figures and datasets
        are relative, so the folder can be moved or sent as a whole.

    Raises:
        ValueError: the folder holds no finished experiment, a file of it is damaged, or it can't be written.
    """
    folder = Path(out)
    stored = read_stored(folder)
    page = render(stored, folder)
    figures = writable_folder(folder / "figures")
    for figure in stored.figures():
        save_figure(figure, figures)
    return write_atomically(folder / "report.html", page.encode())
