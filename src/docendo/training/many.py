"""Many runs of one shape as one program: `train_many` is `train` for a list of problems, by `jax.vmap`.

On a CPU a small step is mostly overhead, which a batch shares. A batch changes the last bits, and how wide it is
decides which: the width belongs to a result's provenance. A lane whose run goes wrong does not disturb the others;
that run is made once more alone, so that it ends with its first bad step as any run does.

Only dynamics that count steps and map over problems are batched: `is_batchable`.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from docendo.files import content_hash
from docendo.files.atomic import FilePath
from docendo.students.base import Student
from docendo.students.position_only import PositionOnly
from docendo.training.base import Dynamics, Measures, Problem, Reading, State
from docendo.training.checkpoint import Checkpoint
from docendo.training.dataset import Record
from docendo.training.gradient_descent import GradientDescent
from docendo.training.loop import Outcome, Pace, Position
from docendo.training.planning import Plan
from docendo.training.reduced import Reduced
from docendo.training.run import Run, finish, train
from docendo.training.status import DIVERGED_FACTOR, Status

__all__ = ["is_batchable", "train_many"]

CHECKPOINT_SECONDS = 5.0


class _Lanes(NamedTuple):
    """The problems of a batch as one: arrays stacked where they differ, with the axis they are stacked along."""

    dynamics: Dynamics
    problem: Problem
    dynamics_axes: Any
    problem_axes: Any


def is_batchable(dynamics: Dynamics) -> bool:
    """Whether `train_many` takes it."""
    return isinstance(dynamics, (GradientDescent, Reduced))


def train_many(
    plans: Sequence[Plan],
    *,
    checkpoint: FilePath | None = None,
    report: Callable[[Reading], None] = lambda at: None,
) -> list[Run]:
    """Train several problems of one shape at once.

    Args:
        plans: what `docendo.training.planning.plan` made, with the same kind of dynamics, shapes and saves; what
            differs is in their arrays.
        checkpoint: a folder, for all of them together.
        report: told the step after each piece.

    Returns:
        The runs in their order. Interrupted ones say so by their status, and the checkpoint goes on from there.

    Raises:
        ValueError: they do not fit together.
    """
    saves = plans[0].saves
    if any(each.saves != saves for each in plans):
        raise ValueError("runs of one batch have the same steps and saves. Run those that differ one by one.")
    moved = [_in_basis(each.dynamics, each.problem) for each in plans]
    lanes = _stack([each.dynamics for each in plans], moved)
    keep = _Keeper(checkpoint, [each.attributes["configuration"] for each in plans])
    reached = _follow(lanes, len(plans), saves, keep, report)
    return [_run(each, problem, lane, reached) for lane, (each, problem) in enumerate(zip(plans, moved, strict=True))]


class _Reached(NamedTuple):
    """Where a batch ended, as plain arrays with the lanes along their first axis."""

    position: Position
    bad: np.ndarray
    records: list[Record]
    interrupted: Status | None


def _run(planned: Plan, moved: Problem, lane: int, reached: _Reached) -> Run:
    """One lane's run; one that went wrong is made once more, alone."""
    at, state, first = reached.position
    if reached.bad[lane] and reached.interrupted is None:
        return _alone(planned)
    own = jax.tree.map(lambda leaf: jnp.asarray(leaf[lane]), state)
    record: list[Record] = [
        (at, {name: np.asarray(each[lane]) for name, each in values.items()}) for at, values in reached.records
    ]
    student = _from_basis(planned.problem, planned.dynamics.student(moved, own))
    return finish(planned, Outcome(Position(at, own, first[lane]), reached.interrupted), record, student)


def _alone(planned: Plan) -> Run:
    problem, saves = planned.problem, planned.saves
    return train(
        problem.teacher,
        problem.student,
        planned.dynamics,
        saves[-1],
        inputs=problem.inputs,
        test_inputs=problem.test_inputs,
        key=problem.key,
        save_at=saves,
    )


def _in_basis(dynamics: Dynamics, problem: Problem) -> Problem:
    """Descent with an orthonormal P is descent without: P is looked at here, where it is known."""
    student = problem.student
    if not (isinstance(dynamics, GradientDescent) and isinstance(student, PositionOnly)):
        return problem
    if student.positions is None or not student.trains_in_position_basis:
        return problem
    return problem._replace(student=student.in_position_basis())


def _from_basis(problem: Problem, trained: Student) -> Student:
    student = problem.student
    if isinstance(student, PositionOnly) and student.positions is not None and isinstance(trained, PositionOnly):
        return student.from_position_basis(trained) if trained.positions is None else trained
    return trained


def _stack(dynamics: Sequence[Dynamics], problems: Sequence[Problem]) -> _Lanes:
    parts = [(each, problem) for each, problem in zip(dynamics, problems, strict=True)]
    arrays, fixed = zip(*(eqx.partition(part, eqx.is_array) for part in parts), strict=True)
    if any(not eqx.tree_equal(fixed[0], other) for other in fixed[1:]) or len({_shapes(each) for each in arrays}) > 1:
        raise ValueError("runs of one batch have the same shapes and kinds of dynamics. Run those that differ apart.")
    columns = zip(*(jax.tree.leaves(each) for each in arrays), strict=True)
    stacked = [_column(column) for column in columns]
    structure = jax.tree.structure(arrays[0])
    values = eqx.combine(jax.tree.unflatten(structure, [value for value, _ in stacked]), fixed[0])
    axes = jax.tree.unflatten(structure, [_Axis(axis) for _, axis in stacked])
    plain = jax.tree.map(lambda axis: axis.at, axes, is_leaf=lambda leaf: isinstance(leaf, _Axis))
    return _Lanes(values[0], values[1], plain[0], plain[1])


