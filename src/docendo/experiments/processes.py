"""Processes that work off short experiments one after the other, so that JAX is imported once for several of them.

A process that has worked for longer is not given another job: two seconds of imports are nothing then, and the memory
that its allocator keeps is.

Each is started afresh (never forked: JAX does not survive that), is deaf to Ctrl-C, which a terminal sends to all and
its parent answers for them, and ends when it is given no more or when its parent has died.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from time import monotonic

from docendo.experiments.worker import Job, serve

__all__ = ["Process", "wait_for_any"]

LONG_SECONDS = 20


class Process:
    """One process, and the job it is at."""

    def __init__(self, job: Job) -> None:
        context = get_context("spawn")
        self._share = context.Value("d", 0.0)
        self._jobs, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, self._share))
        with _deaf_to_ctrl_c():
            self._process.start()
        theirs.close()
        self.give(job)

    def give(self, job: Job) -> None:
        """The next job, after `has_ended` has said that the last one is over."""
        self.job = job
        self._began = monotonic()
        self._share.value = 0.0
        self._jobs.send(job)

    @property
    def share(self) -> float:
        """How much of the job is done, from 0 to 1."""
        return self._share.value

    @property
    def connection(self) -> Connection:
        """Readable once the job is over, or the process is dead."""
        return self._jobs

    def has_ended(self) -> bool:
        """Whether the job is over; asked once, it is forgotten."""
        if not self._jobs.poll():
            return False
        try:
            self._jobs.recv()
        except (EOFError, OSError):
            self._process.join()
        return True

    @property
    def exit_code(self) -> int | None:
        """None for one that is alive."""
        return self._process.exitcode

    @property
    def takes_more(self) -> bool:
        """Whether it can take another job, and should."""
        return self._process.is_alive() and monotonic() - self._began < LONG_SECONDS

    def dismiss(self) -> None:
        """No more jobs."""
        self._jobs.close()
        self._process.join()

    def terminate(self) -> None:
        """End it, whatever it is at; `dismiss` waits for that."""
        self._process.terminate()


def wait_for_any(processes: list[Process], seconds: float) -> None:
    """Return when a job of these is over, or after some seconds."""
    wait([each.connection for each in processes], timeout=seconds)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started inside inherit that they ignore it. Only the main thread may set this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
