"""What a report's folder says: order, failures, what was run."""

from pathlib import Path

import h5netcdf
import pytest

from docendo.files import write_json
from docendo.report.facts import command, facts
from docendo.report.reading import read_stored
from docendo.results import store_result
from tests.pictures import folder, losses, result


def store(out: Path, name: str, paper: str) -> None:
    store_result(folder(out, name), result(name, paper=paper), [losses(name)])


def names(out: Path) -> list[str]:
    return [experiment.name for experiment in read_stored(out).experiments]


def test_order_is_the_summarys(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        store(tmp_path, name, "Figure 1")
    write_json(tmp_path / "summary.json", {"experiments": {name: {} for name in ("c", "a", "b")}})
    assert names(tmp_path) == ["c", "a", "b"]


def test_order_is_the_papers_where_the_summary_leaves_some_out(tmp_path: Path) -> None:
    for name, paper in (("a", "Figures 4 and 5"), ("b", "Figures 2 and 3"), ("d", "Figure 1"), ("c", "Figure 2 (a)")):
        store(tmp_path, name, paper)
    folder(tmp_path, "aa")
    write_json(tmp_path / "summary.json", {"experiments": {"a": {}}})
    assert names(tmp_path) == ["d", "b", "c", "a", "aa"]


def test_failed_and_unfinished_experiments_are_told_apart(tmp_path: Path) -> None:
    store(tmp_path, "good", "Figure 1")
    write_json(folder(tmp_path, "bad") / "error.json", {"error": "ValueError: no", "traceback": ""})
    folder(tmp_path, "slow")
    listed = {"good": {}, "bad": {}, "slow": {}, "never": {"message": "not started"}}
    write_json(tmp_path / "summary.json", {"experiments": listed})
    good, bad, slow, never = read_stored(tmp_path).experiments
    assert good.result is not None
    assert [each.result for each in (bad, slow, never)] == [None, None, None]
    assert bad.message == "failed: ValueError: no"
    assert slow.message == "stopped before its end"
    assert never.message == "not started"


def test_versions_are_the_datasets_own_and_all_of_them(tmp_path: Path) -> None:
    for name, version in (("a", "0.9.0"), ("b", "0.9.1"), ("c", "0.9.1")):
        store(tmp_path, name, "Figure 1")
        with h5netcdf.File(tmp_path / "runs" / name / "exact.nc", "w") as file:
            file.attrs.update({"jax_version": version, "device": "cpu"})
    assert read_stored(tmp_path).origin == {"JAX": "0.9.0 and 0.9.1", "device": "cpu"}


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        ({}, None),
        ({"seed": 3}, "docendo reproduce --seed 3"),
        ({"seed": 0, "quick": True}, "docendo reproduce --quick --seed 0"),
        ({"seed": 0, "command": "make reproduce"}, "make reproduce"),
    ],
)
def test_command_to_repeat(about: dict[str, object], expected: str | None) -> None:
    assert command(about) == expected


def test_facts_are_said_once() -> None:
    said = facts({"docendo_version": "0.1.0", "command": "x", "seed": 1}, {"docendo": "0.1.0 and 0.2.0", "JAX": "0.9"})
    assert said == {"docendo": "0.1.0 and 0.2.0", "seed": 1, "JAX": "0.9"}
