"""What a report is made of, read from its folder and checked before anything is written.

`runs/<name>/result.json` marks a finished experiment; a folder without one is unfinished, and `error.json` says if it
failed. `summary.json`, where it is, adds what was asked for. `theory/*.json` holds what `docendo verify` found.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docendo.figures import Figure
from docendo.files import read_json
from docendo.report.facts import provenance
from docendo.report.theory import Card, read_cards
from docendo.results import Result, load_figures, load_result

__all__ = ["Experiment", "Stored", "read_stored"]


@dataclass(frozen=True)
class Experiment:
    """An experiment as far as it got: `result` is None where it has not finished, `message` says why.

    `datasets` are file names in its folder.
    """

    name: str
    result: Result | None
    figures: Sequence[Figure] = ()
    datasets: Sequence[str] = ()
    message: str = ""


@dataclass(frozen=True)
class Stored:
    """Everything a report shows.

    `about` is what `summary.json` says beside its experiments, `origin` what the datasets say of themselves.
    """

    experiments: Sequence[Experiment]
    about: dict[str, Any]
    origin: dict[str, str]
    cards: Sequence[Card] = ()
    theory_figures: Sequence[Figure] = ()

    def figures(self) -> list[Figure]:
        """All figures of the page, in its order."""
        return [figure for each in self.experiments for figure in each.figures] + list(self.theory_figures)


def read_stored(out: Path) -> Stored:
    """Read a report's folder.

    Raises:
        ValueError: it holds no finished experiment, or a file of it is damaged.
    """
    if not out.is_dir():
        raise ValueError(f"a report is made from a folder, {str(out)!r} is none. Try docendo reproduce --out {out}.")
    about = _read_about(out / "summary.json")
    experiments = _read_experiments(out, about.pop("experiments"))
    if all(experiment.result is None for experiment in experiments):
        raise ValueError(
            f"a report is made from finished experiments (runs/<name>/result.json), {str(out)!r} holds none. "
            f"Try docendo reproduce --out {out}."
        )
    datasets = [out / "runs" / each.name / each.datasets[0] for each in experiments if each.datasets]
    stored = Stored(experiments, about, provenance(datasets), *_read_theory(out / "theory"))
    _check_names(stored)
    return stored


def _read_about(path: Path) -> dict[str, Any]:
    """`summary.json`, its `experiments` by name; without the file nothing but an empty one."""
    if not path.exists():
        return {"experiments": {}}
    about = read_json(path)
    experiments = about.get("experiments", {}) if isinstance(about, dict) else None
    if isinstance(experiments, list):
        experiments = {str(each.get("name")): each for each in experiments if isinstance(each, dict)}
    if not isinstance(experiments, dict):
        raise ValueError(f"{path} does not list experiments by name. Delete it, or run docendo reproduce again.")
    return about | {"experiments": experiments}


def _read_experiments(out: Path, listed: dict[str, Any]) -> list[Experiment]:
    """In the summary's order; where it does not list all there are, in the order of the paper's figures."""
    folders = sorted(folder.name for folder in (out / "runs").glob("*/"))
    names = list(dict.fromkeys([*listed, *folders]))
    experiments = [_read_experiment(out / "runs" / name, listed.get(name, {})) for name in names]
    return experiments if set(folders) <= set(listed) else sorted(experiments, key=_place)


def _place(experiment: Experiment) -> tuple[int, str]:
    paper = "" if experiment.result is None else experiment.result.paper
    numbers = [int(word) for word in re.findall(r"\d+", paper)]
    return min(numbers, default=sys.maxsize), experiment.name


def _read_experiment(folder: Path, listed: dict[str, Any]) -> Experiment:
    if (folder / "result.json").exists():
        datasets = sorted(file.name for file in folder.glob("*.nc"))
        return Experiment(folder.name, load_result(folder), load_figures(folder), datasets)
    failure = folder / "error.json"
    if failure.exists():
        return Experiment(folder.name, None, message=f"failed: {read_json(failure).get('error')}")
    return Experiment(folder.name, None, message=str(listed.get("message", "stopped before its end")))


def _read_theory(folder: Path) -> tuple[list[Card], list[Figure]]:
    figures = folder / "figures.json"
    files = sorted(file for file in folder.glob("*.json") if file != figures)
    cards = [card for file in files for card in read_cards(file)]
    return cards, load_figures(folder) if figures.exists() else []


def _check_names(stored: Stored) -> None:
    """Each figure has a file of its own."""
    names = [figure.name for figure in stored.figures()]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"a figure's name is unique in its report, but {twice.count(twice[0])} figures are called {twice[0]!r}. "
            "Delete the runs/ folder that is not wanted."
        )
