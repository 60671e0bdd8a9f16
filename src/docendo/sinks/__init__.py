"""Where a run's numbers can go while it runs: a JSON-lines file, TensorBoard, Weights & Biases, MLflow.

Pass one as ``dc.train(..., sink=...)``. Anything else with ``log(step, values)`` and ``close()`` serves as well.
"""

from docendo.sinks.base import Sink
from docendo.sinks.jsonl import JsonLines
from docendo.sinks.mlflow import MLflow
from docendo.sinks.tensorboard import TensorBoard
from docendo.sinks.wandb import WandB

__all__ = ["JsonLines", "MLflow", "Sink", "TensorBoard", "WandB"]
