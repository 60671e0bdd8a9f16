"""`docendo status`: how far a study is."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from docendo.cli.console import complain, say, say_table

__all__ = ["status"]

SHOWN_FAILURES = 5


def status(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A study's folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """How many cells of a study are done, running, failed and left, and how long it will take.

    Exit code: 0, or 2 where the folder holds no study.
    """
    from dataclasses import asdict

    from docendo.files import to_json
    from docendo.studies.state import state_of
    from docendo.studies.store import open_store

    store = open_store(folder)
    state = state_of(store)
    if as_json:
        say(to_json(asdict(state) | {"study": store.study.name}, indent=2))
        return
    say(f"{store.study.name} in {folder}", style="bold")
    names = ("done", "running", "failed", "left")
    say_table(["cells", ""], [[name, str(getattr(state, name))] for name in names], right=[1])
    if state.seconds_left is not None:
        say(f"about {timedelta(seconds=round(state.seconds_left))} left")
    elif state.left:
        say(f"nothing runs; go on with: docendo sweep {folder / 'study.toml'} --out {folder}")
    for cell in sorted(store.failed())[:SHOWN_FAILURES]:
        failure = store.failure(cell) or {}
        complain("failed", f"cell {cell}: {failure.get('error')}")
