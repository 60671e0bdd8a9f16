"""What a report folder holds, as a table: what each experiment claims, what was measured, and the verdict."""

from pathlib import Path

from docendo.cli.console import say, say_table
from docendo.results import Finding, Result, load_result

__all__ = ["show_results", "stored_results"]


def stored_results(folder: Path) -> list[Result]:
    """The results of the finished experiments of a report folder, by name.

    Raises:
        ValueError: the folder holds none, or one is damaged.
    """
    found = [load_result(file.parent) for file in sorted(folder.glob("runs/*/result.json"))]
    if not found:
        raise ValueError(f"{folder} holds no finished experiment. Make some: docendo reproduce --out {folder}.")
    return found


def show_results(results: list[Result]) -> None:
    """One line per finding, then how many of each verdict."""
    rows = [[result.name, *_cells(finding)] for result in results for finding in result.findings]
    # A name stands beside its first line only.
    shown = [row if place == 0 or rows[place - 1][0] != row[0] else ["", *row[1:]] for place, row in enumerate(rows)]
    say_table(["experiment", "claim", "claimed", "measured", "verdict"], shown, right=[2, 3])
    verdicts = [finding.verdict for result in results for finding in result.findings]
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    seconds = sum(result.seconds for result in results)
    say()
    say(f"{len(results)} experiments in {seconds:.0f} s: {said or 'nothing claimed'}")


def _cells(finding: Finding) -> list[str]:
    claimed = "" if finding.claimed is None else f"{finding.claimed:.4g}"
    return [finding.claim, claimed, f"{finding.measured:.4g}", finding.verdict]
