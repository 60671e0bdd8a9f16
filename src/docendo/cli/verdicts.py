"""What a report folder holds, as a table: what is claimed, what was measured, and the verdict."""

from pathlib import Path

from docendo.cli.console import say, say_table
from docendo.report.reading import read_stored
from docendo.results import Finding, Result

__all__ = ["show_verdicts"]


def show_verdicts(folder: Path) -> None:
    """One line per finding, then how many of each verdict, then what did not finish.

    Raises:
        ValueError: the folder holds no finished experiment, or a file of it is damaged.
    """
    experiments = read_stored(folder).experiments
    results = [experiment.result for experiment in experiments if experiment.result is not None]
    say_table(["claim", "claimed", "measured", "verdict"], _rows(results), right=[1, 2])
    verdicts = [finding.verdict for result in results for finding in result.findings]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts)]
    seconds = sum(result.seconds for result in results)
    say()
    say(f"{len(results)} finished, {seconds:.0f} s of computing: {', '.join(counts) or 'nothing claimed'}")
    for experiment in experiments:
        if experiment.result is None:
            say(f"{experiment.name}: {experiment.message}", style="yellow")


def _rows(results: list[Result]) -> list[list[str]]:
    """A line for each experiment, and below it one for each finding."""
    return [
        row
        for result in results
        for row in ([f"{result.name} ({result.paper})", "", "", ""], *map(_cells, result.findings))
    ]


def _cells(finding: Finding) -> list[str]:
    claimed, measured = ("" if each is None else f"{each:.4g}" for each in (finding.claimed, finding.measured))
    return [f"- {finding.claim}", claimed, measured, finding.verdict]
