"""A study on disk: one folder that survives anything.

    study.toml        the study, frozen
    manifest.json     what is to be run: keys of the cells, jobs, versions
    cells/ab/….npz    one result per cell, named by the hash of all that determines it and its batch's width
    failed/….json     error and traceback of a cell that could not be run
    checkpoints/      long runs under way
    locks/, running/  who is at what (docendo.studies.claims)

A result is written under a temporary name, flushed and renamed, and carries a checksum that reading verifies. Cells of
an earlier form of the study stay, and are found again by their keys. Nothing is pickled.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import Any

import docendo
from docendo.files import (
    content_hash,
    load_arrays,
    read_json,
    remove_leftovers,
    save_arrays,
    to_json,
    writable_folder,
    write_atomically,
    write_json,
)
from docendo.files.atomic import FilePath
from docendo.studies.cells import Cell, cells_of
from docendo.studies.planning import Job
from docendo.studies.reading import read_study
from docendo.studies.schema import StudyFile
from docendo.studies.writing import to_toml

__all__ = ["FORMAT_VERSION", "Store", "create_store", "is_store", "open_store"]

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
STUDY = "study.toml"


@dataclass(frozen=True)
class Store:
    """An open study.

    Attributes:
        root: its folder.
        study: what is studied.
        cells: its cells, in order.
        jobs: how they are run.
        keys: for each cell the hash of all that determines its result, but for the width of its batch.
        facts: versions and machine that the planned keys stand for.
    """

    root: Path
    study: StudyFile
    cells: Sequence[Cell]
    jobs: Sequence[Job]
    keys: Sequence[str]
    facts: Mapping[str, Any]

    def find(self, cell: int) -> Path | None:
        """The file of a cell's result, once there is one: of the planned batch, or of one that agrees to rounding."""
        planned = self._cell_path(cell)
        if planned.exists():
            return planned
        return next(iter(sorted(planned.parent.glob(f"{self.keys[cell]}.w*.npz"))), None)

    def finished(self) -> set[int]:
        """The cells that have a result."""
        there = {path.name.partition(".")[0] for path in (self.root / "cells").glob("*/*.npz")}
        return {index for index, key in enumerate(self.keys) if key in there}

    def put(self, cell: int, arrays: Mapping[str, Any], header: Mapping[str, Any]) -> Path:
        """Keep a cell's result, as `docendo.training.packing.pack` packs it."""
        path = self._cell_path(cell)
        writable_folder(path.parent)
        about = {"settings": self.cells[cell].settings.model_dump(mode="json", exclude_none=True)} | dict(header)
        save_arrays(path, arrays, about | {"digest": _digest(arrays, about)})
        (self.root / "failed" / f"{self.keys[cell]}.json").unlink(missing_ok=True)
        return path

    def get(self, cell: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """A cell's arrays and header, verified.

        Raises:
            ValueError: there is no result yet, or its file is damaged or was edited.
        """
        path = self.find(cell)
        if path is None:
            raise ValueError(f"cell {cell} of {self.root} has no result yet. Run: docendo sweep {self.root / STUDY}.")
        try:
            arrays, header = load_arrays(path)
        except ValueError as error:
            raise ValueError(f"{error}. Delete it and run the study again: only this cell is missing then.") from error
        if header.pop("digest", None) != _digest(arrays, header):
            raise ValueError(f"{path} is not what was written. Delete it and run the study again to make it anew.")
        return arrays, header

    def fail(self, cell: int, error: str, traceback: str) -> int:
        """Keep why a cell could not be run.

        Returns:
            How often it has failed by now.
        """
        attempts = self.attempts(cell) + 1
        about = {"cell": cell, "error": error, "traceback": traceback, "attempts": attempts}
        about["settings"] = self.cells[cell].settings.model_dump(mode="json", exclude_none=True)
        write_json(writable_folder(self.root / "failed") / f"{self.keys[cell]}.json", about)
        return attempts

    def failure(self, cell: int) -> dict[str, Any] | None:
        """Why a cell could not be run, if it could not."""
        path = self.root / "failed" / f"{self.keys[cell]}.json"
        return read_json(path) if path.exists() else None

    def attempts(self, cell: int) -> int:
        """How often a cell has failed."""
        failure = self.failure(cell)
        return 0 if failure is None else int(failure["attempts"])

    def failed(self) -> set[int]:
        """The cells that failed and have no result."""
        there = {path.stem for path in (self.root / "failed").glob("*.json")}
        return {index for index, key in enumerate(self.keys) if key in there and self.find(index) is None}

    def forgive(self) -> None:
        """Forget failures, so that a new call tries these cells again."""
        for path in (self.root / "failed").glob("*.json"):
            path.unlink(missing_ok=True)

    def open_cells(self, job: Job) -> list[int]:
        """The cells of a job that have no result and may still be tried."""
        most = self.study.execution.retries
        return [cell for cell in job.cells if self.find(cell) is None and self.attempts(cell) <= most]

    def claim_name(self, job: Job) -> str:
        """What a job is claimed by: the same for all processes that share its cells."""
        return content_hash([self.keys[cell] for cell in job.cells])[:16]

    def checkpoints(self, job: Job) -> Path:
        """Where a job keeps its state."""
        return self.root / "checkpoints" / self.claim_name(job)

    def drop_checkpoints(self, job: Job) -> None:
        """After a job has ended."""
        rmtree(self.checkpoints(job), ignore_errors=True)

    @cached_property
    def _widths(self) -> Mapping[int, int]:
        return {cell: job.width for job in self.jobs for cell in job.cells}

    def _cell_path(self, cell: int) -> Path:
        key = self.keys[cell]
        return self.root / "cells" / key[:2] / f"{key}.w{self._widths[cell]}.npz"


def create_store(root: FilePath, study: StudyFile, facts: Mapping[str, Any], jobs: Sequence[Job]) -> Store:
    """Make a folder ready for a study, or ready for another form of it; results that fit are found again.

    Args:
        root: the folder.
        study: the study.
        facts: versions and machine.
        jobs: of `docendo.studies.planning.plan_jobs`.

    Raises:
        ValueError: the folder can't be written, holds something else, or was made by a newer docendo.
    """
    folder = Path(root)
    if folder.is_dir() and any(folder.iterdir()) and not is_store(folder):
        raise ValueError(f"{folder} holds something that is no study. Name an empty or a new folder with --out.")
    if is_store(folder):
        _manifest(folder)
    writable_folder(folder)
    for inner in (folder, *(path for path in folder.glob("*/**") if path.is_dir())):
        remove_leftovers(inner)
    cells = cells_of(study)
    keys = [cell.key(facts) for cell in cells]
    write_atomically(folder / STUDY, to_toml(study).encode())
    manifest = {
        "format": "docendo study",
        "version": FORMAT_VERSION,
        "docendo_version": docendo.__version__,
        "facts": dict(facts),
        "jobs": [asdict(job) for job in jobs],
        "keys": keys,
    }
    write_json(folder / MANIFEST, manifest)
    return Store(folder, study, cells, list(jobs), keys, facts)


def is_store(root: FilePath) -> bool:
    """Whether a folder holds a study."""
    return (Path(root) / MANIFEST).is_file()


def open_store(root: FilePath) -> Store:
    """Read a study's folder; nothing is written.

    Raises:
        ValueError: it holds no study, a damaged one, or one of a newer docendo.
    """
    folder = Path(root)
    if not is_store(folder):
        raise ValueError(f"{folder} holds no study. One is made by: docendo sweep study.toml --out {folder}.")
    manifest = _manifest(folder)
    study = read_study(folder / STUDY)
    cells = cells_of(study)
    jobs = [Job(job["index"], job["width"], tuple(job["cells"])) for job in manifest["jobs"]]
    keys = manifest["keys"]
    if len(keys) != len(cells):
        raise ValueError(f"{folder / STUDY} was changed after the study began. Run it again: docendo sweep.")
    return Store(folder, study, cells, jobs, keys, manifest["facts"])


def _manifest(folder: Path) -> dict[str, Any]:
    manifest = read_json(folder / MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != "docendo study":
        raise ValueError(f"{folder / MANIFEST} is no manifest of docendo's. Name another folder.")
    if int(manifest.get("version", 0)) > FORMAT_VERSION:
        raise ValueError(
            f"{folder} was made by docendo {manifest.get('docendo_version')}, whose form of studies is newer than what "
            f"this docendo {docendo.__version__} reads. Try pip install --upgrade docendo."
        )
    if missing := [name for name in ("facts", "jobs", "keys") if name not in manifest]:
        raise ValueError(f"{folder / MANIFEST} is damaged: it lacks {', '.join(missing)}. Run the study again.")
    return manifest


def _digest(arrays: Mapping[str, Any], header: Mapping[str, Any]) -> str:
    return content_hash({"arrays": dict(arrays), "header": json.loads(to_json(header))})
