"""The loop that every kind of dynamics runs in.

It goes from save to save in pieces of about half a second, so that progress shows, Ctrl-C acts and checkpoints are
written in the middle of long stretches. After each piece it looks whether the state is finite and the loss has not
exploded; where it has, it finds the first bad step by bisection, which costs at most as much as the piece.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from docendo.training.base import Dynamics, Measures, Problem, Reading, State
from docendo.training.status import DIVERGED_FACTOR, Status, StatusName

__all__ = ["Outcome", "Pace", "Position", "follow"]

PIECE_SECONDS = 0.5


class Position(NamedTuple):
    """Where a run stands: the clock's reading, the state there, and the loss at the start, of a batch for each lane."""

    at: Reading
    state: State
    first_loss: Any


class Outcome(NamedTuple):
    """Where a run ended, and why if it was not at its end."""

    position: Position
    trouble: Status | None


def follow(
    dynamics: Dynamics,
    problem: Problem,
    position: Position,
    saves: Sequence[Reading],
    record: Callable[[Position, Measures], None],
    report: Callable[[Position], None],
) -> Outcome:
    """Run from `position` through all saves beyond it.

    Args:
        dynamics: what moves.
        problem: what it is given.
        position: where to begin; a save at its own clock reading is recorded too.
        saves: increasing readings of the clock.
        record: called at each save with what was measured.
        report: called after each piece.
    """
    pace = Pace(dynamics.clock == "steps")
    try:
        for save in saves:
            if save < position.at:
                continue
            while position.at < save:
                end = pace.end(position.at, save)
                began = monotonic()
                state = jax.block_until_ready(dynamics.advance(problem, position.state, position.at, end))
                if _is_bad(dynamics, problem, state, position.first_loss):
                    return _locate(dynamics, problem, position, end, record)
                pace.learn(end - position.at, monotonic() - began)
                position = position._replace(at=end, state=state)
                report(position)
            record(position, dynamics.measure(problem, position.state, position.at))
    except KeyboardInterrupt:
        return Outcome(
            position, Status("interrupted", f"stopped from outside at {_name(dynamics, position.at)}", position.at)
        )
    return Outcome(position, None)


class Pace:
    """How many steps make a piece, learnt from how long the last ones took. A flow goes from save to save."""

    def __init__(self, counts: bool) -> None:
        self._counts = counts
        self._piece = 16

    def end(self, at: Reading, save: Reading) -> Reading:
        return min(at + self._piece, save) if self._counts else save

    def learn(self, steps: Reading, seconds: float) -> None:
        if steps >= self._piece and seconds < PIECE_SECONDS / 2:
            self._piece *= 4 if seconds < PIECE_SECONDS / 8 else 2
        elif seconds > 2 * PIECE_SECONDS:
            self._piece = max(1, self._piece // 2)


def _is_bad(dynamics: Dynamics, problem: Problem, state: State, first_loss: float) -> bool:
    return _verdict(dynamics, problem, state, first_loss) is not None


def _verdict(dynamics: Dynamics, problem: Problem, state: State, first_loss: float) -> StatusName | None:
    loss = float(dynamics.loss(problem, state))
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(state) if jnp.issubdtype(leaf.dtype, jnp.inexact)]
    if not np.isfinite(loss) or not all(np.isfinite(leaf).all() for leaf in leaves):
        return "non_finite"
    return "diverged" if loss > DIVERGED_FACTOR * first_loss else None


def _locate(
    dynamics: Dynamics,
    problem: Problem,
    position: Position,
    end: Reading,
    record: Callable[[Position, Measures], None],
) -> Outcome:
    """The first bad step within a piece, by bisection; the last good one is recorded."""
    bad = dynamics.advance(problem, position.state, position.at, end)
    while dynamics.clock == "steps" and end - position.at > 1:
        middle = position.at + (end - position.at) // 2
        state = dynamics.advance(problem, position.state, position.at, middle)
        if _is_bad(dynamics, problem, state, position.first_loss):
            end, bad = middle, state
        else:
            position = position._replace(at=middle, state=state)
    record(position, dynamics.measure(problem, position.state, position.at))
    name = _verdict(dynamics, problem, bad, position.first_loss) or "non_finite"
    what = "the loss is a thousand times its start" if name == "diverged" else "a number is not finite"
    message = f"{what} at {_name(dynamics, end)}; {dynamics.advice(problem)}"
    return Outcome(position, Status(name, message, end))


def _name(dynamics: Dynamics, at: Reading) -> str:
    return f"step {int(at)}" if dynamics.clock == "steps" else f"time {at:.6g}"
