"""The JSON-lines file, above all what it holds after a run was killed and resumed."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from docendo.sinks import JsonLines
from tests.sinks.pictures import png, svg


def logged(path: Path, *steps: int, tag: float = 0.0) -> Path:
    sink = JsonLines(path)
    for step in steps:
        sink.log(step, {"tag": tag})
    sink.close()
    return path


def read(path: Path) -> list[tuple[int, float]]:
    return [(line["step"], line["tag"]) for line in map(json.loads, path.read_text().splitlines())]


def test_lines_are_strict_json_and_on_the_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "log.jsonl"
    sink = JsonLines(path)
    assert not path.exists()
    sink.log(1, {"loss": np.float64(0.1), "bad": np.inf, "v": np.array([1.0, np.nan]), "n": 3})
    assert path.read_text() == '{"step": 1, "loss": 0.1, "bad": null, "v": [1.0, null], "n": 3}\n'
    sink.log(2, {})
    assert path.read_text().endswith('\n{"step": 2}\n')
    sink.close()
    sink.close()


def test_resumed_log_drops_what_the_resumed_run_repeats(tmp_path: Path) -> None:
    path = logged(tmp_path / "log", 0, 1, 10, 100)
    logged(path, 10, 100, 1000, tag=1.0)
    assert read(path) == [(0, 0.0), (1, 0.0), (10, 1.0), (100, 1.0), (1000, 1.0)]


def test_new_run_begins_a_new_log(tmp_path: Path) -> None:
    path = logged(tmp_path / "log", 0, 1, 10)
    logged(path, 0, tag=1.0)
    assert read(path) == [(0, 1.0)]


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 10_000), resumed=st.integers(0, 7))
def test_log_cut_anywhere_is_continued(tmp_path: Path, cut: int, resumed: int) -> None:
    path = logged(tmp_path / "log", *range(6))
    content = path.read_bytes()
    path.write_bytes(content[: cut % (len(content) + 1)])
    whole = path.read_bytes().count(b"\n")
    logged(path, resumed, tag=1.0)
    assert read(path) == [(step, 0.0) for step in range(min(whole, resumed))] + [(resumed, 1.0)]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"my thesis, chapter one\n", 1),
        (b"my thesis, in one line", 1),
        (b'{"step": 1}\n[1, 2]\n', 2),
        (b'{"step": 1}\n{"loss": 1}\n', 2),
        (b'{"step": "1"}\n', 1),
        (b"\xff\x00\n", 1),
        (b"[" * 100_000 + b"\n", 1),
    ],
)
def test_file_that_is_no_log_is_refused_and_left_alone(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "notes"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"notes is not a log to continue: line {line} is .*Choose another file"):
        logged(path, 5)
    assert path.read_bytes() == content


def test_bad_values_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    sink = JsonLines(tmp_path / "log")
    with pytest.raises(ValueError, match="got loss='high'"):
        sink.log(1, {"loss": "high"})
    with pytest.raises(ValueError, match="'step' is the name of the line's step, got a value of that name: 3"):
        sink.log(1, {"step": 3})
    assert list(tmp_path.iterdir()) == []


def test_paths_that_cannot_be_logs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a log must be a file, .* is a folder. Try .*log.jsonl"):
        JsonLines(tmp_path)
    logged(tmp_path / "log", 1)
    with pytest.raises(ValueError, match="can't make the folder of .*log/below"):
        JsonLines(tmp_path / "log" / "below")


def content(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_figures_and_documents_are_lines_among_the_numbers(tmp_path: Path) -> None:
    path, picture = tmp_path / "log.jsonl", png(tmp_path)
    sink = JsonLines(path)
    sink.document("study.toml", "[teacher]\nname = 'η'\n")
    assert not path.exists()
    sink.log(5, {"loss": 0.5})
    sink.figure("curves", picture)
    sink.figure("more/S", svg(tmp_path))
    sink.log(6, {"loss": 0.25})
    sink.close()
    assert content(path) == [
        {"step": 5, "document": "study.toml", "text": "[teacher]\nname = 'η'\n"},
        {"step": 5, "loss": 0.5},
        {"step": 5, "figure": "curves", "file": "log.figures/curves.png"},
        {"step": 5, "figure": "more/S", "file": "log.figures/more/S.svg"},
        {"step": 6, "loss": 0.25},
    ]
    assert (tmp_path / "log.figures" / "curves.png").read_bytes() == picture.read_bytes()
    assert (tmp_path / "log.figures" / "more" / "S.svg").exists()


def test_figure_that_lies_in_its_place_already_stays(tmp_path: Path) -> None:
    sink = JsonLines(tmp_path / "log.jsonl")
    sink.figure("curves", png(tmp_path))
    before = (tmp_path / "log.figures" / "curves.png").read_bytes()
    sink.figure("curves", tmp_path / "log.figures" / "curves.png")
    assert (tmp_path / "log.figures" / "curves.png").read_bytes() == before


def test_document_of_a_resumed_run_drops_no_earlier_step(tmp_path: Path) -> None:
    path = logged(tmp_path / "log", 0, 1, 10, 100)
    sink = JsonLines(path)
    sink.document("note", "resumed")
    sink.log(10, {"tag": 1.0})
    sink.close()
    lines = content(path)
    assert [line["step"] for line in lines] == [0, 1, 10, 10]
    assert lines[2] == {"step": 10, "document": "note", "text": "resumed"}


def test_document_without_numbers_goes_after_all_that_is_there(tmp_path: Path) -> None:
    path = logged(tmp_path / "log", 0, 7)
    with open(path, "a") as stream:
        stream.write('{"step": 8, "ta')
    sink = JsonLines(path)
    sink.document("note", "done")
    sink.close()
    sink.close()
    assert [line["step"] for line in content(path)] == [0, 7, 7]
    sink = JsonLines(tmp_path / "new")
    sink.document("note", "first")
    sink.close()
    assert content(tmp_path / "new") == [{"step": 0, "document": "note", "text": "first"}]


def test_repr_names_the_file(tmp_path: Path) -> None:
    assert repr(JsonLines(tmp_path / "log")) == f"JsonLines({str(tmp_path / 'log')!r})"
