"""Where a command may write: proved before any work, used after it."""

import os
from io import BytesIO
from pathlib import Path

from docendo.files import writable_folder, write_atomically
from docendo.training import Run

__all__ = ["check_file", "check_folder", "check_picture", "keep"]

PICTURE_FORMATS = (".svg", ".png", ".pdf")


def check_folder(folder: Path | None) -> None:
    """Prove that a folder can be written, or the one it will be made in; nothing is left behind.

    Raises:
        ValueError: it cannot.
    """
    if folder is None:
        return
    while not os.path.exists(folder) and folder != folder.parent:
        folder = folder.parent
    writable_folder(folder)


def check_file(file: Path | None) -> None:
    """Prove that a file can be written; nothing is left behind.

    Raises:
        ValueError: its folder cannot be written, or the name is a folder's.
    """
    if file is None:
        return
    if file.is_dir():
        raise ValueError(f"{str(file)!r} is a folder, but the name of a file is wanted. Try {file / 'run.nc'}.")
    check_folder(file.parent)


def check_run(file: Path | None) -> None:
    """`check_file`, and prove that the ending is that of a run."""
    check_file(file)
    if file is not None and file.suffix != ".nc":
        raise ValueError(f"a run's name ends in .nc, got {str(file)!r}. Try {file.with_suffix('.nc')}.")


def check_picture(file: Path | None) -> None:
    """`check_file`, and prove that the ending names a kind of picture."""
    if file is not None and file.suffix not in PICTURE_FORMATS:
        endings = ", ".join(PICTURE_FORMATS)
        raise ValueError(f"a picture's name ends in one of {endings}, got {str(file)!r}. Try {file}.svg.")
    check_file(file)


def keep(run: Run, out: Path | None, plot: Path | None) -> dict[str, str]:
    """Write the run and its picture where they were asked for.

    Returns:
        The files written, by the flag that asked for them. A run that went wrong at once has no curves to draw.
    """
    written = {}
    if out is not None:
        written["out"] = str(run.save(writable_folder(out.parent) / out.name))
    if plot is not None and (run.data["time"].values > 0).any():
        picture = BytesIO()
        run.plot().savefig(picture, format=plot.suffix[1:])
        written["plot"] = str(write_atomically(writable_folder(plot.parent) / plot.name, picture.getvalue()))
    return written
