"""How a run ended, and the rules by which it is told.

- `completed`: every step was made.
- `stalled`: every step was made, but over the last decade of steps the excess loss went up and down, or did not move
  although it is still large.
- `diverged`: the loss rose to a thousand times its start; `non_finite`: a number stopped being finite. Both name the
  first step at which it is so; the record ends with the last step before.
- `interrupted`: stopped from outside (Ctrl-C); the record holds what was reached.
"""

from typing import Literal, NamedTuple

import numpy as np

__all__ = ["DIVERGED_FACTOR", "Flatness", "Status", "StatusName", "judge_end"]

StatusName = Literal["completed", "stalled", "diverged", "non_finite", "interrupted"]

DIVERGED_FACTOR = 1e3
FLAT = 1e-2
LARGE = 1e-3
FEWEST_SAVES = 5
ROUNDING_FLOOR = 1e-24


class Status(str):
    """One of the names above, with a `message` for people and the step (or time) `at` which it happened."""

    message: str
    at: int | float

    def __new__(cls, name: StatusName, message: str, at: int | float) -> "Status":
        status = super().__new__(cls, name)
        status.message = message
        status.at = at
        return status

    def __repr__(self) -> str:
        return f"{self!s}: {self.message}"


class Flatness(NamedTuple):
    """What the last decade of a curve looks like."""

    oscillates: bool
    flat: bool


def judge_end(clock: np.ndarray, loss: np.ndarray) -> Flatness:
    """Whether a recorded curve ends oscillating, or flat at a large loss.

    Args:
        clock: the saves, increasing.
        loss: the exact excess loss at each.
    """
    late = clock >= clock[-1] / 10
    scale = np.nanmax(loss)
    curve = loss[late]
    if late.sum() < FEWEST_SAVES or not scale > 0:
        return Flatness(False, False)
    rises = np.diff(curve) > 1e-9 * curve[:-1]
    oscillates = bool(rises.any()) and curve[-1] > ROUNDING_FLOOR * scale
    flat = abs(curve[-1] / curve[0] - 1) < FLAT and curve[-1] > LARGE * scale
    return Flatness(oscillates, bool(flat))
