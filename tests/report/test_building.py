"""Building a report: whole or not at all, the same every time, and what a damaged folder is told."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from docendo.files import write_atomically, write_json
from docendo.report import build_report
from docendo.results import store_result
from tests.pictures import FIGURES, folder, losses, result, store_examples, store_theory


def small(out: Path) -> Path:
    """A report's folder with one experiment."""
    store_result(folder(out, "cycle"), result("cycle"), [losses("cycle_loss")])
    return out


def everything(out: Path) -> dict[str, bytes]:
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


def test_writes_the_page_and_two_files_a_figure(report: Path) -> None:
    names = [f"{name}.{kind}" for name in ("attention", "collapse", "losses", "worst") for kind in ("png", "svg")]
    assert sorted(os.listdir(report.parent / "figures")) == names
    assert sorted(os.listdir(report.parent)) == ["figures", "report.html", "runs", "summary.json", "theory"]


def test_needs_no_jax_and_gives_the_same_bytes_again(tmp_path: Path) -> None:
    program = (
        "import sys; from docendo.report import build_report; build_report(sys.argv[1]); sys.exit('jax' in sys.modules)"
    )
    written = []
    for _ in range(2):
        subprocess.run([sys.executable, "-c", program, str(small(tmp_path))], check=True)
        written.append(everything(tmp_path))
        shutil.rmtree(tmp_path / "runs")
    assert written[0] == written[1]


def test_a_report_is_made_from_one_experiment_alone(tmp_path: Path) -> None:
    page = build_report(str(small(tmp_path))).read_text(encoding="utf-8")
    assert "Theorem by theorem" not in page
    assert "To repeat it" not in page


def test_the_page_is_of_modest_size(report: Path) -> None:
    # Bokeh itself is 1.27 MB; twelve plots with 200 points a curve are the rest.
    assert report.stat().st_size < 1_700_000


def cut(path: str) -> Callable[[Path], object]:
    def damage(out: Path) -> None:
        content = (out / path).read_bytes()
        (out / path).write_bytes(content[: len(content) // 2])

    return damage


def put(path: str, value: object) -> Callable[[Path], object]:
    return lambda out: write_json(out / path, value)


def lose(path: str) -> Callable[[Path], object]:
    return lambda out: (out / path).unlink()


CASES = {
    "half a result": (cut("runs/odd/result.json"), "result.json is not JSON, or is cut short"),
    "half of the figures": (cut("runs/odd/figures.json"), "figures.json is not JSON, or is cut short"),
    "half a summary": (cut("summary.json"), "summary.json is not JSON, or is cut short"),
    "half a dataset": (cut("runs/convolution_relu/exact.nc"), "exact.nc can't be read as a dataset .* Delete"),
    "half a verdict": (cut("theory/theorem-3.1.json"), "theorem-3.1.json is not JSON, or is cut short"),
    "no figures": (lose("runs/odd/figures.json"), "can't read .*figures.json: No such file"),
    "a list for a result": (put("runs/odd/result.json", []), "not a result this version of docendo reads"),
    "a word for a figure": (put("runs/odd/figures.json", ["loss"]), "not the description of a figure"),
    "a curve of two lengths": (
        put(
            "runs/odd/figures.json",
            [
                {
                    "name": "f",
                    "title": "t",
                    "caption": "c",
                    "columns": 1,
                    "panels": [
                        {
                            "kind": "Curves",
                            "title": "t",
                            "x_label": "x",
                            "y_label": "y",
                            "x_log": True,
                            "y_log": True,
                            "y_range": None,
                            "curves": [
                                {"label": "short", "x": [1, 2], "y": [1], "style": "line", "low": None, "high": None}
                            ],
                        }
                    ],
                }
            ],
        ),
        "have one length; 'short' has lengths",
    ),
    "a summary of words": (put("summary.json", {"experiments": "all"}), "does not list experiments by name"),
    "a verdict without claims": (
        put("theory/theorem-3.1.json", {"claim": 1}),
        "not what docendo verify stores: KeyError",
    ),
    "a figure twice": (
        lambda out: shutil.copytree(out / "runs" / "odd", out / "runs" / "odd_again"),
        "2 figures are called 'worst'. Delete the runs/ folder",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_damaged_folder_is_refused_and_left_as_it_was(tmp_path: Path, case: str) -> None:
    damage, message = CASES[case]
    store_examples(tmp_path)
    damage(tmp_path)
    before = everything(tmp_path)
    with pytest.raises(ValueError, match=message):
        build_report(tmp_path)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("kind", ["missing", "a file", "empty", "unfinished", "theory only"])
def test_a_folder_without_a_finished_experiment_is_refused(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    if kind == "a file":
        out.touch()
    elif kind != "missing":
        out.mkdir()
    if kind == "unfinished":
        write_json(folder(out, "mnist") / "error.json", {"error": "it failed"})
    if kind == "theory only":
        store_theory(out / "theory")
    before = everything(tmp_path)
    with pytest.raises(ValueError, match=f"a report is made from .*Try docendo reproduce --out {out}."):
        build_report(out)
    assert everything(tmp_path) == before


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (small(tmp_path) / "figures").touch()
    with pytest.raises(ValueError, match="output folder must exist and be writable, .*figures' is not"):
        build_report(tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_the_old_page_stays_until_the_new_one_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = build_report(small(tmp_path)).read_bytes()
    store_result(tmp_path / "runs" / "cycle", result("cycle", title="new"), FIGURES[:1])

    def full(path: Path, content: bytes) -> Path:
        if path.suffix == ".png":
            raise OSError(28, "No space left on device")
        return write_atomically(path, content)

    monkeypatch.setattr("docendo.report.building.write_atomically", full)
    with pytest.raises(OSError, match="No space left"):
        build_report(tmp_path)
    assert (tmp_path / "report.html").read_bytes() == old
