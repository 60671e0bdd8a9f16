"""One JSON object a line: ``{"step": 100, "excess_loss": 0.25}``.

NaN and infinities are written as ``null``, arrays as nested lists. The file always reads as one run, steps in order:
when it is opened again, by a run that resumes, whatever lies at or beyond that run's first logged step is dropped
first, and so is a last line that a killed process left half written.
"""

import json
import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from docendo.sinks.base import as_numbers

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
        line = json.dumps({"step": step, **numbers}, allow_nan=False) + "\n"
        if self._stream is None:
            self._stream = _continue(self._path, step)
        self._stream.write(line.encode())

    def close(self) -> None:
        """Closes the file; closing twice is harmless."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def __repr__(self) -> str:
        return f"JsonLines({str(self._path)!r})"


def _continue(path: Path, step: int) -> IO[bytes]:
    kept = _length_before(path, step) if path.exists() else 0
    stream = open(path, "ab", buffering=0)  # noqa: SIM115 - it stays open from one line to the next
    stream.truncate(kept)
    return stream


def _length_before(path: Path, step: int) -> int:
    length = 0
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if _is_half_written(line) or _step_of(line, number, path) >= step:
                break
            length += len(line)
    return length


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
