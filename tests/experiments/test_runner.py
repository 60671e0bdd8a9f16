"""The runner: what is finished is kept, failures stay alone, kill -9 leaves no half-written result."""

import importlib
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from docendo.experiments import runner
from docendo.experiments.base import Experiment
from docendo.files import read_json
from docendo.results import load_result

HERE = str(Path(__file__).parent)


@pytest.fixture
def experiments(monkeypatch):
    """Three experiments of `program_for_tests`, found by the processes through their path."""
    monkeypatch.setattr(sys, "path", [HERE, *sys.path])

    program = importlib.import_module("program_for_tests")

    def make(name):
        sizes = program.Sizes(name)
        return Experiment(name, name, "none", f"program_for_tests:{name}", sizes, sizes, seconds=1)

    made = {name: make(name) for name in ("works", "fails", "waits")}

    def install(*names):
        monkeypatch.setattr(runner, "EXPERIMENTS", tuple(made[name] for name in names))

    return install


def test_one_that_fails_takes_no_other_with_it(experiments, tmp_path):
    experiments("fails", "works")
    summary = runner.reproduce(tmp_path, jobs=2)
    assert summary["experiments"]["works"]["status"] == "finished"
    assert summary["experiments"]["works"]["numbers"] == {"one": 1.0}
    assert summary["experiments"]["fails"] == {"status": "failed", "message": "RuntimeError: as it should"}
    assert "as it should" in read_json(tmp_path / "runs" / "fails" / "error.json")["traceback"]
    assert read_json(tmp_path / "summary.json") == summary


def test_what_is_finished_is_kept_and_other_settings_are_not(experiments, tmp_path):
    experiments("works")
    runner.reproduce(tmp_path)
    path = tmp_path / "runs" / "works" / "result.json"
    first = path.stat().st_mtime_ns
    runner.reproduce(tmp_path)
    assert path.stat().st_mtime_ns == first
    runner.reproduce(tmp_path, seed=1)
    assert path.stat().st_mtime_ns > first
    assert load_result(path.parent).settings["seed"] == 1


def test_a_killed_process_is_reported_and_run_again(experiments, tmp_path):
    experiments("waits", "works")
    killer = threading.Thread(target=_kill_the_waiting, args=(tmp_path,))
    killer.start()
    summary = runner.reproduce(tmp_path, jobs=2)
    killer.join()
    entry = summary["experiments"]["waits"]
    assert entry["status"] == "failed" and "exit code -9" in entry["message"]
    assert summary["experiments"]["works"]["status"] == "finished"
    assert not (tmp_path / "runs" / "waits" / "result.json").exists()


def _kill_the_waiting(out):
    """Once the other has finished, kill the child of this process that is still there."""
    deadline = time.monotonic() + 60
    while not (out / "runs" / "works" / "result.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    for pid in _children():
        os.kill(pid, signal.SIGKILL)


def _children():
    listed = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    pids = [int(pid) for each in listed for pid in each.read_text().split()]
    return [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"only": ["wrks"]}, "Did you mean 'works'"),
        ({"jobs": 0}, "at least 1, got 0"),
    ],
)
def test_bad_calls_end_before_any_work(experiments, tmp_path, arguments, message):
    experiments("works")
    with pytest.raises(ValueError, match=message):
        runner.reproduce(tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()


def test_digits_are_read_before_any_work(tmp_path):
    with pytest.raises(ValueError, match="doesn't exist"):
        runner.reproduce(tmp_path, only=["mnist"], digits=str(tmp_path / "nowhere"))
    assert not (tmp_path / "runs").exists()
