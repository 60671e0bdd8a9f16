"""The section on theorems: verdicts and figures are stored where the page looks for them."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from docendo.experiments.base import Experiment
from docendo.experiments.worker import Job, work
from docendo.figures import figure_from_json
from docendo.files import read_json
from docendo.report.reading import read_stored


def test_verdicts_and_their_figures_are_the_section_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parent), *sys.path])
    sizes = importlib.import_module("program_for_tests").Sizes("a")
    experiment = Experiment("theory", "Theory", "none", "program_for_tests:judges", sizes, sizes, seconds=1)
    work(Job(experiment, tmp_path / "runs" / "theory", False, 0, None, "configuration"), SimpleNamespace(value=0.0))
    (figure,) = read_json(tmp_path / "theory" / "figures.json")
    assert figure_from_json(figure).name == "works_a"
    assert read_json(tmp_path / "runs" / "theory" / "figures.json") == []
    stored = read_stored(tmp_path)
    assert [figure.name for figure in stored.theory_figures] == ["works_a"]
    (card,) = stored.cards
    assert (card.verdict, card.definitions) == ("holds", {"start": "zero"})
