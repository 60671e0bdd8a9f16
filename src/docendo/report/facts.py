"""What was run: the command that repeats it, sizes and seed, versions and device."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import h5netcdf

__all__ = ["command", "facts", "provenance"]

_RECORDED: Final = {
    "docendo_version": "docendo",
    "jax_version": "JAX",
    "numpy_version": "NumPy",
    "python_version": "Python",
    "dtype": "numbers",
    "device": "device",
}


def command(about: Mapping[str, Any]) -> str | None:
    """The command that makes the same report again, if the summary says what it was made with."""
    if "command" in about:
        return str(about["command"])
    if "seed" not in about:
        return None
    quick = " --quick" if about.get("quick") else ""
    return f"docendo reproduce{quick} --seed {about['seed']}"


def facts(about: Mapping[str, Any], origin: Mapping[str, str]) -> dict[str, Any]:
    """What the summary and the datasets say, by the names a reader knows; of the same thing, the datasets' word."""
    said = {_RECORDED.get(name, name): value for name, value in about.items() if name != "command"}
    return said | dict(origin)


def provenance(datasets: Sequence[Path]) -> dict[str, str]:
    """What the datasets say they depended on; where they differ, every answer.

    Raises:
        ValueError: one can't be read.
    """
    found: dict[str, dict[str, None]] = {}
    for path in datasets:
        attributes = _attributes(path)
        for key, name in _RECORDED.items():
            if key in attributes:
                found.setdefault(name, {})[str(attributes[key])] = None
    return {name: " and ".join(answers) for name, answers in found.items()}


def _attributes(path: Path) -> dict[str, Any]:
    try:
        with h5netcdf.File(path, "r") as file:
            return dict(file.attrs)
    except Exception as error:  # damaged bytes raise many unrelated types
        raise ValueError(
            f"{path} can't be read as a dataset ({type(error).__name__}: {error}). "
            f"Delete {path.parent} and run docendo reproduce again."
        ) from error
