"""One JSON object a line: ``{"step": 100, "excess_loss": 0.25}``.

NaN and infinities are written as ``null``, arrays as nested lists. The file always reads as one run, steps in order:
when it is opened again, by a run that resumes, whatever lies at or beyond that run's first logged step is dropped
first, and so is a last line that a killed process left half written.

Documents are lines too, ``{"step": 100, "document": "study.toml", "text": "..."}``, and so are figures,
``{"step": 100, "figure": "curves", "file": "log.figures/curves.png"}``, whose files are copied beside the log.
"""

import json
import operator
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from docendo.sinks.base import as_numbers, checked_name, checked_picture

__all__ = ["JsonLines"]

_BEGINNING = b'{"step": '


class JsonLines:
    """A `Sink` that appends to a file, every line whole on the disk's side as soon as it is logged.

    Args:
        path: The file, made at the first `log`; its folder is made if need be.

    Raises:
        ValueError: The path is a folder, or its own folder can't be made.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._stream: IO[bytes] | None = None
        self._step = 0
        self._waiting: list[dict[str, str]] = []
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"can't make the folder of {self._path}: {error.strerror or error}") from error
        if self._path.is_dir():
            raise ValueError(f"a log must be a file, {self._path} is a folder. Try {self._path / 'log.jsonl'}.")

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Appends one line.

        Raises:
            ValueError: A value is no number, one is named ``step``, or the file holds something else than a log.
        """
        if "step" in values:
            raise ValueError(f"'step' is the name of the line's step, got a value of that name: {values['step']!r}")
        step = operator.index(step)
        numbers = {name: _nullable(array.tolist()) for name, array in as_numbers(values).items()}
        self._begin(step)
        self._step = step
        self._write(numbers)

    def figure(self, name: str, path: str | os.PathLike[str]) -> None:
        """Copies the file, and appends a line that says where to.

        Raises:
            ValueError: The picture is missing, no PNG or SVG, or its name can't be the name of a file.
        """
        picture = checked_picture(path, ".png", ".svg")
        copy = self._path.with_name(f"{self._path.stem}.figures") / f"{checked_name(name)}{picture.suffix.lower()}"
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not (copy.exists() and copy.samefile(picture)):
            shutil.copyfile(picture, copy)
        self._add({"figure": name, "file": copy.relative_to(self._path.parent).as_posix()})

    def document(self, name: str, text: str) -> None:
        """Appends a line that holds the text. Raises ValueError where the name can't be the name of a file."""
        self._add({"document": checked_name(name), "text": text})

    def close(self) -> None:
        """Closes the file; closing twice is harmless."""
        if self._waiting:
            self._begin(None)
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _add(self, entry: dict[str, str]) -> None:
        """Before the first numbers it waits: where a log goes on is known by their step."""
        if self._stream is None:
            self._waiting.append(entry)
        else:
            self._write(entry)

    def _begin(self, step: int | None) -> None:
        """Opens the file before the line of a step; None goes on after the last line that is there."""
        if self._stream is not None:
            return
        kept = _kept_before(self._path, step) if self._path.exists() else _Kept(0, 0)
        self._step = kept.step if step is None else step
        self._stream = open(self._path, "ab", buffering=0)  # noqa: SIM115 - it stays open from line to line
        self._stream.truncate(kept.length)
        for entry in self._waiting:
            self._write(entry)
        self._waiting.clear()

    def _write(self, content: Mapping[str, Any]) -> None:
        line = json.dumps({"step": self._step, **content}, allow_nan=False) + "\n"
        if self._stream is not None:
            self._stream.write(line.encode())

    def __repr__(self) -> str:
        return f"JsonLines({str(self._path)!r})"


class _Kept(NamedTuple):
    """How many bytes of a log stay, and the step of the last line among them."""

    length: int
    step: int


def _kept_before(path: Path, limit: int | None) -> _Kept:
    kept = _Kept(0, 0)
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if _is_half_written(line):
                break
            step = _step_of(line, number, path)
            if limit is not None and step >= limit:
                break
            kept = _Kept(kept.length + len(line), step)
    return kept


def _is_half_written(line: bytes) -> bool:
    return not line.endswith(b"\n") and (line.startswith(_BEGINNING) or _BEGINNING.startswith(line))


def _step_of(line: bytes, number: int, path: Path) -> int:
    try:
        return operator.index(json.loads(line)["step"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(
            f"{path} is not a log to continue: line {number} is {line[:60]!r}. Choose another file."
        ) from error


def _nullable(value: Any) -> Any:
    if isinstance(value, list):
        return [_nullable(item) for item in value]
    return value if not isinstance(value, float) or value - value == 0 else None
