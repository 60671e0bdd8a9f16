"""Interleaved timing: contenders take turns, so that what else the machine does hits all alike.

A turn is a slice of about the same length for each; a ratio is taken within one round of turns, and reported as the
median over rounds with the quartiles as its spread. Time is the processor time of this process, all threads together:
on a core of its own that is the time on the clock, and on a shared core it leaves out what others used.
"""

from collections.abc import Sequence
from time import process_time
from typing import NamedTuple, Protocol

import numpy as np


class Contender(Protocol):
    """Something that makes steps."""

    name: str

    def run(self, steps: int) -> None:
        """Make steps, and return when they are made."""


class Spread(NamedTuple):
    """A median and the quartiles around it."""

    median: float
    lower: float
    upper: float


def interleaved(contenders: Sequence[Contender], rounds: int, slice_seconds: float) -> dict[str, np.ndarray]:
    """Microseconds per step of each contender, one number a round."""
    counts = {each.name: _steps_in(each, slice_seconds) for each in contenders}
    times: dict[str, list[float]] = {each.name: [] for each in contenders}
    for _ in range(rounds):
        for each in contenders:
            times[each.name].append(1e6 * _seconds(each, counts[each.name]) / counts[each.name])
    return {name: np.array(found) for name, found in times.items()}


def spread(samples: np.ndarray) -> Spread:
    """The median and the quartiles."""
    lower, median, upper = (float(number) for number in np.quantile(samples, [0.25, 0.5, 0.75]))
    return Spread(median, lower, upper)


def _steps_in(contender: Contender, slice_seconds: float) -> int:
    """How many steps fill a slice; the first, uncounted call compiles or warms up."""
    contender.run(1)
    steps = 1
    while (seconds := _seconds(contender, steps)) < slice_seconds / 4:
        steps *= 4
    return max(1, round(steps * slice_seconds / seconds))


def _seconds(contender: Contender, steps: int) -> float:
    began = process_time()
    contender.run(steps)
    return process_time() - began
