"""`docendo reproduce`: what it asks the runner for, what it says of what came out, and how it ends."""

from pathlib import Path
from typing import Any

import pytest

from docendo.experiments.registry import EXPERIMENTS
from docendo.results import Finding, Result, store_result
from tests.cli.calling import docendo, succeed

Asked = list[tuple[Path, dict[str, Any]]]


def store(out: Path, name: str) -> None:
    folder = out / "runs" / name
    folder.mkdir(parents=True, exist_ok=True)
    findings = [
        Finding("slope of the excess loss", -1.0, -1.01, -1.02, -1.0, "local exponent", "agrees"),
        Finding("nothing came out", -1.0, None, None, None, "down to rounding", "not applicable"),
    ]
    store_result(folder, Result(name, "A cycle", "Figure 2", "As claimed.", {}, findings, "abc", 2.0), [])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the runner was asked for; it finishes every experiment but those called `failing`."""
    seen: Asked = []

    def run(out: Path, **more: Any) -> dict[str, Any]:
        seen.append((out, more))
        entries = {}
        for name in more["only"] or ["cycle"]:
            if name != "failing":
                store(out, name)
            failed = {"status": "failed", "message": "RuntimeError: a defect"}
            entries[name] = failed if name == "failing" else {"status": "finished"}
        return {"experiments": entries}

    monkeypatch.setattr("docendo.experiments.runner.reproduce", run)
    return seen


def test_list_names_every_experiment(asked: Asked) -> None:
    names = [line.split()[0] for line in succeed("reproduce --list").splitlines() if not line.startswith(" ")]
    assert names == ["name", *(experiment.name for experiment in EXPERIMENTS)]
    assert asked == []


def test_flags(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    succeed("reproduce --jobs 3 --mnist here.npz --seed 4 --quick --quiet")
    out, flags = asked.pop()
    assert out == Path("docendo-report")
    assert flags.pop("beyond") is False
    assert flags == {"only": None, "quick": True, "seed": 4, "jobs": 3, "digits": "here.npz", "progress": False}
    succeed(f"reproduce --out {tmp_path / 'there'} --only one two --only three")
    out, flags = asked.pop()
    assert out == tmp_path / "there"
    assert (sorted(flags["only"]), flags["quick"], flags["digits"]) == (["one", "three", "two"], False, None)
    assert flags["progress"] is True
    succeed("reproduce --beyond")
    assert asked.pop()[1]["beyond"] is True
    assert 1 <= flags["jobs"] <= 4


def test_the_page_and_the_verdicts_are_shown(asked: Asked, tmp_path: Path) -> None:
    said = succeed(f"reproduce --out {tmp_path} --only cycle")
    assert "- slope of the excess loss -1 -1.01 agrees" in " ".join(said.split())
    assert "- nothing came out -1 not applicable" in " ".join(said.split())
    assert said.endswith(f"The report is {tmp_path / 'report.html'}\n")
    assert (tmp_path / "report.html").is_file()


def test_what_failed_is_said_and_the_rest_is_shown(asked: Asked, tmp_path: Path) -> None:
    done = docendo(f"reproduce --out {tmp_path} --only cycle failing")
    assert done.exit_code == 1
    assert done.stderr == "error: failing: RuntimeError: a defect\n"
    assert f"The report is {tmp_path / 'report.html'}" in done.stdout
    done = docendo(f"reproduce --out {tmp_path / 'other'} --only failing")
    assert (done.exit_code, done.stdout) == (1, "")


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("docendo.experiments.runner.reproduce", stop)
    done = docendo(f"reproduce --out {tmp_path}")
    assert done.exit_code == 130
    assert "Run the same command again to continue" in done.stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--only figure1", "Did you mean 'figure_1'"),
        ("--only mnist graph", "Did you mean"),
        ("--jobs 0", "jobs is how many experiments run at a time, at least 1, got 0. Try jobs=2."),
        ("--mnist nowhere.npz", "nowhere.npz doesn't exist"),
    ],
)
def test_bad_input(flags: str, message: str, tmp_path: Path) -> None:
    done = docendo(f"reproduce --out {tmp_path / 'report'} {flags}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    done = docendo(f"reproduce --out {tmp_path / 'file'}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"'{tmp_path / 'file'}' is not: " in done.stderr
