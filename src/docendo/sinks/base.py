"""What a tracker must be able to do, and what the trackers share."""

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np

__all__ = ["Sink", "as_numbers", "one_number_each", "require"]


@runtime_checkable
class Sink(Protocol):
    """Takes the numbers of a run while it runs."""

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Takes what was measured after `step` steps: numbers or arrays of numbers by name."""

    def close(self) -> None:
        """Writes what is still pending and lets go of files and connections; closing twice is harmless."""


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


def require(module: str, extra: str) -> ModuleType:
    """Imports a tracker's package, or says how to install it.

    Raises:
        ImportError: The package is missing or broken; the message names docendo's extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f'this sink needs {module} ({error}): pip install "docendo[{extra}]"') from error
