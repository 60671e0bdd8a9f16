"""Sweeps with real processes: killed, stopped, doubled, without disk; nothing is lost, and bits stay the same."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import docendo as dc
from docendo.files import read_json
from docendo.studies.gathering import run_of
from docendo.studies.state import state_of
from docendo.studies.store import open_store

PATIENCE = 120
KILLS = 5

# Two programs that are batched, one that is not, and one that samples: every way a cell can be run.
BATCHED = """
name = "batched"
[teacher]
kind = "random"
tokens = 4
features = 3
channels = 2
[dynamics]
steps = 200000
[saves]
count = 20
[sweep]
teacher.sparsity = [1, 2]
seed = {count = 6}
"""
SAMPLED = """
name = "sampled"
[teacher]
kind = "random"
tokens = 4
sparsity = 2
features = 3
channels = 2
[dynamics]
kind = "online"
learning_rate = 0.01
batch_size = 10
steps = 20000
[saves]
count = 12
[sweep]
seed = {count = 4}
"""


@pytest.fixture
def batched(tmp_path):
    path = tmp_path / "batched.toml"
    path.write_text(BATCHED)
    return path


def command(study, out, *more):
    return [sys.executable, "-m", "docendo", "sweep", str(study), "--out", str(out), *more]


def until(true):
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc")


def at_work(out):
    """Whether a living process is at a job; notes of dead ones stay."""
    notes = [read_json(path) for path in (out / "running").glob("*.json") if path.exists()]
    return any(Path(f"/proc/{note['process']}").exists() for note in notes)


def results(out):
    """Everything that was computed, by cell: bits, not texts."""
    store = open_store(out)
    return {cell: {name: values.tobytes() for name, values in store.get(cell)[0].items()} for cell in store.finished()}


def wait(process):
    process.wait(PATIENCE)
    return process.returncode


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """Both studies, run without a stop."""
    made = {}
    for name, text in (("batched", BATCHED), ("sampled", SAMPLED)):
        folder = tmp_path_factory.mktemp("straight")
        (folder / "study.toml").write_text(text)
        done = subprocess.run(
            command(folder / "study.toml", folder / "out"), capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stderr
        made[name] = folder / "out"
    return made


@needs_proc
@pytest.mark.parametrize(("name", "text"), [("batched", BATCHED), ("sampled", SAMPLED)])
def test_kill_9_at_any_moment_loses_nothing_and_changes_no_bit(name, text, straight, tmp_path):
    rng = random.Random(name)
    (tmp_path / "study.toml").write_text(text)
    out = tmp_path / "out"
    for _ in range(KILLS):
        process = subprocess.Popen(
            command(tmp_path / "study.toml", out, "--quiet"), start_new_session=True, stderr=subprocess.DEVNULL
        )
        # Workers are at something from here on; the moment is anything from then on.
        until(lambda process=process: process.poll() is not None or at_work(out))
        time.sleep(rng.uniform(0, 1.0))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
    done = subprocess.run(command(tmp_path / "study.toml", out), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert results(out) == results(straight[name])
    assert [path.name for path in out.rglob("*.tmp")] == []


def test_sigterm_and_ctrl_c_keep_what_is_done(batched, straight, tmp_path):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
        out = tmp_path / f"out{number}"
        process = subprocess.Popen(command(batched, out, "--quiet"), stderr=subprocess.PIPE, text=True)
        until(lambda out=out: any((out / "running").glob("*.json")))
        process.send_signal(number)
        assert wait(process) == code
        assert "Traceback" not in process.stderr.read()
        until(lambda out=out: state_of(open_store(out)).running == 0)
        assert subprocess.run(command(batched, out, "--quiet"), timeout=PATIENCE).returncode == 0
        assert results(out) == results(straight["batched"])


def test_two_sweeps_on_one_folder_share_the_work(batched, straight, tmp_path):
    out = tmp_path / "out"
    both = [
        subprocess.Popen(command(batched, out, "--jobs", "1", "--quiet"), stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [wait(process) for process in both] == [0, 0], [process.stderr.read() for process in both]
    assert results(out) == results(straight["batched"])
    files = [path.name for path in (out / "cells").rglob("*.npz")]
    assert len(files) == len(set(files)) == 12


def test_a_killed_worker_is_replaced_and_no_cell_is_lost_or_doubled(batched, straight, tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(command(batched, out, "--jobs", "1", "--quiet"), stderr=subprocess.PIPE, text=True)
    notes = out / "running"
    until(lambda: any(notes.glob("*.json")))
    worker = read_json(next(iter(notes.glob("*.json"))))["process"]
    os.kill(worker, signal.SIGKILL)
    assert wait(process) == 0, process.stderr.read()
    assert results(out) == results(straight["batched"])


def test_shards_together_are_the_whole(batched, straight, tmp_path):
    out = tmp_path / "out"
    for part in ("1/2", "2/2"):
        assert subprocess.run(command(batched, out, "--shard", part, "--quiet"), timeout=PATIENCE).returncode == 0
    assert results(out) == results(straight["batched"])


def test_a_changed_axis_uses_again_what_is_done(straight, tmp_path):
    out = tmp_path / "out"
    subprocess.run(["cp", "-r", str(straight["batched"]), str(out)], check=True)
    before = {path: path.stat().st_mtime_ns for path in (out / "cells").rglob("*.npz")}
    data = dc.sweep(out / "study.toml", out, overrides=["seed={count=7}"])
    assert data.sizes["seed"] == 7 and (data["status"] == "completed").all()
    assert {path: path.stat().st_mtime_ns for path in before} == before
    store = open_store(out)
    assert len(store.cells) == 14 and len(list((out / "cells").rglob("*.npz"))) == 14


def test_a_cell_that_fails_is_kept_with_its_error_and_stops_no_other(batched, tmp_path):
    out = tmp_path / "out"
    done = subprocess.run(
        command(batched, out, "teacher.sparsity=1,9", "dynamics.steps=100", "execution.retries=0")[:-1],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert "sparsity must not exceed tokens, got sparsity=9 > tokens=4" in done.stderr
    store = open_store(out)
    assert len(store.finished()) == 6 and len(store.failed()) == 6
    failure = store.failure(6)
    assert failure["attempts"] == 2 and "Traceback" in failure["traceback"]
    data = dc.open_study(out)
    assert data["status"].sel(sparsity=9).values.tolist() == ["failed"] * 6
    assert (
        np.isnan(data["excess_loss"].sel(sparsity=9)).all() and np.isfinite(data["excess_loss"].sel(sparsity=1)).all()
    )


def test_results_are_those_of_train(straight):
    store = open_store(straight["batched"])
    settings = store.cells[7].settings
    teacher = dc.teachers.random(
        4, sparsity=settings.teacher.sparsity, features=3, channels=2, activation=dc.relu, seed=settings.seed
    )
    rate = 0.5 * dc.stable_learning_rate(teacher)
    start = dc.PositionOnly.zeros(teacher)
    run = dc.train(teacher, start, dc.GradientDescent(rate), 200_000, save_at=dc.log_spaced(20))
    stored = run_of(store, 7)
    assert stored.status == run.status
    np.testing.assert_allclose(stored.data["excess_loss"], run.data["excess_loss"], rtol=1e-9)
    assert store.get(7)[1]["batch"] == {"width": 8, "cells": [6, 7, 8, 9, 10, 11]}


def test_dask_workers_do_the_same_and_one_may_be_killed(batched, straight, tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    out = tmp_path / "out"
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        ThreadPoolExecutor(1) as beside,
    ):
        future = beside.submit(dc.sweep, batched, out, executor=client.get_executor(pure=False, retries=2))
        notes = out / "running"
        until(lambda: future.done() or any(notes.glob("*.json")))
        if held := list(notes.glob("*.json")):
            os.kill(read_json(held[0])["process"], signal.SIGKILL)
        data = future.result(PATIENCE)
    assert (data["status"] == "completed").all()
    assert results(out) == results(straight["batched"])


def test_a_full_disk_is_one_message_and_nothing_is_lost(batched, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=192k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small file system can't be mounted here")
    try:
        done = subprocess.run(command(batched, disk / "out"), capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 1
        assert "No space left on device" in done.stderr and "Traceback" not in done.stderr
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        assert subprocess.run(command(batched, disk / "out"), timeout=PATIENCE).returncode == 0
        assert len(open_store(disk / "out").finished()) == 12
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_read_only_folder_is_one_message_and_can_still_be_read(batched, straight, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("a file system to make read-only can't be mounted here")
    try:
        shutil.copytree(straight["batched"], disk / "done")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        for out in (disk / "new", disk / "done"):
            refused = subprocess.run(command(batched, out, "seed=9"), capture_output=True, text=True, timeout=PATIENCE)
            assert refused.returncode != 0
            assert "Read-only file system" in refused.stderr and "Traceback" not in refused.stderr
        assert results(disk / "done") == results(straight["batched"])
        for reading in ("status", "show"):
            told = subprocess.run([sys.executable, "-m", "docendo", reading, str(disk / "done")], capture_output=True)
            assert b"Traceback" not in told.stderr
        assert dc.open_study(disk / "done").sizes["seed"] == 6
    finally:
        subprocess.run(["umount", str(disk)], check=True)
