"""Where a run's numbers can go while it runs: a JSON-lines file, TensorBoard, Weights & Biases, MLflow.

Pass one as ``dc.train(..., sink=...)``. Anything else with ``log(step, values)`` and ``close()`` serves as well. What
a run can't give by itself, figures and texts, is handed over by `publish`.
"""

from docendo.sinks.base import FileSink, Sink
from docendo.sinks.jsonl import JsonLines
from docendo.sinks.mlflow import MLflow
from docendo.sinks.publishing import publish
from docendo.sinks.tensorboard import TensorBoard
from docendo.sinks.wandb import WandB

__all__ = ["FileSink", "JsonLines", "MLflow", "Sink", "TensorBoard", "WandB", "publish"]
