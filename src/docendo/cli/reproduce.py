"""`docendo reproduce`: every figure of the paper, computed, in one page."""

from pathlib import Path
from typing import Annotated, Any

import typer

from docendo.cli.commands import FAILED, INTERRUPTED
from docendo.cli.console import complain, say, say_table
from docendo.cli.cores import usable_cores

__all__ = ["reproduce"]

Names = Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Experiments, as for --only.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="The report's folder.")]
Quick = Annotated[bool, typer.Option("--quick", help="All experiments, small: a first look in a minute.")]
Beyond = Annotated[bool, typer.Option("--beyond", help="What lies outside the paper's assumptions as well.")]
Only = Annotated[list[str] | None, typer.Option(metavar="NAME...", help="Run these experiments only.")]
List = Annotated[bool, typer.Option("--list", help="List the experiments and end.")]
Seed = Annotated[int, typer.Option(help="What all randomness comes from.")]
Jobs = Annotated[int | None, typer.Option(help="Experiments at a time; one per core if left out, at most 4.")]
Mnist = Annotated[
    str | None,
    typer.Option(metavar="PATH|download", help="Digits: IDX files or an npz; 10,000 real ones are included."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


def reproduce(
    names: Names = None,
    out: Out = Path("docendo-report"),
    quick: Quick = False,
    beyond: Beyond = False,
    only: Only = None,
    listed: List = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    mnist: Mnist = None,
    quiet: Quiet = False,
) -> None:
    """Compute every figure of the paper, and build a page of claims, measurements and verdicts.

    What is finished is kept: the same command goes on with what is missing, also after Ctrl-C.

    Exit code: 0 when all experiments finished, 1 when one failed, 2 on bad input, 130 after Ctrl-C.
    """
    from docendo.experiments.registry import EXPERIMENTS
    from docendo.experiments.runner import reproduce as run_experiments

    if listed:
        rows = [[each.name, each.paper, each.title] for each in EXPERIMENTS]
        say_table(["name", "paper", "what"], rows)
        return
    chosen = [*(only or []), *(names or [])]
    jobs = usable_cores() if jobs is None else jobs
    try:
        summary = run_experiments(
            out,
            only=chosen or None,
            quick=quick,
            beyond=beyond,
            seed=seed,
            jobs=jobs,
            digits=mnist,
            progress=not quiet,
        )
    except KeyboardInterrupt as stop:
        complain("stopped", "by Ctrl-C; what is finished is kept. Run the same command again to continue")
        raise typer.Exit(INTERRUPTED) from stop
    _tell(out, summary["experiments"], jobs)


def _tell(out: Path, entries: dict[str, Any], jobs: int) -> None:
    from docendo.cli.verdicts import show_verdicts
    from docendo.report import build_report

    if any(entry["status"] == "finished" for entry in entries.values()):
        page = build_report(out, jobs=jobs)
        show_verdicts(out)
        say()
        say(f"The report is {page}", style="bold")
    failed = [name for name, entry in entries.items() if entry["status"] != "finished"]
    for name in failed:
        complain("error", f"{name}: {entries[name].get('message', entries[name]['status'])}")
    if failed:
        raise typer.Exit(FAILED)
