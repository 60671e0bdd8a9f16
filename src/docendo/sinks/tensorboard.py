"""TensorBoard, through tensorboardX."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from docendo.sinks.base import checked_name, checked_picture, one_number_each, require

__all__ = ["TensorBoard"]


class TensorBoard:
    """A `Sink` that writes event files; look at them with ``tensorboard --logdir FOLDER``.

    Figures are under Images, as ``figures/NAME``; documents under Text, as ``documents/NAME``. A run that resumes into
    the same folder hides what was logged at or beyond its first step.

    Args:
        folder: Where the event files go.

    Raises:
        ImportError: tensorboardX is missing.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = os.fspath(folder)
        self._writer_type = require("tensorboardX", "tensorboard").SummaryWriter
        self._writer: Any = None
        self._step = 0
        self._waiting: list[Callable[[], None]] = []

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Writes one scalar per number, and puts them on the disk."""
        numbers = one_number_each(values)
        self._step = int(step)
        self._begin(purge_step=self._step)
        for name, number in numbers.items():
            self._writer.add_scalar(name, number, self._step)
        self._writer.flush()

    def figure(self, name: str, path: str | os.PathLike[str]) -> None:
        """Writes the picture as an image. Raises ValueError for SVG, which TensorBoard can't show."""
        picture = checked_picture(path, ".png")
        pixels = require("matplotlib.image", "tensorboard").imread(picture)
        tag = f"figures/{checked_name(name)}"
        form = "HW" if pixels.ndim == 2 else "HWC"
        self._add(lambda: self._writer.add_image(tag, pixels, self._step, dataformats=form))

    def document(self, name: str, text: str) -> None:
        """Writes the text, as code, so that TensorBoard does not read it as Markdown."""
        tag = f"documents/{checked_name(name)}"
        code = "\n".join(f"    {line}" for line in text.splitlines())
        self._add(lambda: self._writer.add_text(tag, code, self._step))

    def close(self) -> None:
        """Closes the event file; closing twice is harmless."""
        if self._waiting:
            self._begin()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _add(self, write: Callable[[], None]) -> None:
        """Before the first numbers it waits: what a resumed run hides is known by their step."""
        if self._writer is None:
            self._waiting.append(write)
        else:
            write()
            self._writer.flush()

    def _begin(self, **purge: int) -> None:
        if self._writer is None:
            # Event files are named by the second: a run that resumes at once must not write over the earlier file.
            suffix = f".{os.getpid()}.{self._step}"
            self._writer = self._writer_type(self._folder, filename_suffix=suffix, **purge)
        for write in self._waiting:
            write()
        self._waiting.clear()
