"""The runner: what is finished is kept, failures stay alone, kill -9 leaves no half-written result."""

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from docendo.experiments import runner
from docendo.experiments.base import Experiment
from docendo.files import read_json
from docendo.results import load_result
from docendo.training import load_run
from tests import house

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes by /proc")

HERE = str(Path(__file__).parent)
PATIENCE = 60.0

# A process that runs the experiments named, as `docendo reproduce` would.
CALLER = """
import sys

sys.path.insert(0, {here!r})

import program_for_tests
from docendo.experiments import runner
from docendo.experiments.base import Experiment

if __name__ == "__main__":
    sizes = program_for_tests.Sizes({label!r})
    runner.EXPERIMENTS = tuple(
        Experiment(name, name, "none", "program_for_tests:" + name, sizes, sizes, seconds=1) for name in {names!r}
    )
    runner.reproduce({out!r}, jobs=2, progress=True)
"""


@pytest.fixture
def experiments(monkeypatch):
    """Three experiments of `program_for_tests`, found by the processes through their path."""
    monkeypatch.setattr(sys, "path", [HERE, *sys.path])

    program = importlib.import_module("program_for_tests")

    def install(*names, label=None):
        made = [
            Experiment(name, name, "none", f"program_for_tests:{name}", sizes, sizes, seconds=1)
            for name, sizes in ((name, program.Sizes(label or name)) for name in names)
        ]
        monkeypatch.setattr(runner, "EXPERIMENTS", tuple(made))

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


@needs_proc
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
    until(lambda: (out / "runs" / "works" / "result.json").exists() and len(children(os.getpid())) == 1)
    for pid in children(os.getpid()):
        os.kill(pid, signal.SIGKILL)


def until(true):
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def children(of):
    """The processes that `of` started for experiments."""
    listed = Path(f"/proc/{of}/task").glob("*/children")
    pids = [int(pid) for each in listed for pid in each.read_text().split()]
    return [pid for pid in pids if b"spawn_main" in command(pid)]


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@contextmanager
def calling(folder, label, *names):
    """A process of its own that reproduces into `folder / "out"`; it and its children are in one group."""
    program = folder / "caller.py"
    program.write_text(CALLER.format(here=HERE, label=label, names=names, out=str(folder / "out")))
    with open(folder / "said", "w") as said:
        process = subprocess.Popen([sys.executable, program], stderr=said, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@needs_proc
def test_ctrl_c_ends_all_quietly_and_keeps_what_is_finished(tmp_path):
    runs = tmp_path / "out" / "runs"
    with calling(tmp_path, "stopped", "works", "waits") as process:
        until(lambda: (runs / "works" / "result.json").exists() and (runs / "waits").exists())
        until(lambda: len(children(process.pid)) == 1)
        (waiting,) = children(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE) == -signal.SIGINT
    assert command(waiting) == b""
    said = (tmp_path / "said").read_text()
    assert said.count("Traceback") == 1 and said.endswith("KeyboardInterrupt\n")
    entries = read_json(tmp_path / "out" / "summary.json")["experiments"]
    assert {name: entry["status"] for name, entry in entries.items()} == {"works": "finished", "waits": "unfinished"}


@needs_proc
def test_kill_9_leaves_no_process_and_no_half_result_and_the_next_call_goes_on(experiments, tmp_path):
    note, folder = tmp_path / "note", tmp_path / "out" / "runs" / "trains_then_waits"
    note.mkdir()
    with calling(tmp_path, str(note), "trains_then_waits") as process:
        until((note / "waiting").exists)
        (waiting,) = children(process.pid)
        process.kill()
        until(lambda: command(waiting) == b"")
    saves = (note / "saves").read_text()
    assert saves.count("a save") == 5
    assert [file.name for file in folder.iterdir()] == ["checkpoints"]
    (note / "go").touch()
    experiments("trains_then_waits", label=str(note))
    summary = runner.reproduce(tmp_path / "out")
    assert summary["experiments"]["trains_then_waits"]["status"] == "finished"
    assert (note / "saves").read_text() == saves, "what was trained is not trained again"
    assert load_run(folder / "part.nc").data.step[-1] == 50
    assert sorted(file.name for file in folder.iterdir()) == ["figures.json", "part.nc", "result.json"]


def test_another_configuration_leaves_nothing_of_the_last_one(experiments, tmp_path):
    folder = tmp_path / "runs" / "fails"
    (folder / "checkpoints" / "another").mkdir(parents=True)
    for name in ("result.json", "figures.json", "old.nc"):
        (folder / name).write_text("{}")
    experiments("fails")
    runner.reproduce(tmp_path)
    assert [file.name for file in folder.iterdir() if file.is_file()] == ["error.json"]
    assert not (folder / "checkpoints" / "another").exists()


def test_the_summary_keeps_what_earlier_calls_found(experiments, tmp_path):
    experiments("works", "fails")
    runner.reproduce(tmp_path, only=["works"])
    summary = runner.reproduce(tmp_path, only=["fails"])
    assert list(summary["experiments"]) == ["fails"]
    assert list(read_json(tmp_path / "summary.json")["experiments"]) == ["works", "fails"]


def test_what_runs_is_said(experiments, tmp_path, capsys):
    experiments("works")
    runner.reproduce(tmp_path, progress=True)
    said = capsys.readouterr().err
    assert "works: started" in said and "works: finished in " in said and "all experiments: 1 of 1 s of work" in said
    runner.reproduce(tmp_path, progress=True)
    assert capsys.readouterr().err == "1 of 1 experiments are finished already\n"


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


def test_the_calling_process_starts_no_jax():
    files = [f"experiments/{name}.py" for name in ("runner", "worker", "registry", "base")]
    assert {file: heavy for file in files if (heavy := house.JAX & house.started(house.SOURCE, file).keys())} == {}
