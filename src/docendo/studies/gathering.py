"""All results of a study as one labelled dataset."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from docendo.files import to_json
from docendo.files.atomic import FilePath
from docendo.studies.cells import Axis, axes_of
from docendo.studies.store import Store, open_store
from docendo.training.packing import unpack_data

if TYPE_CHECKING:
    import xarray

__all__ = ["gather", "open_study", "run_of"]


def gather(store: Store) -> "xarray.Dataset":
    """The dataset of a study: one dimension per axis, then the saves.

    The saves' dimension is `step` (`time` for flows) where all cells share its values, else `save`, with `step` and
    `time` as variables. Quantities that are no single number a save are kept where all cells share their shape.
    """
    import xarray

    axes = axes_of(store.study)
    found = {cell: _data(store, cell) for cell in sorted(store.finished())}
    saves, along = _saves(list(found.values()))
    shape = tuple(len(axis.values) for axis in axes)
    names = [axis.name for axis in axes]
    variables: dict[str, Any] = {
        name: ((*names, *dims), _filled(store, shape, found, name, size), attrs)
        for name, dims, size, attrs in _quantities(list(found.values()), along, len(saves))
    }
    variables["status"] = (names, _statuses(store, shape, found), {"long_name": "how the run ended"})
    coordinates = {along: (along, saves)}
    attributes = {"study": store.study.name, "cells": len(store.cells), "finished": len(found)}
    attributes |= {"failed": len(store.failed()), "facts": to_json(dict(store.facts))}
    dataset = xarray.Dataset(variables, coordinates, attributes)
    return dataset.assign_coords(_coordinates(axes))


def open_study(root: FilePath) -> "xarray.Dataset":
    """The results of a study's folder, as far as there are any; nothing is run.

    Raises:
        ValueError: the folder holds no study, or a damaged result.
    """
    return gather(open_store(root))


def run_of(store: Store, cell: int) -> Any:
    """One cell's Run.

    Raises:
        ValueError: it has no result, or a damaged one.
    """
    from docendo.training.packing import unpack

    return unpack(*store.get(cell))


def _data(store: Store, cell: int) -> "xarray.Dataset":
    return unpack_data(*store.get(cell))


def _saves(found: Sequence["xarray.Dataset"]) -> tuple[np.ndarray, str]:
    """The values along the saves, and the name of their dimension."""
    clocks = {_clock(data) for data in found}
    if len(clocks) == 1:
        clock = clocks.pop()
        first = found[0][clock].values
        if all(np.array_equal(data[clock].values, first) for data in found):
            return first, clock
    longest = max((len(data[_clock(data)]) for data in found), default=0)
    return np.arange(longest), "save"


def _clock(data: "xarray.Dataset") -> str:
    return "step" if "step" in data.dims else "time"


def _quantities(
    found: Sequence["xarray.Dataset"], along: str, saves: int
) -> list[tuple[str, tuple[str, ...], tuple[int, ...], dict[str, Any]]]:
    """Name, dimensions, sizes and attributes of everything that can be put into one array."""
    shapes: dict[str, set[tuple[int, ...]]] = {}
    about: dict[str, Any] = {}
    for data in found:
        for name, values in data.variables.items():
            if name != along:
                shapes.setdefault(str(name), set()).add(values.shape[1:])
                about[str(name)] = values
    kept = []
    for name, inner in shapes.items():
        if len(inner) == 1 and name != along:
            dims = tuple(map(str, about[name].dims[1:]))
            kept.append((name, (along, *dims), (saves, *inner.pop()), dict(about[name].attrs)))
    return kept


def _filled(
    store: Store, shape: tuple[int, ...], found: Mapping[int, "xarray.Dataset"], name: str, size: tuple[int, ...]
) -> np.ndarray:
    values = np.full((*shape, *size), np.nan)
    for cell, data in found.items():
        if name in data.variables:
            own = np.asarray(data[name].values, dtype=float)
            values[store.cells[cell].place][: len(own)] = own
    return values


def _statuses(store: Store, shape: tuple[int, ...], found: Mapping[int, "xarray.Dataset"]) -> np.ndarray:
    statuses = np.full(shape, "missing", dtype="<U12")
    for cell in store.failed():
        statuses[store.cells[cell].place] = "failed"
    for cell, data in found.items():
        statuses[store.cells[cell].place] = data.attrs["status"]
    return statuses


def _coordinates(axes: Sequence[Axis]) -> dict[str, Any]:
    coordinates: dict[str, Any] = {}
    for axis in axes:
        for key, column in zip(axis.keys, zip(*axis.values, strict=True), strict=True):
            name = axis.name if key == axis.keys[0] else key.rpartition(".")[2]
            plain = [" x ".join(map(str, value)) if isinstance(value, tuple) else value for value in column]
            coordinates[name] = (axis.name, plain, {"key": key})
    return coordinates
