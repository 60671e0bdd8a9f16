"""One job of a study: its cells are made, trained, together or alone, and stored one by one."""

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from docendo.studies.claims import claim
from docendo.studies.making import make
from docendo.studies.planning import Job
from docendo.studies.store import Store, open_store
from docendo.training import Run, train
from docendo.training.many import train_many
from docendo.training.packing import pack
from docendo.training.planning import Plan, plan

__all__ = ["claim_and_run", "run_job"]

Report = Callable[[float], None]


def claim_and_run(root: str, index: int) -> bool:
    """A job by its place, for executors: everything it needs is in the folder.

    Returns:
        Whether the job is over: it was run here, or others had done it before.
    """
    store = open_store(Path(root))
    job = store.jobs[index]
    with claim(store.root, store.claim_name(job)) as mine:
        if mine:
            run_job(store, job)
    return not store.open_cells(job)


def run_job(store: Store, job: Job) -> None:
    """Run what is open of a job; a cell that fails is kept with its error, and stops no other.

    Raises:
        KeyboardInterrupt: it was stopped from outside. Its state is kept.
    """
    while cells := store.open_cells(job):
        if job.width == 1:
            _run_alone(store, job, cells[0])
        else:
            _run_together(store, job, cells)
    store.drop_checkpoints(job)


def _run_alone(store: Store, job: Job, cell: int) -> None:
    with _Failing(store, [cell]):
        began = monotonic()
        recipe = make(store.cells[cell].settings)
        run = train(**recipe._asdict(), checkpoint=store.checkpoints(job))
        _keep(store, cell, run, {"width": 1, "cells": [cell]}, monotonic() - began)


def _run_together(store: Store, job: Job, cells: list[int]) -> None:
    """All lanes are run even where some cells are done: the program is the same then, and so are the bits."""
    plans: dict[int, Plan] = {}
    for cell in job.cells:
        with _Failing(store, [cell]):
            plans[cell] = plan(*make(store.cells[cell].settings))
    if not plans:
        return
    first = next(iter(plans.values()))
    lanes = [plans.get(cell, first) for cell in job.cells]
    lanes += [first] * (job.width - len(lanes))
    with _Failing(store, [cell for cell in cells if cell in plans]):
        began = monotonic()
        runs = train_many(lanes, checkpoint=store.checkpoints(job))
        seconds = (monotonic() - began) / len(job.cells)
        for cell, run in zip(job.cells, runs, strict=False):
            if cell in plans and cell in cells:
                _keep(store, cell, run, {"width": job.width, "cells": list(job.cells)}, seconds)


def _keep(store: Store, cell: int, run: Run, batch: Mapping[str, Any], seconds: float) -> None:
    if run.status == "interrupted":
        raise KeyboardInterrupt
    arrays, header = pack(run)
    store.put(cell, arrays, header | {"batch": dict(batch), "seconds": seconds})


class _Failing:
    """Keeps what goes wrong in its block as the failure of some cells."""

    def __init__(self, store: Store, cells: list[int]) -> None:
        self._store, self._cells = store, cells

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if not isinstance(error, Exception):
            return False
        if isinstance(error, OSError):
            return False  # a disk that is full is no fault of the cell's
        text = "".join(traceback.format_exception(error))
        for cell in self._cells:
            self._store.fail(cell, f"{type(error).__name__}: {error}", text)
        return True
