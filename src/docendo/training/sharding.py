"""One run over several devices, each of which holds some columns of S and all that belongs to them.

Column i of S meets column i of S* and of W_KQ and no other: a device that holds a share of the columns needs nothing
from the rest but sums over all columns, M numbers a step for the rows of W_V and a few more for what is recorded.
Arrays that have such columns are laid out by them, all others are whole on every device, and XLA makes the program of
each device from that (`jax.sharding`). What a sum over all columns is added up from depends on how many devices there
are, and with it the last bits of a run: that number belongs to its configuration.

A matrix P keeps columns together less well. An orthonormal one is met at the start and wherever the student is
recorded, any other one in every step, and each time a whole D × D array passes through every device.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeVar

import equinox as eqx
import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from docendo.checks import check_count
from docendo.inputs import Inputs
from docendo.students.base import PositionStudent, Student
from docendo.students.position_only import PositionOnly
from docendo.students.symmetric import SymmetricStudent
from docendo.teachers.base import Teacher
from docendo.training.base import Dynamics, State
from docendo.training.gradient_descent import GradientDescent
from docendo.training.online import Online

__all__ = ["Devices", "shards", "spread", "spread_state"]

Devices = int | Literal["all"] | Sequence[jax.Device]
Nouns = tuple[Any, Student | None, Inputs | None, Inputs | None]

SPLIT: Final = frozenset({"key_query", "positions", "scores"})
"""The fields whose last axis runs over the columns of S."""

_AXIS = "columns"
_Tree = TypeVar("_Tree")


def spread(
    devices: Devices | None,
    dynamics: Dynamics,
    teacher: Any,
    student: Student | None,
    inputs: Inputs | None,
    test_inputs: Inputs | None,
) -> Nouns:
    """The nouns of a run, laid out over devices; a start that is left out is made where it belongs.

    Args:
        devices: "all", how many of them, or which; None leaves everything as it is.
        dynamics: how the run moves.
        teacher: f*.
        student: the start; None for W_V = 0 and W_KQ = 0.
        inputs: the law trained on, whole on every device.
        test_inputs: the law tested on, likewise.

    Raises:
        ValueError: the devices are not there, can't share the columns evenly, or the run has no columns to share.
    """
    if devices is None:
        return teacher, student, inputs, test_inputs
    _check_columns(dynamics, teacher, student)
    mesh = Mesh(np.array(_chosen(devices)), (_AXIS,), axis_types=(AxisType.Auto,))
    teacher = _placed(teacher, mesh)
    start = _zeros(teacher) if student is None else _placed(student, mesh)
    return teacher, start, _placed(inputs, mesh), _placed(test_inputs, mesh)


def spread_state(state: State, teacher: Any) -> State:
    """A state laid out as its teacher is, wherever it was read or computed; as it is where the teacher is not."""
    mesh = _mesh(teacher)
    return state if mesh is None else _placed(state, mesh)


def shards(teacher: Any) -> int:
    """Over how many devices the columns are spread."""
    mesh = _mesh(teacher)
    return 1 if mesh is None else int(mesh.size)


def _mesh(teacher: Any) -> Mesh | None:
    mesh = getattr(getattr(teacher.scores, "sharding", None), "mesh", None) if isinstance(teacher, Teacher) else None
    return mesh if isinstance(mesh, Mesh) and mesh.axis_names == (_AXIS,) else None


def _check_columns(dynamics: Dynamics, teacher: Any, student: Student | None) -> None:
    columns = student is None or (isinstance(student, PositionStudent) and not isinstance(student, SymmetricStudent))
    if not (isinstance(dynamics, GradientDescent | Online) and isinstance(teacher, Teacher) and columns):
        raise ValueError(
            f"devices= spreads the columns of S, for dc.GradientDescent or dc.Online of a student with position-only "
            f"attention on a dc.Teacher; got {dynamics!r} of {student!r} on {teacher!r}. Leave devices= out."
        )


def _chosen(devices: Devices) -> list[jax.Device]:
    there = jax.devices()
    if isinstance(devices, str):
        if devices != "all":
            raise ValueError(f'devices is "all", a number or a list of jax.devices(), got {devices!r}. Try "all".')
        return there
    if not isinstance(devices, Sequence):
        count = check_count("devices", devices)
        if count > len(there):
            raise ValueError(f"devices={count} are more than the {len(there)} there are. Pass devices={len(there)}.")
        return there[:count]
    if not devices or len(set(devices)) < len(devices) or not all(isinstance(each, jax.Device) for each in devices):
        raise ValueError(f"devices must be different devices, at least one, got {devices!r}. Try jax.devices()[:1].")
    return list(devices)


def _zeros(teacher: Teacher) -> PositionOnly:
    """The paper's start, W_KQ spread from the beginning: whole it might not fit."""
    layout = teacher.scores.sharding
    key_query = jax.numpy.zeros(teacher.scores.shape, device=layout)
    return PositionOnly(jax.numpy.zeros_like(teacher.value), key_query, activation=teacher.activation)


def _placed(tree: _Tree, mesh: Mesh) -> _Tree:
    """The tree with every array on the mesh, by columns or whole."""

    def place(path: Any, leaf: Any) -> Any:
        if not eqx.is_array(leaf):
            return leaf
        name = jax.tree_util.keystr(path[-1:], simple=True)
        parts = [*[None] * (leaf.ndim - 1), _AXIS] if name in SPLIT else []
        if name in SPLIT:
            _check_even(name, leaf.shape[-1], mesh.size)
        return jax.device_put(leaf, NamedSharding(mesh, PartitionSpec(*parts)))

    return jax.tree_util.tree_map_with_path(place, tree)


def _check_even(name: str, columns: int, count: int) -> None:
    if columns % count:
        fitting = max(size for size in range(1, count) if columns % size == 0)
        raise ValueError(
            f"{count} devices must share the columns of {name} evenly, and {columns} is no multiple of {count}. "
            f"Pass devices={fitting}."
        )
