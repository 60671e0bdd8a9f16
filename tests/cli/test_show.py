"""`docendo show`: a run, a report, and what is neither."""

import json
from pathlib import Path

import pytest

import docendo as dc
from docendo.results import Finding, Result as Outcome, store_result
from tests.cli.calling import docendo, succeed


def test_show_a_run(stored: Path) -> None:
    run = dc.load_run(stored)
    said = succeed(f"show {stored}")
    course = said.split("\n\n")[0].splitlines()
    assert course[0].split() == ["step", "excess_loss", "local_exponent", "value_error", "score_error"]
    first, last = course[1].split(), course[-1].split()
    assert first[:2] == ["1", f"{float(run.data.excess_loss[0]):.4g}"]
    assert last[:2] == ["20", f"{float(run.data.excess_loss[-1]):.4g}"]
    for name in ("logit_spread_inside", "value_off_line", "c2"):
        assert name in said
    picture = said.split("attention at the end")[1].splitlines()[1:]
    assert [len(line) for line in picture] == [10] * 6
    assert json.loads(succeed(f"show {stored} --json"))["end"]["excess_loss"] == float(run.data.excess_loss[-1])


def outcome(name: str, **measured: float) -> Outcome:
    findings = [
        Finding(f"slope of {claim}", -1.0, value, None, None, "", "agrees") for claim, value in measured.items()
    ]
    return Outcome(name, name.title(), "Figure 2", "", {}, findings, "abc", 2.0)


def test_show_a_report(tmp_path: Path) -> None:
    store_result(writable(tmp_path / "runs" / "cycle"), outcome("cycle", loss=-1.01, error=-0.52), [])
    store_result(writable(tmp_path / "runs" / "pooling"), outcome("pooling", loss=-0.98), [])
    (tmp_path / "runs" / "unfinished").mkdir()
    lines = [line.split() for line in succeed(f"show {tmp_path}").splitlines()]
    assert lines[1] == ["cycle", "(Figure", "2)"]
    assert lines[2] == ["-", "slope", "of", "loss", "-1", "-1.01", "agrees"]
    assert lines[3] == ["-", "slope", "of", "error", "-1", "-0.52", "agrees"]
    assert lines[4][0] == "pooling"
    assert " ".join(lines[-2]) == "2 finished, 4 s of computing: 3 agrees"
    assert " ".join(lines[-1]) == "unfinished: stopped before its end"


def writable(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is not a file"),
        (b"", "cannot be read as a run"),
        (b"nonsense", "cannot be read as a run"),
        ("truncated", "cannot be read as a run"),
    ],
)
def test_show_what_is_no_run(content: bytes | str | None, message: str, stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "file.nc"
    if content is not None:
        whole = stored.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if isinstance(content, str) else content)
    done = docendo(f"show {file}")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert str(file) in done.stderr
    assert message in done.stderr


def test_a_report_has_its_json_already(tmp_path: Path) -> None:
    done = docendo(f"show {tmp_path} --json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert str(tmp_path / "summary.json") in done.stderr


def test_show_an_empty_folder(tmp_path: Path) -> None:
    done = docendo(f"show {tmp_path}")
    assert done.exit_code == 2
    assert f"docendo reproduce --out {tmp_path}" in done.stderr
