"""Runs experiments and stores what came out: behind `docendo reproduce`.

Each experiment runs in a process of its own, started afresh (never forked: JAX does not survive that), so that one that
fails or is killed takes no other with it. What is finished is kept: `result.json` is written last, and a second call
runs only what is missing or was made with other settings. Nothing here starts JAX in the calling process.
"""

import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait as wait_for
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any

import docendo
from docendo.compilation import keep_compiled_programs
from docendo.experiments.base import Experiment, choose
from docendo.experiments.digits import load_digits
from docendo.experiments.registry import EXPERIMENTS
from docendo.files import content_hash, read_json, remove_leftovers, writable_folder, write_json
from docendo.progress import Progress, progress_bar
from docendo.results import Result, finished, load_result, store_result

__all__ = ["reproduce"]

POLL_SECONDS = 0.2
INTERRUPTED = 130


@dataclass(frozen=True)
class Job:
    """One experiment to run: everything its process needs to know."""

    experiment: Experiment
    folder: Path
    quick: bool
    seed: int
    digits: str | None
    configuration: str


def reproduce(
    out: str | Path,
    *,
    only: Sequence[str] | None = None,
    quick: bool = False,
    seed: int = 0,
    jobs: int = 1,
    digits: str | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """Run the experiments of the paper that are not finished yet, and store them under `out/runs/`.

    Args:
        out: the report's folder.
        only: names of experiments; all of them where it is left out.
        quick: small sizes, for a first look.
        seed: what all randomness comes from.
        jobs: how many experiments run at a time.
        digits: where handwritten digits come from, as `docendo.experiments.digits.load_digits` takes it.
        progress: show what runs and how far it is, on standard error.

    Returns:
        What `out/summary.json` says: per experiment its status, seconds, findings and numbers.

    Raises:
        ValueError: an unknown name, a folder that cannot be written, digits that cannot be read.
        KeyboardInterrupt: stopped from outside. What is finished is kept, and the same call goes on from there.
    """
    chosen = choose(EXPERIMENTS, only)
    if jobs < 1:
        raise ValueError(f"jobs is how many experiments run at a time, at least 1, got {jobs}. Try jobs=2.")
    folder = Path(out)
    wanted = _jobs(chosen, folder, quick, seed, digits)
    remove_leftovers(writable_folder(folder))
    waiting = [job for job in wanted if not finished(job.folder, job.configuration)]
    with progress_bar("reproduce", sum(_seconds(job) for job in waiting), progress, unit="s of work") as bar:
        _run_all(waiting, jobs, bar)
    summary = _summary(chosen, folder, quick, seed)
    write_json(folder / "summary.json", summary)
    return summary


def _jobs(chosen: Sequence[Experiment], out: Path, quick: bool, seed: int, digits: str | None) -> list[Job]:
    """The jobs; the digits are read once here, so that a wrong path ends the call before any work."""
    needed = any(experiment.needs_digits for experiment in chosen)
    identity = content_hash(list(load_digits(digits))) if needed else ""
    return [
        Job(each, out / "runs" / each.name, quick, seed, digits, each.configuration(quick, seed, identity))
        for each in chosen
    ]


def _seconds(job: Job) -> float:
    return job.experiment.seconds * (0.1 if job.quick else 1.0)


def _run_all(waiting: Sequence[Job], jobs: int, bar: Progress) -> None:
    """Run every job in its own process, `jobs` of them at a time, the longest first."""
    context = get_context("spawn")
    done = [context.Value("d", 0.0) for _ in waiting]
    processes = [context.Process(target=_work, args=(job, share)) for job, share in zip(waiting, done, strict=True)]
    order = sorted(range(len(waiting)), key=lambda index: -_seconds(waiting[index]))

    def run(index: int) -> None:
        processes[index].start()
        processes[index].join()
        _note_death(waiting[index], processes[index].exitcode)

    pool = ThreadPoolExecutor(jobs)
    try:
        futures = [pool.submit(run, index) for index in order]
        while wait_for(futures, timeout=POLL_SECONDS).not_done:
            bar.update(sum(share.value * _seconds(job) for share, job in zip(done, waiting, strict=True)))
        for future in futures:
            future.result()
    except KeyboardInterrupt:
        for process in processes:
            if process.is_alive():
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    if any(process.exitcode == INTERRUPTED for process in processes):
        raise KeyboardInterrupt


def _work(job: Job, share: Any) -> None:
    """The life of one experiment's process."""
    keep_compiled_programs()
    for stale in ("result.json", "error.json"):
        (job.folder / stale).unlink(missing_ok=True)
    try:
        _run_one(job, share)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except Exception as error:
        message = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
        write_json(writable_folder(job.folder) / "error.json", message)
        raise SystemExit(1) from None


def _run_one(job: Job, share: Any) -> None:
    from docendo.experiments.bench import Bench

    began = monotonic()
    folder = writable_folder(job.folder)

    def report(fraction: float) -> None:
        share.value = fraction

    bench = Bench(job.seed, job.digits, folder / "checkpoints" / job.configuration[:16], report)
    sizes = job.experiment.sizes(job.quick)
    found = job.experiment.resolve()(sizes, bench)
    for name, run in found.runs.items():
        run.save(folder / f"{name}.nc")
    result = Result(
        name=job.experiment.name,
        title=job.experiment.title,
        paper=job.experiment.paper,
        summary=found.summary,
        settings=dict(found.settings) | {"seed": job.seed, "quick": job.quick},
        findings=list(found.findings),
        configuration=job.configuration,
        seconds=monotonic() - began,
        numbers=dict(found.numbers),
    )
    store_result(folder, result, list(found.figures))
    rmtree(folder / "checkpoints", ignore_errors=True)


def _note_death(job: Job, exitcode: int | None) -> None:
    """A process that was killed could not say so itself."""
    silent = not any((job.folder / name).exists() for name in ("result.json", "error.json"))
    if exitcode not in (0, INTERRUPTED) and silent:
        message = f"its process ended with exit code {exitcode}; the same command runs it again"
        write_json(writable_folder(job.folder) / "error.json", {"error": message, "traceback": ""})


def _summary(chosen: Sequence[Experiment], out: Path, quick: bool, seed: int) -> dict[str, Any]:
    about = {"docendo_version": docendo.__version__, "quick": quick, "seed": seed}
    return about | {"experiments": {each.name: _entry(out / "runs" / each.name) for each in chosen}}


def _entry(folder: Path) -> dict[str, Any]:
    if (folder / "result.json").exists():
        result = load_result(folder)
        findings = [asdict(finding) for finding in result.findings]
        return {"status": "finished", "seconds": result.seconds, "findings": findings, "numbers": result.numbers}
    failure = folder / "error.json"
    message = read_json(failure)["error"] if failure.exists() else "stopped before its end"
    return {"status": "failed" if failure.exists() else "unfinished", "message": message}
