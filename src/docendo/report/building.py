"""`build_report`: read everything, make the whole page and all its pictures, and only then write."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from docendo.figures import Figure
from docendo.files import writable_folder, write_atomically
from docendo.files.atomic import FilePath
from docendo.plots import picture_files
from docendo.report.page import render
from docendo.report.reading import read_stored

__all__ = ["build_report"]


def build_report(out: FilePath, *, jobs: int = 1) -> Path:
    """Make `report.html`, and `figures/*.svg` and `*.png`, from what experiments stored; nothing is computed again.

    Args:
        out: the folder that `docendo reproduce` wrote: runs/<name>/{result.json, figures.json, *.nc}, and, where
            they are, summary.json and theory/*.json.
        jobs: how many processes draw; with 1 this one does.

    Returns:
        The page: one file that opens from disk and asks no network for anything. Its links to figures and datasets
        are relative, so the folder can be moved or sent as a whole.

    Raises:
        ValueError: the folder holds no finished experiment, a file of it is damaged, or it can't be written.
    """
    folder = Path(out)
    stored = read_stored(folder)
    with _drawn(stored.figures(), jobs) as drawn:
        page = render(stored, folder)
        pictures = list(drawn)
    figures = writable_folder(folder / "figures")
    for files in pictures:
        for name, content in files.items():
            write_atomically(figures / name, content)
    return write_atomically(folder / "report.html", page.encode())


@contextmanager
def _drawn(figures: Sequence[Figure], jobs: int) -> Iterator[Iterator[dict[str, bytes]]]:
    """The files of each figure, in order; other processes begin at once, so that the caller can do something else."""
    if jobs == 1 or len(figures) < 2:
        yield map(picture_files, figures)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield pool.map(picture_files, figures)
