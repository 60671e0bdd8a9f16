"""The command line: commands parse, call and print; they compute nothing.

`docendo --help` starts no JAX: each command imports what it needs when it runs.
"""

from typing import Annotated

import typer

from docendo import __version__
from docendo.cli.commands import Commands
from docendo.cli.console import say
from docendo.cli.report import report
from docendo.cli.reproduce import reproduce
from docendo.cli.show import show
from docendo.cli.status import status
from docendo.cli.sweep import sweep
from docendo.cli.teachers import teachers
from docendo.cli.train import train
from docendo.cli.verify import verify
from docendo.compilation import keep_compiled_programs

__all__ = ["app", "main"]

app = typer.Typer(
    name="docendo",
    cls=Commands,
    help="How a one-layer transformer learns from a teacher, computed exactly.",
    epilog="docendo COMMAND --help explains a command.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def docendo_itself(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    """How a one-layer transformer learns from a teacher, computed exactly."""
    if version:
        say(f"docendo {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)
    else:
        return
    raise typer.Exit


for command in (reproduce, train, sweep, status, show, verify, report, teachers):
    app.command()(command)


def main() -> None:
    """The `docendo` program."""
    keep_compiled_programs()
    app()
