"""What a process does with the experiments it is given: compute, store, and leave nothing half done.

What is trained is checkpointed under `checkpoints/`, so that the next process of the same configuration goes on there.
`result.json` is removed first and written last: where it is, everything beside it belongs to it.
"""

import os
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any, Protocol

from docendo.compilation import keep_compiled_programs
from docendo.experiments.base import Experiment, Outcome
from docendo.figures import Figure, figure_to_json
from docendo.files import remove_leftovers, writable_folder, write_json
from docendo.results import Result, store_result

__all__ = ["ERROR_FILE", "Job", "Share", "serve", "work"]

ERROR_FILE = "error.json"
CHECKPOINTS = "checkpoints"
THEORY = "theory"


@dataclass(frozen=True)
class Job:
    """One experiment to run: everything its process needs to know."""

    experiment: Experiment
    folder: Path
    quick: bool
    seed: int
    digits: str | None
    configuration: str


class Share(Protocol):
    """How much of the job is done, from 0 to 1, in memory that both processes see."""

    value: float


def serve(jobs: Connection, share: Share) -> None:
    """Work off jobs as they come, answering each when it is over, until there are no more."""
    _end_with_parent()
    keep_compiled_programs()
    while True:
        try:
            job = jobs.recv()
        except EOFError:
            return
        work(job, share)
        jobs.send(None)


def work(job: Job, share: Share) -> None:
    """Run the job; where it fails, leave the reason in `error.json`."""
    try:
        _clear(job)
        began = monotonic()
        _store(job, _compute(job, share), began)
    except Exception as error:
        message = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
        write_json(writable_folder(job.folder) / ERROR_FILE, message)


def _end_with_parent() -> None:
    parent = parent_process()

    def follow(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    if parent is not None:
        threading.Thread(target=follow, args=(parent.sentinel,), daemon=True).start()


def _clear(job: Job) -> None:
    """Remove what another configuration left, the mark of a finished result first, and its checkpoints."""
    folder = writable_folder(job.folder)
    for name in ("result.json", ERROR_FILE, "figures.json"):
        (folder / name).unlink(missing_ok=True)
    for stale in [*folder.glob("*.nc"), *remove_leftovers(folder)]:
        stale.unlink(missing_ok=True)
    for other in (folder / CHECKPOINTS).glob("*"):
        if other != _checkpoints(job):
            rmtree(other, ignore_errors=True)


def _checkpoints(job: Job) -> Path:
    return job.folder / CHECKPOINTS / job.configuration[:16]


def _compute(job: Job, share: Share) -> Outcome:
    from docendo.experiments.bench import Bench

    def report(fraction: float) -> None:
        share.value = fraction

    bench = Bench(job.seed, job.digits, _checkpoints(job), report)
    return job.experiment.resolve()(job.experiment.sizes(job.quick), bench)


def _store(job: Job, found: Outcome, began: float) -> None:
    for name, run in found.runs.items():
        run.save(job.folder / f"{name}.nc")
    settings: dict[str, Any] = dict(found.settings) | {"seed": job.seed, "quick": job.quick}
    result = Result(
        name=job.experiment.name,
        title=job.experiment.title,
        paper=job.experiment.paper,
        summary=found.summary,
        settings=settings,
        findings=list(found.findings),
        configuration=job.configuration,
        seconds=monotonic() - began,
        numbers=dict(found.numbers),
    )
    if found.verdicts is None:
        store_result(job.folder, result, list(found.figures))
    else:
        _store_verdicts(job.folder.parent.parent / THEORY, found.verdicts, found.figures)
        store_result(job.folder, result, [])
    rmtree(job.folder / CHECKPOINTS, ignore_errors=True)


def _store_verdicts(folder: Path, verdicts: Mapping[str, Any], figures: Sequence[Figure]) -> None:
    """Where the page's section on theorems looks for them; verdicts are never beside the figures of others."""
    (writable_folder(folder) / "verdicts.json").unlink(missing_ok=True)
    write_json(folder / "figures.json", [figure_to_json(figure) for figure in figures])
    write_json(folder / "verdicts.json", verdicts)
