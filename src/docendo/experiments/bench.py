"""Where an experiment trains: every run checkpointed, watched, and stopped where it went wrong."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from docendo.randomness import as_key, stream
from docendo.sinks import Sink
from docendo.steps import LogSpaced, log_spaced
from docendo.students.base import Student
from docendo.teachers.base import Teacher
from docendo.training import Run, train
from docendo.training.base import Dynamics

__all__ = ["Bench"]


def _tell_nobody(done: float) -> None:
    pass


class Bench:
    """What an experiment works with.

    Args:
        seed: what all of its randomness comes from.
        digits: where handwritten digits come from, as `docendo.experiments.digits.load_digits` takes it.
        folder: where checkpoints go; None keeps none.
        report: told how much of the experiment is done, from 0 to 1.
    """

    def __init__(
        self,
        seed: int,
        digits: str | None = None,
        folder: Path | None = None,
        report: Callable[[float], None] = _tell_nobody,
    ):
        self.seed, self.digits = seed, digits
        self._folder, self._report = folder, report
        self._done = 0.0

    def key(self, use: str) -> Any:
        """The stream of randomness for one use."""
        return stream(as_key(self.seed), use)

    def train(
        self,
        part: str,
        share: float,
        teacher: Teacher,
        student: Student,
        dynamics: Dynamics,
        *,
        steps: int | None = None,
        time: float | None = None,
        saves: int,
        **options: Any,
    ) -> Run:
        """Train, as `docendo.train` does, with log-spaced saves.

        Args:
            part: a name of this run within the experiment.
            share: about which part of the experiment's work it is.
            teacher: f*.
            student: the start.
            dynamics: how it moves.
            steps: how many steps, for dynamics that count them.
            time: ηT at the end, for the flow.
            saves: how many saves.
            options: passed on.

        Raises:
            RuntimeError: the run diverged or met a number that is not finite; the message is its status.
            KeyboardInterrupt: it was stopped from outside.
        """
        first = 1 if time is None else min(1e-2, time)
        spaced: LogSpaced = log_spaced(saves, first=first)
        watch = _Watch(self._advanced(share), saves if steps is None else steps)
        folder = None if self._folder is None else self._folder / part
        where: Mapping[str, Any] = {"save_at": spaced, "checkpoint": folder, "sink": watch}
        run = train(teacher, student, dynamics, steps, time=time, **where, **options)
        if run.status == "interrupted":
            raise KeyboardInterrupt
        if run.status in ("diverged", "non_finite"):
            raise RuntimeError(f"the {part} run of {dynamics!r} ended: {run.status.message}")
        self.spend(share)
        return run

    def spend(self, share: float) -> None:
        """Report that this share of the experiment's work is done."""
        self._done += share
        self._report(min(self._done, 1.0))

    def _advanced(self, share: float) -> Callable[[float], None]:
        begun = self._done
        return lambda fraction: self._report(min(begun + share * fraction, 1.0))


class _Watch(Sink):
    """Hears of every save, and passes on how far the run is."""

    def __init__(self, advanced: Callable[[float], None], end: int):
        self._advanced, self._end = advanced, end

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        self._advanced(min(step / self._end, 1.0))

    def close(self) -> None:
        """Nothing is open."""
