"""`docendo show`: what a stored run, a study or a report folder holds."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["show"]


def show(
    path: Annotated[Path, typer.Argument(metavar="FILE.nc|DIR", help="A stored run, a study's or a report's folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print a run's final numbers as JSON.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a study as .csv, .parquet, .nc, .svg or .png."),
    ] = None,
) -> None:
    """Show what a run, a study or a report holds.

    Of a run: its course, where it ended, and its attention as a picture. Of a study: where its cells ended, as a table,
    and its figure in DIR/figures. Of a report: claims, numbers and verdicts.
    """
    from docendo.studies.store import is_store

    if is_store(path):
        _show_study(path, as_json, out)
    elif out is not None:
        raise ValueError(f"--out is for a study's folder, and {path} is none. A run is a netCDF file already.")
    elif not path.is_dir():
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


def _show_study(folder: Path, as_json: bool, out: Path | None) -> None:
    from docendo.cli import studies

    studies.show_study(folder, as_json, out)
