"""Writes after which a file is whole or absent, whenever the writer dies.

A write goes to a temporary name in the same folder, is flushed to the disk, and is then renamed over the final name
(`os.replace`), which file systems do in one piece. A reader sees the old content or the new, never a part of either.
A killed process can leave its temporary file behind; `remove_leftovers` finds those by the process id in their names.
"""

import contextlib
import hashlib
import os
import platform
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import IO

__all__ = ["FilePath", "checksum", "remove_leftovers", "writable_folder", "write_atomically"]

FilePath = str | os.PathLike[str]

_PREFIX = f".docendo-{platform.node()}-"


def write_atomically(path: FilePath, content: bytes | Callable[[IO[bytes]], object]) -> Path:
    """Writes a file so that its name never stands for half of its content.

    Args:
        path: The final name; a file already there is replaced.
        content: The bytes, or a function that writes them to the binary stream it is given.

    Returns:
        The path written.

    Raises:
        ValueError: The folder is missing or can't be written.
        OSError: The write itself failed, say on a full disk; what stood under the name before still does.
    """
    path = Path(path)
    temporary = path.parent / _temporary_name()
    try:
        with _create(temporary) as stream:
            _write(stream, content)
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink()
        if isinstance(error, OSError):
            reason = error.strerror or error
            raise OSError(error.errno, f"could not write {path}, left as it was: {reason}") from error
        raise
    _sync_folder(path.parent)
    return path


def writable_folder(path: FilePath) -> Path:
    """Makes the folder and its parents if needed, and proves by a trial file that it can be written.

    Raises:
        ValueError: It can't be made or written; the message gives the system's reason.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(folder, error) from error
    trial = folder / _temporary_name()
    _create(trial).close()
    trial.unlink()
    return folder


def remove_leftovers(folder: FilePath) -> list[Path]:
    """Deletes the temporary files that killed processes of this machine left in a folder.

    Files of living processes and of other machines stay, for they may be in the middle of a write.

    Returns:
        What was deleted.
    """
    leftovers = [file for file in Path(folder).iterdir() if _left_by_a_dead_process(file.name)]
    for file in leftovers:
        file.unlink(missing_ok=True)
    return leftovers


def checksum(path: FilePath) -> str:
    """SHA-256 of a file's bytes, in hexadecimal. Raises ValueError where the file can't be read."""
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ValueError(f"can't read {path}: {error.strerror or error}") from error


def _write(stream: IO[bytes], content: bytes | Callable[[IO[bytes]], object]) -> None:
    if callable(content):
        content(stream)
    else:
        stream.write(content)
    stream.flush()
    os.fsync(stream.fileno())


def _create(temporary: Path) -> IO[bytes]:
    try:
        return open(temporary, "xb")
    except (OSError, ValueError) as error:
        raise _unwritable(temporary.parent, error) from error


def _unwritable(folder: Path, error: Exception) -> ValueError:
    reason = getattr(error, "strerror", None) or error
    return ValueError(
        f"an output folder must exist and be writable, {str(folder)!r} is not: {reason}. "
        "Try another, such as './docendo-out'."
    )


def _temporary_name() -> str:
    return f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}.tmp"


def _left_by_a_dead_process(name: str) -> bool:
    process = name.removeprefix(_PREFIX).partition("-")[0]
    if not name.startswith(_PREFIX) or not process.isdecimal() or os.name == "nt":
        return False  # on Windows, os.kill(process, 0) would not ask after the process but end it
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False


def _sync_folder(folder: Path) -> None:
    # The rename has happened. Where folders can't be synced (Windows, some network disks) it is only less certain to
    # survive a power cut.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
