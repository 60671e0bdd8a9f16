"""TensorBoard, through tensorboardX."""

import os
from collections.abc import Mapping
from typing import Any

from docendo.sinks.base import one_number_each, require

__all__ = ["TensorBoard"]


class TensorBoard:
    """A `Sink` that writes event files; look at them with ``tensorboard --logdir FOLDER``.

    A run that resumes into the same folder hides what was logged at or beyond its first step.

    Args:
        folder: Where the event files go.

    Raises:
        ImportError: tensorboardX is missing.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = os.fspath(folder)
        self._writer_type = require("tensorboardX", "tensorboard").SummaryWriter
        self._writer: Any = None

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Writes one scalar per number, and puts them on the disk."""
        numbers = one_number_each(values)
        if self._writer is None:
            # Event files are named by the second: a run that resumes at once must not write over the earlier file.
            suffix = f".{os.getpid()}.{int(step)}"
            self._writer = self._writer_type(self._folder, purge_step=int(step), filename_suffix=suffix)
        for name, number in numbers.items():
            self._writer.add_scalar(name, number, int(step))
        self._writer.flush()

    def close(self) -> None:
        """Closes the event file; closing twice is harmless."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
