"""Who is at which job: so that any number of processes on one folder share a study instead of doing it twice.

A claim is a lock that the operating system lets go of when its holder dies, however it dies. A note beside it says who
holds it, for people and for the process that started the holder.
"""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any

from filelock import FileLock, Timeout

from docendo.files import read_json, writable_folder, write_json

__all__ = ["claim", "claimed_by", "is_claimed"]


@contextmanager
def claim(root: Path, name: str) -> Iterator[bool]:
    """Hold a job while the block runs; yields whether it could be had."""
    lock = _lock(root, name)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        yield False
        return
    note = writable_folder(root / "running") / f"{name}.json"
    try:
        write_json(note, {"process": os.getpid(), "machine": platform.node(), "since": time()})
        yield True
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def is_claimed(root: Path, name: str) -> bool:
    """Whether somebody holds a job now."""
    if not (root / "running" / f"{name}.json").exists():
        return False
    lock = _lock(root, name)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return True
    lock.release()
    return False


def claimed_by(root: Path, process: int) -> list[str]:
    """The jobs that a process of this machine has noted as its own, alive or dead."""
    notes = {path.stem: _note(path) for path in (root / "running").glob("*.json")}
    mine = (process, platform.node())
    return [name for name, note in notes.items() if (note.get("process"), note.get("machine")) == mine]


def _lock(root: Path, name: str) -> FileLock:
    return FileLock(writable_folder(root / "locks") / f"{name}.lock", thread_local=False)


def _note(path: Path) -> dict[str, Any]:
    try:
        return read_json(path)
    except ValueError:
        return {}  # gone in the meantime
