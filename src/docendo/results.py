"""What an experiment found, as it is stored and as the report reads it.

One folder per experiment, `runs/<name>/`, holds the datasets (netCDF), the figures' descriptions (`figures.json`) and,
written last, `result.json`: where it is, the experiment is finished. Nothing here needs JAX.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from docendo.figures import Figure, figure_from_json, figure_to_json
from docendo.files import read_json, write_json
from docendo.files.atomic import FilePath

__all__ = ["Finding", "Label", "Result", "Verdict", "finished", "load_figures", "load_result", "store_result"]

Label = Literal["theorem", "law", "measured"]
Verdict = Literal["agrees", "differs", "undecided", "not applicable"]

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Finding:
    """One claim of the paper (or of docendo's law) held against one number.

    Attributes:
        claim: what is claimed, in a sentence, with its source.
        claimed: the number claimed, where there is one.
        measured: the number measured; None where none came out.
        low, high: its interval.
        how: how the number and its interval were obtained, and over which range.
        verdict: whether they agree; computed, never typed in.
        label: theorem (the paper's), law (docendo's own), or measured.
        figure: the name of the figure that shows it.
    """

    claim: str
    claimed: float | None
    measured: float | None
    low: float | None
    high: float | None
    how: str
    verdict: Verdict
    label: Label = "measured"
    figure: str | None = None


@dataclass(frozen=True)
class Result:
    """An experiment's outcome.

    Attributes:
        name: the experiment's name, also its folder's.
        title: a heading.
        paper: what of the paper it stands for, for example "Figure 2 (a)".
        summary: what was done and seen, in a few sentences made from the numbers.
        settings: every size and rate that was used, by name.
        findings: claims beside numbers.
        numbers: every further number that the report shows, by name.
        configuration: a hash of all that determines the outcome.
        seconds: how long it took.
    """

    name: str
    title: str
    paper: str
    summary: str
    settings: dict[str, Any]
    findings: Sequence[Finding]
    configuration: str
    seconds: float
    numbers: dict[str, float] = field(default_factory=dict)


def store_result(folder: FilePath, result: Result, figures: Sequence[Figure]) -> None:
    """Write the figures' descriptions, then `result.json`, which marks the experiment finished."""
    write_json(Path(folder) / "figures.json", [figure_to_json(figure) for figure in figures])
    write_json(Path(folder) / "result.json", {"version": FORMAT_VERSION} | asdict(result))


def finished(folder: FilePath, configuration: str) -> bool:
    """Whether the folder holds a result of this configuration."""
    path = Path(folder) / "result.json"
    return path.exists() and load_result(folder).configuration == configuration


def load_result(folder: FilePath) -> Result:
    """Read a stored result.

    Raises:
        ValueError: the file is missing, damaged, or of a newer version.
    """
    path = Path(folder) / "result.json"
    data = read_json(path)
    if not isinstance(data, dict) or data.get("version") != FORMAT_VERSION:
        raise ValueError(f"{path} is not a result this version of docendo reads. Run the experiment again.")
    fields = {name: value for name, value in data.items() if name != "version"}
    try:
        return Result(**fields | {"findings": [Finding(**finding) for finding in fields["findings"]]})
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a complete result: {error}. Run the experiment again.") from error


def load_figures(folder: FilePath) -> list[Figure]:
    """Read the descriptions of a stored experiment's figures."""
    return [figure_from_json(figure) for figure in read_json(Path(folder) / "figures.json")]
