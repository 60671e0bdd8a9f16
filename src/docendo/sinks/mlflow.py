"""MLflow."""

import os
import posixpath
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docendo.sinks.base import checked_name, checked_picture, one_number_each, require

__all__ = ["MLflow"]

_BATCH = 1000  # the most metrics that an MLflow server takes in one request


class MLflow:
    """A `Sink` that logs to a run of its own, apart from any run that is active in the process.

    Figures and documents are artifacts of that run, as ``figures/NAME.png`` and ``documents/NAME``.

    Args:
        experiment: The experiment's name; it is made if need be.
        run_name: The name of the new run; None lets MLflow choose.
        run_id: An earlier run to go on with, instead of a new one.
        tracking_uri: The server or store, say ``"sqlite:///mlflow.db"``; None takes MLflow's own setting.

    Raises:
        ImportError: mlflow is missing.
    """

    def __init__(
        self,
        experiment: str = "docendo",
        *,
        run_name: str | None = None,
        run_id: str | None = None,
        tracking_uri: str | None = None,
    ) -> None:
        self._metric = require("mlflow.entities", "mlflow").Metric
        self._client: Any = require("mlflow", "mlflow").MlflowClient(tracking_uri)
        self._open = True
        self._run_id: str = run_id if run_id is not None else self._new_run(experiment, run_name)

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Logs every number at this step."""
        now = time.time_ns() // 1_000_000
        metrics = [self._metric(name, number, now, int(step)) for name, number in one_number_each(values).items()]
        for first in range(0, len(metrics), _BATCH):
            self._client.log_batch(self._run_id, metrics=metrics[first : first + _BATCH])

    def figure(self, name: str, path: str | os.PathLike[str]) -> None:
        """Logs the picture as an artifact; the same name again replaces it."""
        picture = checked_picture(path, ".png", ".svg")
        folder, base = posixpath.split(f"figures/{checked_name(name)}{picture.suffix.lower()}")
        with tempfile.TemporaryDirectory() as place:
            self._client.log_artifact(self._run_id, str(shutil.copyfile(picture, Path(place, base))), folder)

    def document(self, name: str, text: str) -> None:
        """Logs the text as an artifact."""
        self._client.log_text(self._run_id, text, f"documents/{checked_name(name)}")

    def close(self) -> None:
        """Marks the run as finished; closing twice is harmless."""
        if self._open:
            self._client.set_terminated(self._run_id)
            self._open = False

    def _new_run(self, experiment: str, run_name: str | None) -> str:
        found = self._client.get_experiment_by_name(experiment)
        identity = found.experiment_id if found else self._client.create_experiment(experiment)
        return str(self._client.create_run(identity, run_name=run_name).info.run_id)
