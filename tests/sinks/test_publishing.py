"""Figures and texts on their way to sinks."""

from pathlib import Path

import matplotlib.figure
import matplotlib.image
import pytest

from docendo.sinks import JsonLines, publish
from tests.sinks.pictures import SVG, svg


class NumbersOnly:
    def log(self, step, values):
        pass

    def close(self):
        pass


def test_files_drawings_and_texts_reach_a_sink(tmp_path: Path) -> None:
    sink = JsonLines(tmp_path / "log.jsonl")
    drawing = matplotlib.figure.Figure(figsize=(2, 1))
    publish(sink, figures={"drawn": drawing, "saved": svg(tmp_path)}, documents={"study.toml": "[teacher]"})
    sink.close()
    pixels = matplotlib.image.imread(tmp_path / "log.figures" / "drawn.png")
    assert pixels.shape[:2] == (150, 300)
    assert (tmp_path / "log.figures" / "saved.svg").read_text() == SVG
    assert '"text": "[teacher]"' in (tmp_path / "log.jsonl").read_text()


def test_sink_of_numbers_gets_none_of_it(tmp_path: Path) -> None:
    publish(NumbersOnly(), figures={"curves": tmp_path / "no.png"}, documents={"study.toml": ""})


def test_what_no_sink_can_take_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no picture"):
        publish(JsonLines(tmp_path / "log"), figures={"curves": tmp_path / "no.png"})
