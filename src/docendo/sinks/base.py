"""What a tracker must be able to do, what it may do besides, and what the trackers share."""

import importlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np

__all__ = ["FileSink", "Sink", "as_numbers", "checked_name", "checked_picture", "one_number_each", "require"]

_NAME = re.compile(r"[\w.\- ]+(/[\w.\- ]+)*")


@runtime_checkable
class Sink(Protocol):
    """Takes the numbers of a run while it runs."""

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Takes what was measured after `step` steps: numbers or arrays of numbers by name."""

    def close(self) -> None:
        """Writes what is still pending and lets go of files and connections; closing twice is harmless."""


@runtime_checkable
class FileSink(Sink, Protocol):
    """A sink that takes pictures and texts besides numbers, as all of docendo's do. No run asks this of a sink."""

    def figure(self, name: str, path: str | os.PathLike[str]) -> None:
        """Takes a copy of a picture, a PNG or SVG file, as it looks at the step last logged."""

    def document(self, name: str, text: str) -> None:
        """Takes a text, say the study file; the name may have an ending."""


def as_numbers(values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The values as real arrays. Raises ValueError, naming the entry, where one is no number or array of numbers."""
    arrays = {name: np.asarray(value) for name, value in values.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise ValueError(f"a sink takes real numbers and arrays of them, got {name}={values[name]!r}")
    return arrays


def one_number_each(values: Mapping[str, Any]) -> dict[str, float]:
    """The values for trackers that know only single numbers: entry (i, j) of an array x becomes ``x/i/j``."""
    return {
        "/".join([name, *map(str, index)]): float(entry)
        for name, array in as_numbers(values).items()
        for index, entry in np.ndenumerate(array)
    }


def checked_name(name: str) -> str:
    """The name of a figure or document.

    Raises:
        ValueError: It is no relative path of letters, digits, spaces and ``._-``.
    """
    if not _NAME.fullmatch(name) or any(part.strip(". ") == "" for part in name.split("/")):
        raise ValueError(
            f"a figure or document is named by letters, digits, spaces and ._- with / between folders, got {name!r}. "
            "For example 'curves' or 'study.toml'."
        )
    return name


def checked_picture(path: str | os.PathLike[str], *endings: str) -> Path:
    """The path of a picture file.

    Raises:
        ValueError: It has none of the endings, or is no file.
    """
    picture = Path(path)
    if picture.suffix.lower() not in endings:
        raise ValueError(
            f"this sink takes pictures that end in {' or '.join(endings)}, got {str(picture)!r}. "
            f"Save the figure as {picture.with_suffix(endings[0]).name!r}."
        )
    if not picture.is_file():
        raise ValueError(f"there is no picture {str(picture)!r}. Save it first: figure.savefig({str(picture)!r}).")
    return picture


def require(module: str, extra: str) -> ModuleType:
    """Imports a tracker's package, or says how to install it.

    Raises:
        ImportError: The package is missing or broken; the message names docendo's extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f'this sink needs {module} ({error}): pip install "docendo[{extra}]"') from error
