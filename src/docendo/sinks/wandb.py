"""Weights & Biases."""

from collections.abc import Mapping
from typing import Any

from docendo.sinks.base import one_number_each, require

__all__ = ["WandB"]


class WandB:
    """A `Sink` that logs to a Weights & Biases run, which it starts and finishes.

    Args:
        **settings: Arguments of ``wandb.init``, say ``project="docendo"``, ``mode="offline"``, or ``id=...`` and
            ``resume="allow"`` to go on with an earlier run.

    Raises:
        ImportError: wandb is missing.
    """

    def __init__(self, **settings: Any) -> None:
        self._run: Any = require("wandb", "wandb").init(**settings)

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Logs every number at this step."""
        self._run.log(one_number_each(values), step=int(step))

    def close(self) -> None:
        """Finishes the run; closing twice is harmless."""
        if self._run is not None:
            self._run.finish()
            self._run = None
