"""Recorded measures as one labelled dataset."""

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

import docendo
from docendo.students.base import Student
from docendo.students.content_attention import ContentAttention
from docendo.training.base import Clock, Reading
from docendo.training.variables import VARIABLES

if TYPE_CHECKING:
    import xarray

__all__ = ["Record", "provenance", "to_dataset"]

Record = tuple[Reading, Mapping[str, np.ndarray]]


def to_dataset(
    clock: Clock,
    records: Sequence[Record],
    times: Sequence[Reading],
    student: Student | None,
    attributes: Mapping[str, Any],
) -> "xarray.Dataset":
    """The dataset of a run: dimension `step` or `time`, coordinate `time` = ηT always, one variable per measure."""
    import xarray

    along = "step" if clock == "steps" else "time"
    names = list(dict.fromkeys(name for _, measured in records for name in measured))
    variables = {name: _variable(name, along, [measured[name] for _, measured in records]) for name in names}
    coordinates: dict[str, Any] = {"time": (along, np.asarray(times), {"long_name": "ηT", "units": "1"})}
    if clock == "steps":
        steps = np.asarray([at for at, _ in records], dtype=np.int64)
        coordinates["step"] = ("step", steps, {"long_name": "steps T", "units": "1"})
    if "block_norms" in names and isinstance(student, ContentAttention):
        coordinates["block"] = list(student.blocks())
    return xarray.Dataset(variables, coordinates, dict(attributes))


def provenance() -> dict[str, Any]:
    """Versions, dtype and device that a result depends on."""
    return {
        "docendo_version": docendo.__version__,
        "python_version": ".".join(map(str, sys.version_info[:3])),
        "dtype": str(jnp.zeros(()).dtype),
        "device": jax.devices()[0].device_kind,
        "platform": jax.default_backend(),
    } | _versions()


@cache
def _versions() -> dict[str, str]:
    """Of the libraries that decide last bits; finding them out takes longer than a short run."""
    return {f"{name}_version": version(name) for name in ("jax", "jaxlib", "numpy", "equinox", "optax")}


def _variable(
    name: str, along: str, values: Sequence[np.ndarray]
) -> tuple[tuple[str, ...], np.ndarray, dict[str, str]]:
    stacked = np.stack([np.asarray(value) for value in values])
    known = VARIABLES.get(name)
    if known is None:
        return (along, *(f"{name}_{axis}" for axis in range(stacked.ndim - 1))), stacked, {"long_name": name}
    return (along, *known.dimensions), stacked, {"long_name": known.title, "definition": known.definition, "units": "1"}
