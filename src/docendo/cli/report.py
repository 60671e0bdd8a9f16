"""`docendo report`: the page anew from what was stored, computing nothing again."""

from pathlib import Path
from typing import Annotated

import typer

from docendo.cli.console import say
from docendo.cli.cores import usable_cores

__all__ = ["report"]


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that docendo reproduce wrote.")],
) -> None:
    """Rebuild a report's page and figures from its stored runs, without computing anything again."""
    from docendo.report import build_report

    say(f"{build_report(folder, jobs=usable_cores())}")