class _Axis(NamedTuple):
    """0 or None, as a leaf."""

    at: int | None


def _column(column: Sequence[Any]) -> tuple[Any, int | None]:
    first = column[0]
    if jnp.issubdtype(first.dtype, jax.dtypes.prng_key):
        return jnp.stack(column), 0
    same = all(each is first or np.array_equal(each, first, equal_nan=True) for each in column[1:])
    return (first, None) if same else (jnp.stack([jnp.asarray(each) for each in column]), 0)


def _shapes(arrays: Any) -> tuple[Any, ...]:
    leaves, structure = jax.tree.flatten(arrays)
    return (structure, *((leaf.shape, str(leaf.dtype)) for leaf in leaves))


class _Mapped:
    """A dynamics' own functions, over all lanes, each compiled once."""

    def __init__(self, lanes: _Lanes) -> None:
        self._lanes = lanes

    def start(self) -> State:
        return _start(self._lanes)

    def advance(self, state: State, steps: int) -> State:
        return _advance(self._lanes, state, jnp.asarray(steps))

    def loss(self, state: State) -> np.ndarray:
        return np.asarray(_loss(self._lanes, state))

    def measure(self, state: State, at: Reading) -> Measures:
        return _measure(self._lanes, state, jnp.asarray(at, dtype=float))


def _over(lanes: _Lanes, function: Callable[..., Any], *states: State) -> Any:
    axes = (lanes.dynamics_axes, lanes.problem_axes, *(0 for _ in states))
    return eqx.filter_vmap(function, in_axes=axes)(lanes.dynamics, lanes.problem, *states)


@eqx.filter_jit
def _start(lanes: _Lanes) -> State:
    return _over(lanes, lambda dynamics, problem: dynamics.start(problem))


@eqx.filter_jit
def _advance(lanes: _Lanes, state: State, steps: Array) -> State:
    return _over(lanes, lambda dynamics, problem, own: dynamics.advance(problem, own, 0, steps), state)


@eqx.filter_jit
def _loss(lanes: _Lanes, state: State) -> Array:
    return _over(lanes, lambda dynamics, problem, own: dynamics.loss(problem, own), state)


@eqx.filter_jit
def _measure(lanes: _Lanes, state: State, at: Array) -> Measures:
    return _over(lanes, lambda dynamics, problem, own: dynamics.measure(problem, own, at), state)


def _follow(
    lanes: _Lanes, count: int, saves: Sequence[Reading], keep: "_Keeper", report: Callable[[Reading], None]
) -> _Reached:
    """From save to save; whether a lane has gone wrong is asked at saves only, so that no timing decides it."""
    mapped, pace = _Mapped(lanes), Pace(counts=True)
    position, records = keep.load(lambda: _beginning(mapped, count))
    at, (state, bad), first = position
    stopped = None
    try:
        for save in saves:
            if save < at or (records and records[-1][0] == save):
                continue
            while at < save:
                end, began = pace.end(at, save), monotonic()
                state = jax.block_until_ready(mapped.advance(state, int(end - at)))
                pace.learn(end - at, monotonic() - began)
                at = end
                report(at)
                keep.save(Position(at, (state, bad), first), records)
            bad = bad | _gone_wrong(mapped, state, np.asarray(first))
            records.append((save, jax.tree.map(np.asarray, mapped.measure(state, save))))
            if bad.all():
                break
    except KeyboardInterrupt:
        stopped = Status("interrupted", f"stopped from outside at step {int(at)}", at)
        keep.save(Position(at, (state, bad), first), records, now=True)
    return _Reached(Position(at, jax.tree.map(np.asarray, state), first), bad, records, stopped)


def _beginning(mapped: _Mapped, count: int) -> Position:
    state = mapped.start()
    return Position(0, (state, np.zeros(count, dtype=bool)), mapped.loss(state).tolist())


def _gone_wrong(mapped: _Mapped, state: State, first: np.ndarray) -> np.ndarray:
    loss = mapped.loss(state)
    finite = [np.isfinite(leaf).reshape(len(leaf), -1).all(1) for leaf in map(np.asarray, jax.tree.leaves(state))]
    return ~(np.isfinite(loss) & np.all(finite, axis=0)) | (loss > DIVERGED_FACTOR * first)


class _Keeper:
    """The checkpoint of a batch, if it has one."""

    def __init__(self, folder: FilePath | None, configurations: Sequence[str]) -> None:
        self._checkpoint = None if folder is None else Checkpoint(folder, content_hash(list(configurations)))
        self._kept = monotonic()

    def load(self, beginning: Callable[[], Position]) -> tuple[Position, list[Record]]:
        start = beginning()
        saved = None if self._checkpoint is None else self._checkpoint.load(start.state)
        if saved is None:
            return start, []
        position, records = saved
        state, bad = position.state
        return position._replace(state=(state, np.asarray(bad))), records

    def save(self, position: Position, records: Sequence[Record], now: bool = False) -> None:
        if self._checkpoint is not None and (now or monotonic() - self._kept > CHECKPOINT_SECONDS):
            self._checkpoint.save(position, records)
            self._kept = monotonic()
