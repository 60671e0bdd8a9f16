"""How tests call the command line."""

import shlex
from typing import Any

from typer.testing import CliRunner, Result

from docendo.cli import app

__all__ = ["SMALL", "docendo", "succeed"]

SMALL = "train --teacher random --tokens 4 --sparsity 2 --features 3 --channels 2 --steps 20 --quiet"


def docendo(command: str, charset: str = "utf-8", **environment: str) -> Result:
    cleared: dict[str, str | None] = {"FORCE_COLOR": None, "NO_COLOR": None, "COLUMNS": None, "TERM": None}
    return CliRunner(charset=charset, env=cleared | environment).invoke(app, shlex.split(command))


def succeed(command: str, **more: Any) -> str:
    done = docendo(command, **more)
    assert done.exit_code == 0, done.output
    return done.stdout
