"""Trackers by name, for the command line: `tensorboard:events`, `wandb:project`, `mlflow:experiment`, `jsonl:file`."""

from collections.abc import Callable, Mapping
from typing import Any

from docendo import sinks
from docendo.sinks import Sink
from docendo.training import Run

__all__ = ["hand_over", "make_sink"]

_KINDS: Mapping[str, Callable[[str], Any]] = {
    "jsonl": lambda where: sinks.JsonLines(where),
    "tensorboard": lambda where: sinks.TensorBoard(where),
    "wandb": lambda where: sinks.WandB(project=where),
    "mlflow": lambda where: sinks.MLflow(where),
}


def make_sink(text: str | None) -> Sink | None:
    """The tracker that `KIND:WHERE` names; None for None.

    Raises:
        ValueError: an unknown kind, nothing after the colon, or a package that is not installed.
    """
    if text is None:
        return None
    kind, _, where = text.partition(":")
    if kind not in _KINDS or not where:
        raise ValueError(f"--track is {', '.join(_KINDS)}, a colon and a place, got {text!r}. Try tensorboard:events.")
    try:
        return _KINDS[kind](where)
    except ImportError as error:
        raise ValueError(str(error)) from error


def hand_over(sink: Sink | None, run: Run, documents: Mapping[str, str]) -> None:
    """What a tracker gets once the run has ended: its curves, where there are any, and the study file."""
    if sink is None:
        return
    has_curves = (run.data["time"].values > 0).any()
    sinks.publish(sink, figures={"curves": run.plot()} if has_curves else {}, documents=documents)
    sink.close()
