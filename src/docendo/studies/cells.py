"""The cells of a study: one for each combination of the axes' values, in one order, always the same.

Axes vary in the order of the file, the last one fastest; axes that are zipped walk together, at the place of the first.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from docendo.files import content_hash
from docendo.studies.reading import set_value
from docendo.studies.schema import Range, Seeds, Settings, StudyFile

__all__ = ["Axis", "Cell", "axes_of", "cells_of"]

MOST_CELLS = 10**6
# The dimensions and coordinates of a run.
RESERVED = frozenset(["step", "time", "save", "status"])


@dataclass(frozen=True)
class Axis:
    """One dimension of a study.

    Attributes:
        name: of the dimension: the last part of its first key, or the whole key where two would share it.
        keys: which keys it varies.
        values: for each point the values of these keys.
    """

    name: str
    keys: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Cell:
    """One run of a study.

    Attributes:
        index: its place in the study.
        place: its place along every axis.
        settings: everything that determines the run.
    """

    index: int
    place: tuple[int, ...]
    settings: Settings

    def key(self, facts: Mapping[str, Any]) -> str:
        """The hash of all that determines the result, `facts` being those of the machine and the batch."""
        return content_hash(
            {"settings": self.settings.model_dump(mode="json", exclude_none=True), "facts": dict(facts)}
        )


def axes_of(study: StudyFile) -> list[Axis]:
    """The axes of a study, checked.

    Raises:
        ValueError: an axis is empty or has a value twice, zipped axes differ in length, or there are too many cells.
    """
    values = {key: _values(key, given) for key, given in study.sweep.axes.items()}
    groups = _groups(values, study.sweep.zipped)
    names = [group[0].rpartition(".")[2] for group in groups]
    axes = [
        Axis(
            name if names.count(name) == 1 else group[0],
            group,
            tuple(zip(*(values[key] for key in group), strict=True)),
        )
        for name, group in zip(names, groups, strict=True)
    ]
    cells = int(np.prod([len(axis.values) for axis in axes], dtype=float))
    if cells > MOST_CELLS:
        raise ValueError(f"a study has at most {MOST_CELLS:,} cells, this one {cells:,}. Sweep fewer values.")
    return axes


def cells_of(study: StudyFile) -> list[Cell]:
    """All cells.

    Raises:
        ValueError: as `axes_of`, or a value breaks its key's rule.
    """
    axes = axes_of(study)
    _check_values(study, axes)
    return list(_cells(study.settings, axes))


def _own_name(name: str, names: list[str], group: tuple[str, ...]) -> str:
    return name if names.count(name) == 1 and name not in RESERVED else group[0]


def _cells(settings: Settings, axes: list[Axis]) -> Iterator[Cell]:
    places = product(*(range(len(axis.values)) for axis in axes))
    for index, place in enumerate(places):
        changes = {
            key: value
            for axis, at in zip(axes, place, strict=True)
            for key, value in zip(axis.keys, axis.values[at], strict=True)
        }
        yield Cell(index, place, _changed(settings, changes))


def _changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Settings with checked values in place; pydantic would check all of them anew, ten times slower."""
    for key, value in changes.items():
        section, _, name = key.rpartition(".")
        inner = getattr(settings, section).model_copy(update={name: value}) if section else value
        settings = settings.model_copy(update={section or name: inner})
    return settings


def _check_values(study: StudyFile, axes: list[Axis]) -> None:
    for axis in axes:
        for values in axis.values:
            set_value(study.settings, dict(zip(axis.keys, values, strict=True)), f"[sweep] {', '.join(axis.keys)}")


def _values(key: str, given: Any) -> tuple[Any, ...]:
    values = _expanded(key, given)
    if not values:
        raise ValueError(f"[sweep] {key} is empty: an axis has at least one value. For example {key} = [1, 2].")
    if len(set(values)) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise ValueError(f"[sweep] {key} has the value {twice!r} twice. Leave one out.")
    return values


def _expanded(key: str, given: Any) -> tuple[Any, ...]:
    if isinstance(given, Seeds):
        return tuple(range(given.first, given.first + given.count))
    if not isinstance(given, Range):
        return tuple(given)
    if given.spacing == "log" and not min(given.start, given.stop) > 0:
        raise ValueError(f"[sweep] {key}: a log range has positive ends, got {given.start:g} and {given.stop:g}.")
    points = (np.geomspace if given.spacing == "log" else np.linspace)(given.start, given.stop, given.count)
    if key in _WHOLE:
        points = np.unique(np.rint(points).astype(int))
    return tuple(points.tolist())


_WHOLE = frozenset(
    ["seed", "teacher.seed", "dynamics.steps", "dynamics.batch_size", "saves.count", "teacher.group"]
    + [f"teacher.{name}" for name in ("tokens", "sparsity", "features", "channels")]
)


def _groups(values: Mapping[str, tuple[Any, ...]], zipped: tuple[tuple[str, ...], ...]) -> list[tuple[str, ...]]:
    """The keys of each dimension."""
    together = {}
    for group in zipped:
        for key in group:
            if key not in values or key in together:
                what = "is zipped twice" if key in together else "is zipped, but is no axis"
                raise ValueError(f"[sweep] {key} {what}. Axes: {', '.join(values) or 'none'}.")
            together[key] = group
        lengths = {key: len(values[key]) for key in group}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{key} {length}" for key, length in lengths.items())
            raise ValueError(f"zipped axes walk together and need equally many values, got {told}.")
    return list(dict.fromkeys(together.get(key, (key,)) for key in values))
