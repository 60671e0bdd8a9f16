"""`sweep`: every cell of a study, on one machine or many, and all of them as one dataset."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import jax

from docendo.files.atomic import FilePath
from docendo.progress import progress_bar
from docendo.studies.cells import Cell, cells_of
from docendo.studies.gathering import gather
from docendo.studies.local import started, suitable_number
from docendo.studies.making import make
from docendo.studies.planning import Job, plan_jobs
from docendo.studies.reading import parse_study, read_study
from docendo.studies.schema import StudyFile
from docendo.studies.store import Store, create_store
from docendo.studies.working import claim_and_run
from docendo.training.dataset import provenance

if TYPE_CHECKING:
    import xarray

__all__ = ["Study", "sweep"]

Study = StudyFile | FilePath | Mapping[str, Any]


def sweep(
    study: Study,
    out: FilePath | None = None,
    *,
    overrides: Sequence[str] = (),
    executor: Executor | None = None,
    jobs: int | None = None,
    shard: tuple[int, int] = (1, 1),
    progress: bool = False,
) -> "xarray.Dataset":
    """Run a study, or what is missing of it.

    Args:
        study: a TOML file, its content as a mapping, or a study that was read.
        out: the study's folder. One that holds results goes on from there; several processes may work on one. Left
            out, nothing is kept but what is returned.
        overrides: `key=value`, as on the command line.
        executor: what runs the jobs, for example Dask's `client.get_executor()`; its workers must see the folder under
            the same name. Left out, processes of this machine.
        jobs: how many processes; one per core if left out.
        shard: (i, n): run the i-th of n parts only, from 1, for batch arrays without a scheduler.
        progress: show how far it is, on standard error.

    Returns:
        A dataset with one dimension per axis, then `step` (`time` for flows; `save` where cells differ in it), and the
        variables of `Run.data`. Cells that failed, or belong to another shard, are NaN; `status` says which.

    Raises:
        ValueError: the study breaks a rule, or the folder can't be used.
        KeyboardInterrupt: stopped. What is done is kept, and the same call goes on from there.
    """
    read = _read(study, overrides)
    cells = cells_of(read)
    planned = plan_jobs(cells, jax.default_backend())
    with ExitStack() as stack:
        root = Path(out if out is not None else stack.enter_context(TemporaryDirectory()))
        run = _elsewhere(executor) if executor is not None else _here(stack, jobs, cells, _part(planned, shard))
        store = _ready(root, read, cells, planned)
        left = [job for job in _part(planned, shard) if store.open_cells(job)]
        with progress_bar(read.name, len(cells), progress, start=len(store.finished()), unit="cells") as bar:
            run(store, left, lambda: bar.update(len(store.finished())))
        return gather(store)


Runner = Callable[[Store, Sequence[Job], Callable[[], None]], None]


def _read(study: Study, overrides: Sequence[str]) -> StudyFile:
    if isinstance(study, StudyFile):
        if overrides:
            raise ValueError("overrides change a file or a mapping, not a study that was read. Read it with them.")
        return study
    return parse_study(study, overrides) if isinstance(study, Mapping) else read_study(study, overrides)


def _ready(root: Path, study: StudyFile, cells: Sequence[Cell], jobs: Sequence[Job]) -> Store:
    """The store, once the first cell has proved that the study names things that exist."""
    make(cells[0].settings)
    store = create_store(root, study, provenance(), jobs)
    store.forgive()
    return store


def _part(jobs: Sequence[Job], shard: tuple[int, int]) -> Sequence[Job]:
    which, of = shard
    if not 1 <= which <= of:
        raise ValueError(f"a shard is i of n with i from 1 to n, got {which}/{of}. For example --shard 1/{max(of, 1)}.")
    return jobs[which - 1 :: of]


def _here(stack: ExitStack, wanted: int | None, cells: Sequence[Cell], part: Sequence[Job]) -> Runner:
    """Workers of this machine; they import what they need while the store is made ready."""
    if wanted is not None and wanted < 1:
        raise ValueError(f"jobs is how many processes work, at least 1, got {wanted}. Try jobs=2.")
    # An accelerator belongs to one process.
    most = wanted or 1 if jax.default_backend() != "cpu" else wanted
    workers = stack.enter_context(started(suitable_number(most, cells, part) if part else 0))
    return workers.run


def _elsewhere(executor: Executor) -> Runner:
    def run(store: Store, part: Sequence[Job], look: Callable[[], None]) -> None:
        root = str(store.root.resolve())
        left = list(part)
        while left:
            waiting: dict[Future[bool], Job] = {executor.submit(claim_and_run, root, job.index): job for job in left}
            try:
                for future in as_completed(waiting):
                    _settle(store, waiting[future], future)
                    look()
            except BaseException:
                for future in waiting:
                    future.cancel()
                raise
            left = [job for job in left if store.open_cells(job)]

    return run


def _settle(store: Store, job: Job, future: "Future[bool]") -> None:
    """A job whose worker was lost counts as failed, and is tried again as often as any."""
    error = future.exception()
    if isinstance(error, OSError):
        raise error
    if error is not None:
        for cell in store.open_cells(job):
            store.fail(cell, f"{type(error).__name__}: {error}", "")
