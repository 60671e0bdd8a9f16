"""Runs experiments and stores what came out: behind `docendo reproduce`.

Experiments run in processes of their own, and one that fails or is killed takes no other with it. What is finished is
kept: a second call runs only what is missing or was made with other settings. Nothing here starts JAX in the calling
process.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import docendo
from docendo.experiments.base import Experiment, choose
from docendo.experiments.digits import load_digits
from docendo.experiments.processes import Process, wait_for_any
from docendo.experiments.registry import EXPERIMENTS
from docendo.experiments.worker import ERROR_FILE, Job
from docendo.files import content_hash, read_json, remove_leftovers, writable_folder, write_json
from docendo.progress import Progress, progress_bar
from docendo.results import finished, load_result

__all__ = ["reproduce"]

POLL_SECONDS = 0.2
QUICK_SHARE = 0.15

Say = Callable[[str], None]


def reproduce(
    out: str | Path,
    *,
    only: Sequence[str] | None = None,
    quick: bool = False,
    beyond: bool = False,
    seed: int = 0,
    jobs: int = 1,
    digits: str | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """Run the experiments of the paper that are not finished yet, and store them under `out/runs/`.

    Args:
        out: the report's folder.
        only: names of experiments; all of the paper's where it is left out.
        quick: small sizes, for a first look.
        beyond: without names, the experiments beyond the paper as well.
        seed: what all randomness comes from.
        jobs: how many experiments run at a time.
        digits: where handwritten digits come from, as `docendo.experiments.digits.load_digits` takes it.
        progress: show what runs and how far it is, on standard error.

    Returns:
        Of the experiments called for, what `out/summary.json` says: status, seconds, findings and numbers. The file
        lists those of earlier calls as well.

    Raises:
        ValueError: an unknown name, a folder that cannot be written, digits that cannot be read.
        KeyboardInterrupt: stopped from outside. What is finished is kept, and the same call goes on from there.
    """
    chosen = choose(EXPERIMENTS, only, beyond)
    if jobs < 1:
        raise ValueError(f"jobs is how many experiments run at a time, at least 1, got {jobs}. Try jobs=2.")
    identity = content_hash(list(load_digits(digits))) if any(each.needs_digits for each in chosen) else ""
    folder = writable_folder(out)
    remove_leftovers(folder)
    waiting = [
        Job(each, folder / "runs" / each.name, quick, seed, digits, each.configuration(quick, seed, identity))
        for each in chosen
    ]
    try:
        _run_missing(waiting, jobs, progress)
    finally:
        summary = _summary(folder, chosen, quick, seed)
    return summary


def _run_missing(jobs: Sequence[Job], at_a_time: int, progress: bool) -> None:
    say = _to_standard_error if progress else _to_nobody
    waiting = [job for job in jobs if not _is_finished(job)]
    if len(waiting) < len(jobs):
        say(f"{len(jobs) - len(waiting)} of {len(jobs)} experiments are finished already")
    if waiting:
        with progress_bar("all experiments", sum(map(_seconds, waiting)), progress, unit="s of work") as bar:
            _run_all(waiting, at_a_time, bar, say)


def _is_finished(job: Job) -> bool:
    try:
        return finished(job.folder, job.configuration)
    except ValueError:
        # A result that cannot be read is made again.
        return False


def _seconds(job: Job) -> float:
    return job.experiment.seconds * (QUICK_SHARE if job.quick else 1.0)


def _run_all(waiting: Sequence[Job], at_a_time: int, bar: Progress, say: Say) -> None:
    """Run every job, some at a time, the longest first; on the way out end those still running."""
    queue = sorted(waiting, key=_seconds)
    running: list[Process] = []
    done = 0.0
    try:
        while queue or running:
            while queue and len(running) < at_a_time:
                running.append(Process(queue.pop()))
                say(f"{running[-1].job.experiment.name}: started")
            wait_for_any(running, POLL_SECONDS)
            for each in [each for each in running if each.has_ended()]:
                done += _seconds(each.job)
                say(f"{each.job.experiment.name}: {_end(each)}")
                if queue and each.takes_more:
                    each.give(queue.pop())
                    say(f"{each.job.experiment.name}: started")
                else:
                    running.remove(each)
                    each.dismiss()
            bar.update(round(done + sum(each.share * _seconds(each.job) for each in running), 1))
    finally:
        for each in running:
            each.terminate()
        for each in running:
            each.dismiss()


def _end(ended: Process) -> str:
    """How a job ended, in words; a process that was killed could not say so itself."""
    folder = ended.job.folder
    if _is_finished(ended.job):
        return f"finished in {load_result(folder).seconds:.0f} s"
    if not (folder / ERROR_FILE).exists():
        message = f"its process ended with exit code {ended.exit_code}; the same command runs it again"
        write_json(writable_folder(folder) / ERROR_FILE, {"error": message, "traceback": ""})
    return f"failed: {read_json(folder / ERROR_FILE)['error']}"


def _summary(out: Path, chosen: Sequence[Experiment], quick: bool, seed: int) -> dict[str, Any]:
    """Write `summary.json`, and return what of it was called for."""
    about = {"docendo_version": docendo.__version__, "quick": quick, "seed": seed}
    names = [each.name for each in EXPERIMENTS if each in chosen or (out / "runs" / each.name).is_dir()]
    entries = {name: _entry(out / "runs" / name) for name in names}
    write_json(out / "summary.json", about | {"experiments": entries})
    return about | {"experiments": {each.name: entries[each.name] for each in chosen}}


def _entry(folder: Path) -> dict[str, Any]:
    if not (folder / "result.json").exists():
        if (folder / ERROR_FILE).exists():
            return {"status": "failed", "message": read_json(folder / ERROR_FILE)["error"]}
        return {"status": "unfinished", "message": "stopped before its end"}
    result = load_result(folder)
    shown = {name: result.settings.get(name) for name in ("quick", "seed")}
    findings = [asdict(finding) for finding in result.findings]
    return {"status": "finished", "seconds": result.seconds} | shown | {"findings": findings, "numbers": result.numbers}


def _to_standard_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _to_nobody(line: str) -> None:
    pass
