"""The JSON-lines file, above all what it holds after a run was killed and resumed."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from docendo.sinks import JsonLines


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


def test_repr_names_the_file(tmp_path: Path) -> None:
    assert repr(JsonLines(tmp_path / "log")) == f"JsonLines({str(tmp_path / 'log')!r})"
