"""Workers on this machine: started afresh, watched, replaced when they die.

Each is a program of its own (`docendo.studies.worker`), so neither the caller's script nor JAX is ever forked or
imported twice.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import sleep

from docendo.studies.cells import Cell
from docendo.studies.claims import claimed_by
from docendo.studies.planning import Job, cell_bytes
from docendo.studies.store import Store

__all__ = ["Workers", "started", "suitable_number"]

POLL_SECONDS = 0.1
STOP_SECONDS = 30


class Workers:
    """Processes that wait to be told a study."""

    def __init__(self, number: int) -> None:
        self._workers = [_Worker() for _ in range(number)]

    def run(self, store: Store, jobs: Sequence[Job], look: Callable[[], None]) -> None:
        """Let them work until nothing is left.

        Args:
            store: where.
            jobs: which jobs.
            look: called a few times a second.

        Raises:
            OSError: a worker ended because results could not be written.
        """
        if not jobs:
            return
        task = json.dumps({"root": str(store.root.resolve()), "jobs": [job.index for job in jobs]}) + "\n"
        for worker in self._workers:
            worker.tell(task)
        while self._workers:
            for worker in [each for each in self._workers if each.process.poll() is not None]:
                self._workers.remove(worker)
                if worker.process.returncode != 0:
                    _bury(store, jobs, worker)
                    if any(store.open_cells(job) for job in jobs):
                        self._workers.append(_Worker())
                        self._workers[-1].tell(task)
            look()
            sleep(POLL_SECONDS)
        look()

    def stop(self) -> None:
        """End all of them; they keep the state of what they are at."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.stop()


@contextmanager
def started(number: int) -> Iterator[Workers]:
    """Workers while the block runs; they import what they need while the caller still plans."""
    workers = Workers(number)
    try:
        yield workers
    finally:
        workers.stop()


def suitable_number(wanted: int | None, cells: Sequence[Cell], jobs: Sequence[Job]) -> int:
    """How many workers: one per core if nothing is wanted, and no more than memory and jobs allow."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    largest = max(job.width * cell_bytes(cells[job.cells[0]].settings) for job in jobs)
    fits = max(1, int(_free_bytes() // (WORKER_BYTES + largest)))
    return max(1, min(wanted or cores, fits, len(jobs)))


WORKER_BYTES = 4 * 10**8


def _free_bytes() -> float:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return float("inf")


class _Worker:
    """One process, and what it says to nobody until it dies."""

    def __init__(self) -> None:
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with the worker)
        command = [sys.executable, "-m", "docendo.studies.worker"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=self._said, text=True)

    def tell(self, line: str) -> None:
        if self.process.stdin is None:
            return
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it is dead, and will be found so

    def said(self) -> str:
        self._said.seek(0)
        return self._said.read()

    def stop(self) -> None:
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _bury(store: Store, jobs: Sequence[Job], worker: _Worker) -> None:
    """A worker that died without a word counts as a failure of what it was at."""
    code, said = worker.process.returncode, worker.said().strip()
    at = claimed_by(store.root, worker.process.pid)
    if code == 1 and not at:
        raise OSError(said.splitlines()[-1] if said else "a worker could not work, and did not say why")
    for job in jobs:
        name = store.claim_name(job)
        if name in at:
            for cell in store.open_cells(job):
                store.fail(cell, f"its process ended with exit code {code}", said)
            (store.root / "running" / f"{name}.json").unlink(missing_ok=True)
