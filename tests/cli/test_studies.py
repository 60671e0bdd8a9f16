"""`docendo sweep`, `status`, `show` of a study, and `train` from a study file."""

import json
from pathlib import Path

import pytest

import docendo as dc
from tests.cli.calling import docendo, succeed

STUDY = """
name = "tiny"
[teacher]
kind = "random"
tokens = 4
sparsity = 2
features = 3
channels = 2
[dynamics]
steps = 30
[saves]
count = 5
"""
AXES = """
[sweep]
dynamics.learning_rate = [0.1, 0.2]
seed = [0, 1]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study."""
    here = tmp_path_factory.mktemp("study")
    (here / "tiny.toml").write_text(STUDY + AXES)
    said = succeed(f"sweep {here / 'tiny.toml'} --quiet")
    assert "4 of 4 cells done" in said
    return here / "tiny"


def test_status_counts(folder: Path) -> None:
    assert "done" in succeed(f"status {folder}")
    state = json.loads(succeed(f"status {folder} --json"))
    assert state == {"study": "tiny", "cells": 4, "done": 4, "running": 0, "failed": 0, "left": 0, "seconds_left": None}


def test_show_tells_where_the_cells_ended_and_draws_them(folder: Path) -> None:
    said = succeed(f"show {folder}")
    assert "tiny: 4 of 4 cells" in said and said.count("completed") + said.count("comple") >= 4
    assert sorted(path.name for path in (folder / "figures").iterdir()) == ["study.png", "study.svg"]
    rows = json.loads(succeed(f"show {folder} --json"))
    data = dc.open_study(folder)
    assert [row["seed"] for row in rows] == [0, 1, 0, 1]
    assert rows[3]["excess_loss"] == pytest.approx(
        float(data["excess_loss"].sel(learning_rate=0.2, seed=1)[-1]), rel=1e-14
    )


def test_show_exports(folder: Path, tmp_path: Path) -> None:
    succeed(f"show {folder} --out {tmp_path / 'a' / 'cells.csv'}")
    assert (tmp_path / "a" / "cells.csv").read_text().startswith("learning_rate,seed,step,")
    succeed(f"show {folder} --out {tmp_path / 'study.png'}")
    assert (tmp_path / "study.png").read_bytes().startswith(b"\x89PNG")
    refused = docendo(f"show {folder} --out cells.xlsx")
    assert refused.exit_code == 2 and "written as .csv, .parquet, .nc, .svg, .png" in refused.stderr


def test_train_takes_a_study_of_one_cell(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text(STUDY)
    out = tmp_path / "run.nc"
    succeed(f"train {file} dynamics.learning_rate=0.2 seed=1 --quiet --out {out}")
    stored = dc.open_study(folder)["excess_loss"].sel(learning_rate=0.2, seed=1)
    assert dc.load_run(out).data["excess_loss"].values == pytest.approx(stored.values, rel=1e-12)


def test_train_tracks_numbers_figure_and_study(tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text(STUDY)
    log = tmp_path / "log.jsonl"
    succeed(f"train {file} seed=1 --quiet --track jsonl:{log}")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert sum("excess_loss" in line for line in lines) == 5
    assert "seed = 1" in log.read_text() and list((tmp_path / "log.figures").iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("train {file} seed=0 dynamics.learning_rate=0.1 --track carrier:pigeon", "Try tensorboard:events"),
        ("train {file} --tokens 3", "--tokens goes without a study file"),
        ("train {file} seed=0,1", "has 4 cells, and train runs one"),
        ("train", "Name a study file, or a teacher"),
        ("sweep {file} --shard 0/2", "a shard is i of n"),
        ("sweep {file} --shard two", "--shard is I/N"),
        ("sweep {file} --jobs 0", "at least 1, got 0"),
        ("sweep {file} --scheduler nowhere:1", "no Dask scheduler answers"),
        ("sweep {file} teacher.sparsity=5", "sparsity must not exceed tokens"),
        ("sweep {file} --out {file}", "must exist and be writable"),
        ("status {here}", "holds no study"),
        ("show {here} --out cells.csv", "--out is for a study's folder"),
    ],
)
def test_what_is_refused(arguments: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(STUDY + AXES)
    done = docendo(arguments.format(file=file, here=tmp_path))
    assert done.exit_code == 2 and message in done.stderr, done.output
    assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]
