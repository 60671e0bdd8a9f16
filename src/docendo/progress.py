"""How far a long computation is, told to whoever waits: what runs, how far, how fast, time left.

A terminal gets a bar that redraws itself, anything else (a batch log, a file, a pipe) a plain line now and then and one
at the end, and nobody gets anything where it is off. All of it goes to standard error, so results can be piped.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from time import monotonic
from typing import Protocol

from rich import progress as bars
from rich.console import Console
from rich.table import Column
from rich.text import Text

__all__ = ["Progress", "progress_bar"]


class Progress(Protocol):
    """What a computation reports to."""

    def update(self, done: float) -> None:
        """Says how much is done, in the units of the total, counted from the beginning of the whole computation."""


@contextmanager
def progress_bar(
    description: str,
    total: float | None = None,
    enabled: bool = True,
    *,
    start: float = 0,
    unit: str = "steps",
    interval: float = 10.0,
) -> Iterator[Progress]:
    """Shows progress while the block runs. Bars may be nested, or follow one another.

    Args:
        description: What runs, in a few words.
        total: How much there is to do; None where nobody knows.
        enabled: Whether to show anything at all.
        start: What an earlier session had done already; the rate leaves it out.
        unit: What is counted.
        interval: Seconds between two lines where standard error is no terminal.
    """
    if not enabled or sys.stderr is None:
        yield _Silent()
    elif sys.stderr.isatty() and not _console().is_dumb_terminal:
        with bars.Progress(*_columns(unit), console=_console()) as display:
            yield _Bar(display, display.add_task(description, total=total, completed=int(start)))
    else:
        lines = _Lines(description, total, start, unit, interval)
        try:
            yield lines
        except BaseException:
            lines.say("stopped")
            raise
        lines.say("done" if lines.complete else "stopped")


class _Silent:
    def update(self, done: float) -> None:
        pass


class _Bar:
    def __init__(self, display: bars.Progress, task: bars.TaskID) -> None:
        self._display, self._task = display, task

    def update(self, done: float) -> None:
        self._display.update(self._task, completed=done)


class _Lines:
    def __init__(self, description: str, total: float | None, start: float, unit: str, interval: float) -> None:
        self._description, self._total, self._unit, self._interval = description, total, unit, interval
        self._start = self._done = start
        self._began = self._said = monotonic()

    def update(self, done: float) -> None:
        self._done = done
        if monotonic() - self._said >= self._interval:
            self.say()

    @property
    def complete(self) -> bool:
        return self._total is None or self._done >= self._total

    def say(self, ending: str = "") -> None:
        self._said = monotonic()
        took = self._said - self._began
        speed = (self._done - self._start) / took if took > 0 else None
        parts = [_fraction(self._done, self._total, self._unit), _rate(speed, self._unit)]
        parts.append(f"{ending} after {_clock(took)}" if ending else self._time_left(speed))
        print(f"{self._description}: {', '.join(filter(None, parts))}", file=sys.stderr, flush=True)

    def _time_left(self, speed: float | None) -> str:
        return f"{_clock((self._total - self._done) / speed)} left" if self._total is not None and speed else ""


class _Rate(bars.ProgressColumn):
    def __init__(self, unit: str) -> None:
        # on a narrow terminal the bar gives way, not the unit
        super().__init__(Column(no_wrap=True))
        self._unit = unit

    def render(self, task: bars.Task) -> Text:
        return Text(_rate(task.finished_speed or task.speed, self._unit), style="progress.data.speed")


def _columns(unit: str) -> list[bars.ProgressColumn]:
    return [
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        _Rate(unit),
        bars.TimeRemainingColumn(elapsed_when_finished=True),
    ]


@cache
def _console() -> Console:
    # rich can stack nested bars only on one console.
    return Console(stderr=True)


def _fraction(done: float, total: float | None, unit: str) -> str:
    if total is None:
        return f"{done:,.10g} {unit}"
    percent = f" ({100 * done / total:.0f} %)" if total > 0 else ""
    return f"{done:,.10g} of {total:,.10g} {unit}{percent}"


def _rate(speed: float | None, unit: str) -> str:
    if not speed:
        return ""
    return f"{speed:,.0f} {unit}/s" if speed >= 100 else f"{speed:.3g} {unit}/s"


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=max(0, round(seconds))))
