"""Weights & Biases."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docendo.sinks.base import checked_name, checked_picture, one_number_each, require

__all__ = ["WandB"]


class WandB:
    """A `Sink` that logs to a Weights & Biases run, which it starts and finishes.

    Figures are media, as ``figures/NAME``; documents are among the run's files, as ``documents/NAME``.

    Args:
        **settings: Arguments of ``wandb.init``, say ``project="docendo"``, ``mode="offline"``, or ``id=...`` and
            ``resume="allow"`` to go on with an earlier run.

    Raises:
        ImportError: wandb is missing.
    """

    def __init__(self, **settings: Any) -> None:
        self._package: Any = require("wandb", "wandb")
        self._run: Any = self._package.init(**settings)
        self._step: int | None = None

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Logs every number at this step."""
        self._step = int(step)
        self._run.log(one_number_each(values), step=self._step)

    def figure(self, name: str, path: str | os.PathLike[str]) -> None:
        """Logs a PNG as an image, an SVG as a page that holds it."""
        picture = checked_picture(path, ".png", ".svg")
        is_svg = picture.suffix.lower() == ".svg"
        media = self._package.Html(picture.read_text("utf-8")) if is_svg else self._package.Image(str(picture))
        # Left out, the step would go up by one, and with it out of the reach of numbers logged at it.
        step = self._run.step if self._step is None else self._step
        self._run.log({f"figures/{checked_name(name)}": media}, step=step)

    def document(self, name: str, text: str) -> None:
        """Saves the text among the run's files."""
        path = Path(self._run.dir, "documents", checked_name(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        self._run.save(str(path), base_path=self._run.dir, policy="now")

    def close(self) -> None:
        """Finishes the run; closing twice is harmless."""
        if self._run is not None:
            self._run.finish()
            self._run = None
