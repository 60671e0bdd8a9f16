"""When a run is recorded: explicit steps, or log-spaced ones.

How a curve is sampled (`save_at`) and where it stops (`steps` or `time`) are separate settings; the last point is
always recorded, so two curves of one length end at the same place.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["LogSpaced", "SaveAt", "log_spaced", "resolve_steps", "resolve_times"]


@dataclass(frozen=True)
class LogSpaced:
    """`n` points spaced evenly in the logarithm from `first` to the end of the run."""

    n: int
    first: float = 1


SaveAt = LogSpaced | Sequence[int | float] | np.ndarray


def log_spaced(n: int, first: float = 1) -> LogSpaced:
    """Ask for about `n` saves, evenly spaced in the logarithm.

    Args:
        n: number of points, at least 2. For step counts the points are rounded to integers and repeated ones
            are dropped, so early decades hold fewer.
        first: the first step (or time ηT) recorded, positive.

    Raises:
        ValueError: n < 2, or `first` is not positive and finite.
    """
    if not isinstance(n, (int, np.integer)) or isinstance(n, bool) or n < 2:
        raise ValueError(f"log_spaced needs at least 2 points, got n={n!r}. For example: dc.log_spaced(200).")
    if not (isinstance(first, (int, float, np.number)) and math.isfinite(first) and first > 0):
        raise ValueError(f"log_spaced needs a positive finite first point, got first={first!r}. Use first=1.")
    return LogSpaced(n, first)


def resolve_steps(save_at: SaveAt, last: int) -> list[int]:
    """The increasing list of steps to record for a run of `last` steps; `last` is always in it, each once."""
    if isinstance(save_at, LogSpaced):  # of a run of no steps, step 1 is not one
        first = min(max(1, round(save_at.first)), max(last, 1))
        points = np.rint(np.geomspace(first, max(last, 1), save_at.n)).astype(int)
    else:
        points = _points(save_at, last, "steps")
    return sorted({int(point) for point in points if point <= last} | {last})


def resolve_times(save_at: SaveAt, last: float) -> list[float]:
    """The increasing list of times ηT to record for a flow that ends at `last`; `last` is always in it."""
    if isinstance(save_at, LogSpaced):
        points = np.geomspace(min(float(save_at.first), last), last, save_at.n)
        points[-1] = last
    else:
        points = _points(save_at, last, "time")
    return sorted({float(point) for point in points} | {float(last)})


def _points(save_at: object, last: float, along: str) -> np.ndarray:
    """The points of a list, each at most `last`; `along` is the argument of `train` that says where a run ends."""
    kind = "whole steps" if along == "steps" else "times"
    listed = isinstance(save_at, Iterable) and not isinstance(save_at, (str, bytes))
    points = np.asarray(list(save_at) if listed else save_at)  # type: ignore[call-overload]
    if points.ndim != 1 or (points.size and points.dtype.kind not in "iuf"):
        raise ValueError(
            f"save_at is a list of {kind} or dc.log_spaced(n), got {save_at!r}. For example: save_at=[0, 1, 10, 100]."
        )
    points = points.astype(float)
    bad = points[~np.isfinite(points) | (points < 0)]
    if along == "steps" and not bad.size:
        bad = points[points != np.rint(points)]
    if bad.size:
        raise ValueError(
            f"save_at holds non-negative finite {kind}, got {bad[0]:g}. For example: save_at=[0, 1, 10, 100]."
        )
    if points.size and points.max() > last:
        raise ValueError(
            f"save_at must not go beyond the end of the run, got {points.max():g} with {along}={last:g}. "
            f"Train longer, {along}={points.max():g}, or take save_at=dc.log_spaced({max(2, points.size)})."
        )
    return points
