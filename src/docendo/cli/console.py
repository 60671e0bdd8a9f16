"""What commands print, fitted to whatever listens: a terminal, a dumb one, a pipe, a stream that knows only ASCII.

Results go to standard output, everything else (warnings, errors, progress) to standard error, so that results can be
piped. Colours follow `NO_COLOR` and are left out where nobody can see them.
"""

import io
import sys
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["complain", "knows_unicode", "say", "say_table", "settle_streams"]

_IN_ASCII = str.maketrans(
    {
        **{"α": "alpha", "β": "beta", "η": "eta ", "θ": "theta", "κ": "kappa", "λ": "lambda", "ξ": "xi", "σ": "sigma"},
        **{"τ": "tau", "Σ": "Sigma", "Θ": "Theta", "‖": "||", "√": "sqrt", "²": "^2", "½": "1/2", "∂": "d", "×": "x"},
        **{"−": "-", "–": "-", "·": "*", "…": "...", "→": "->", "≤": "<=", "≥": ">=", "⟨": "<", "⟩": ">", "ᵀ": "^T"},
        **{"≠": "!=", "≈": "~", "±": "+-", "’": "'", "∈": "in", "ⁱ": "^i", "ᵢ": "_i", "∞": "inf"},
        **{"⁻": "^-", "¹": "1", "₁": "1", "₂": "2"},
    }
)


def settle_streams() -> None:
    """Keep a character that a stream's encoding lacks from ending the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def knows_unicode(stream: TextIO | None = None) -> bool:
    """Whether the stream (left out, standard output) can show block characters and Greek letters."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "ascii"
    try:
        "░▓█▀┌η√".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def say(text: str = "", *, style: str | None = None) -> None:
    """Print a line of a result; nothing in it is taken for markup and it is never broken."""
    _print(sys.stdout, text, style)


def complain(kind: str, text: str) -> None:
    """Print a warning or an error on standard error."""
    _print(sys.stderr, f"{kind}: {text}", "bold red" if kind == "error" else "yellow")


def say_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print a table without lines, as wide as the terminal or 80 columns.

    Args:
        heads: the column titles; all empty to leave the title row out.
        rows: the cells.
        right: the columns that are set to the right, as numbers are; these are never broken.
    """
    table = Table(box=None, pad_edge=False, show_header=any(heads), header_style="bold")
    for place, head in enumerate(heads):
        numeric = place in right
        table.add_column(_fitted(head, sys.stdout), justify="right" if numeric else "left", no_wrap=numeric)
    for row in rows:
        table.add_row(*(Text(_fitted(cell, sys.stdout)) for cell in row))
    console = _console(sys.stdout)
    with console.capture() as drawn:
        console.print(table)
    # rich fills every line to the table's width, which pipes and copies are better without.
    for line in drawn.get().splitlines():
        console.print(Text.from_ansi(line.rstrip()), soft_wrap=True)


def _print(stream: TextIO, text: str, style: str | None) -> None:
    _console(stream).print(Text(_fitted(text, stream), style=style or ""), soft_wrap=True)


def _console(stream: TextIO) -> Console:
    return Console(file=stream, highlight=False, markup=False, emoji=False)


def _fitted(text: str, stream: TextIO) -> str:
    return text if knows_unicode(stream) else text.translate(_IN_ASCII)
