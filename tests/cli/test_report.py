"""`docendo report`."""

from pathlib import Path

from docendo.figures import Curve, Curves, Figure
from docendo.results import Finding, Result, store_result
from tests.cli.calling import docendo, succeed


def test_rebuilds_the_page_from_what_is_stored(tmp_path: Path) -> None:
    (tmp_path / "runs" / "cycle").mkdir(parents=True)
    findings = [Finding("slope of the excess loss", -1.0, -1.01, -1.02, -1.0, "local exponent", "agrees")]
    result = Result("cycle", "A cycle", "Figure 2 (a)", "As claimed.", {"tokens": 20}, findings, "abc", 2.0)
    curve = Curve("exact", [1.0, 10.0], [1.0, 0.1])
    panel = Curves("Excess loss", "steps T", "excess loss", [curve])
    store_result(tmp_path / "runs" / "cycle", result, [Figure("cycle_loss", "Loss", "Falls.", [panel])])
    assert succeed(f"report {tmp_path}") == f"{tmp_path / 'report.html'}\n"
    assert "slope of the excess loss" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert sorted(file.name for file in (tmp_path / "figures").iterdir()) == ["cycle_loss.png", "cycle_loss.svg"]


def test_nothing_to_report(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "gone"):
        done = docendo(f"report {folder}")
        assert (done.exit_code, done.stdout) == (2, "")
        assert f"Try docendo reproduce --out {folder}" in done.stderr
    assert list(tmp_path.iterdir()) == []
