"""Figures and texts on their way to a sink, one that takes them or not."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from docendo.sinks.base import FileSink, Sink

__all__ = ["Drawing", "publish"]

RESOLUTION = 150
"""Dots per inch of what is drawn for a tracker's page."""


@runtime_checkable
class Drawing(Protocol):
    """What can be written as a picture: a Matplotlib figure."""

    def savefig(self, fname: Any, *, dpi: float, format: str) -> Any:
        """Writes it."""


def publish(
    sink: Sink,
    *,
    figures: Mapping[str, Drawing | str | os.PathLike[str]] | None = None,
    documents: Mapping[str, str] | None = None,
) -> None:
    """Hands figures and texts to a sink; one that takes numbers only gets none of them.

    Args:
        sink: Where they go; it stays open.
        figures: By their names, PNG or SVG files, or Matplotlib figures such as ``run.plot()``, sent as PNG.
        documents: Texts by their names, say ``{"study.toml": text}``.

    Raises:
        ValueError: A name can't be the name of a file, or a picture is missing or of a kind that the sink can't take.
    """
    if not isinstance(sink, FileSink):
        return
    for name, text in (documents or {}).items():
        sink.document(name, text)
    for name, figure in (figures or {}).items():
        if isinstance(figure, Drawing):
            _draw(sink, name, figure)
        else:
            sink.figure(name, figure)


def _draw(sink: FileSink, name: str, figure: Drawing) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "figure.png")
        figure.savefig(path, dpi=RESOLUTION, format="png")
        sink.figure(name, path)
