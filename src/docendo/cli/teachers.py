"""`docendo teachers`: each constructor, what its parameters mean, and its S* as a small picture."""

import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any

import typer

from docendo.cli.console import knows_unicode, say, say_table

__all__ = ["teachers"]


def teachers(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Which ones; all if left out.")] = None,
) -> None:
    """List the teachers: what each one is, its parameters, its scores S* as a picture.

    Row j, column i of a picture is lit where output i averages token j.
    """
    from docendo.studies.choices import CONSTRUCTORS, make_teacher, pick

    chosen = [pick("teacher", name, CONSTRUCTORS) for name in names or CONSTRUCTORS]
    for place, name in enumerate(chosen):
        if place:
            say()
        _describe(name, CONSTRUCTORS[name], make_teacher(name, {}, seed=0))


def _describe(name: str, constructor: Callable[..., Any], teacher: Any) -> None:
    from docendo.drawing import draw_matrix
    from docendo.teachers import Teacher

    says = inspect.getdoc(constructor) or ""
    say(name, style="bold")
    say_table(["", ""], [["", says.split("\n\n")[0].replace("\n", " ")]])
    say_table(["", "", ""], [["", parameter, meaning] for parameter, meaning in _arguments(says).items()])
    if not isinstance(teacher, Teacher):
        say(
            f"  docendo train --teacher {name} has D={teacher.tokens}, K={teacher.sparsity}, and S* is never made",
            style="dim",
        )
        return
    say(f"  S* of docendo train --teacher {name}, D={teacher.tokens}, K={teacher.sparsity}:", style="dim")
    for line in draw_matrix(teacher.scores, ascii_only=not knows_unicode()).splitlines():
        say(f"  {line}")


def _arguments(docstring: str) -> dict[str, str]:
    """The parameters and their meanings, from the Args section of a docstring."""
    section = re.search(r"^Args:\n((?:    .*\n?|\n)*)", docstring, re.MULTILINE)
    entries = re.split(r"^    (?=\w+:)", section.group(1) if section else "", flags=re.MULTILINE)
    pairs = (entry.partition(":") for entry in entries if entry.strip())
    return {name: " ".join(meaning.split()) for name, _, meaning in pairs}
