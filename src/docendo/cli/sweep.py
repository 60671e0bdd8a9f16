"""`docendo sweep`: all cells of a study file, or what is missing of them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from docendo.cli.commands import FAILED, INTERRUPTED
from docendo.cli.console import complain, say

__all__ = ["sweep"]

StudyPath = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="The study file.")]
Overrides = Annotated[
    list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Changes, and with commas further axes.")
]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="The study's folder; the file's name if left out.")]
Jobs = Annotated[int | None, typer.Option(help="Processes; one per core if left out.")]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, tcp://host:port.")]
Shard = Annotated[str, typer.Option(metavar="I/N", help="Run this part of N only, from 1.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


def sweep(
    study: StudyPath,
    overrides: Overrides = None,
    out: Out = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    shard: Shard = "1/1",
    quiet: Quiet = False,
) -> None:
    """Run every cell of a study, or what is missing: the same command on the same folder goes on.

    Exit code: 0 when all cells have a result, 1 when one failed, 2 on bad input, 130 after Ctrl-C.
    """
    from docendo.studies.sweeping import sweep as run_sweep

    folder = study.with_suffix("") if out is None else out
    part = _part(shard)
    try:
        with _executor(scheduler) as executor:
            run_sweep(
                study,
                folder,
                overrides=overrides or (),
                executor=executor,
                jobs=jobs,
                shard=part,
                progress=not quiet,
            )
    except KeyboardInterrupt as stop:
        complain("stopped", "by Ctrl-C; what is done is kept. Run the same command again to continue")
        raise typer.Exit(INTERRUPTED) from stop
    _tell(folder)


def _part(text: str) -> tuple[int, int]:
    which, _, of = text.partition("/")
    if not (which.strip().isdecimal() and of.strip().isdecimal()):
        raise ValueError(f"--shard is I/N, got {text!r}. For example --shard 1/8.")
    return int(which), int(of)


def _executor(address: str | None) -> Any:
    """Dask's workers as an executor; without an address nothing, for the processes of this machine."""
    import contextlib

    if address is None:
        return contextlib.nullcontext()
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("--scheduler needs Dask. Install it: pip install 'docendo[cluster]'.") from error
    try:
        client = Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {address!r}: {error}. Start one: dask scheduler.") from error
    return _Scheduled(client)


class _Scheduled:
    """A Dask client as a context that gives its executor."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __enter__(self) -> Any:
        return self._client.get_executor(pure=False, retries=2)

    def __exit__(self, *error: object) -> None:
        self._client.close()


def _tell(folder: Path) -> None:
    from docendo.studies.state import state_of
    from docendo.studies.store import open_store

    store = open_store(folder)
    state = state_of(store)
    say(f"{state.done} of {state.cells} cells done in {folder}", style="bold")
    for cell in sorted(store.failed()):
        failure = store.failure(cell) or {}
        complain("failed", f"cell {cell}: {failure.get('error')}")
    if state.failed:
        say(f"Their tracebacks are in {folder / 'failed'}; the same command tries them again.")
        raise typer.Exit(FAILED)
