"""`docendo show`: what a stored run or a report folder holds."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["show"]


def show(
    path: Annotated[Path, typer.Argument(metavar="FILE.nc|DIR", help="A stored run, or a report's folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print a run's final numbers as JSON.")] = False,
) -> None:
    """Show what a run or a report holds.

    Of a run: its course, where it ended, and its attention as a picture. Of a report: claims, numbers and verdicts.
    """
    if not path.is_dir():
        _show_run(path, as_json)
    elif as_json:
        raise ValueError(f"--json is for a run; a report's numbers are in {path / 'summary.json'} already.")
    else:
        _show_report(path)


def _show_run(file: Path, as_json: bool) -> None:
    from docendo.cli import runs
    from docendo.training import load_run

    run = load_run(file)
    if as_json:
        runs.show_json(run, {})
        return
    runs.show_course(run)
    runs.show_end(run, list(dict.fromkeys([*runs.HEADLINES, *runs.scalars(run)])))
    runs.show_scores(run)


def _show_report(folder: Path) -> None:
    from docendo.cli import verdicts

    verdicts.show_verdicts(folder)
