"""How far a study is, seen from outside: nothing is run, nothing is written, no JAX."""

from dataclasses import dataclass
from time import time

from docendo.studies.claims import is_claimed
from docendo.studies.store import Store

__all__ = ["State", "state_of"]

RECENT_SECONDS = 600.0


@dataclass(frozen=True)
class State:
    """Counts of cells, and about how many seconds are left where that can be told.

    Attributes:
        cells: all of them.
        done: with a result.
        running: in jobs that somebody is at.
        failed: that could not be run.
        left: neither of these.
        seconds_left: from the rate of the last ten minutes; None where nothing runs, or nothing is done yet.
    """

    cells: int
    done: int
    running: int
    failed: int
    left: int
    seconds_left: float | None


def state_of(store: Store) -> State:
    """Count."""
    done, failed = store.finished(), store.failed()
    waiting = [[cell for cell in job.cells if cell not in done and cell not in failed] for job in store.jobs]
    running = sum(
        len(cells)
        for cells, job in zip(waiting, store.jobs, strict=True)
        if cells and is_claimed(store.root, store.claim_name(job))
    )
    left = sum(map(len, waiting)) - running
    seconds = _rate_left(store, running + left) if running else None
    return State(len(store.cells), len(done), running, len(failed), left, seconds)


def _rate_left(store: Store, missing: int) -> float | None:
    now = time()
    written = [path.stat().st_mtime for path in (store.root / "cells").glob("*/*.npz")]
    recent = sorted(moment for moment in written if now - moment < RECENT_SECONDS)
    if len(recent) < 2 or now == recent[0]:
        return None
    return missing * (now - recent[0]) / len(recent)
