"""How every command ends: what the user did wrong, in one message; what docendo did wrong, with its traceback.

Exit codes: 0 done; 1 the work failed (a run diverged, a disk is full); 2 bad input; 130 stopped by Ctrl-C.
"""

import contextlib
import warnings
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import typer
from typer.core import TyperGroup

from docendo.cli.console import complain, settle_streams

__all__ = ["FAILED", "INTERRUPTED", "WRONG_INPUT", "Commands"]

FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130


class Commands(TyperGroup):
    """The group of docendo's commands."""

    def invoke(self, ctx: Any) -> Any:
        settle_streams()
        with _plain_warnings():
            try:
                return super().invoke(ctx)
            except (ValueError, OSError) as error:
                if not _raised_on_purpose(error):
                    raise
                complain("error", str(error))
                raise typer.Exit(WRONG_INPUT if isinstance(error, ValueError) else FAILED) from error
            except KeyboardInterrupt as stop:
                complain("stopped", "by Ctrl-C; nothing half-written is left behind")
                raise typer.Exit(INTERRUPTED) from stop


def _raised_on_purpose(error: BaseException) -> bool:
    """Whether docendo raised it with a message for people: any other library's error is a defect to be seen."""
    last: TracebackType | None = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and str(last.tb_frame.f_globals.get("__name__", "")).split(".")[0] == "docendo"


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Warnings as one line without the place in the code."""

    def show(message: Warning | str, *place: Any, **more: Any) -> None:
        complain("warning", str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
