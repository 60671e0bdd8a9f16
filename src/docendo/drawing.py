"""Matrices as pictures made of text, for a terminal.

A matrix with two values, as S* of most teachers, is drawn in half blocks, two rows a line, so that an entry comes out
about square. Any other is drawn in shades, two characters an entry. One that is too wide is averaged over square blocks
of entries first. Where a terminal knows only ASCII, so does the picture.
"""

import math
from typing import Any, NamedTuple

import numpy as np

__all__ = ["draw_matrix"]


class _Alphabet(NamedTuple):
    """Half blocks by (upper, lower) as 2·upper + lower; shades from none to full; corners, edges."""

    halves: str
    shades: str
    frame: str


_UNICODE = _Alphabet(" ▄▀█", " ░▒▓█", "┌┐└┘─│")
_ASCII = _Alphabet(" .':", " .:*#", "++++-|")
_UNKNOWN = "?"


def draw_matrix(matrix: Any, *, width: int = 72, top: float | None = None, ascii_only: bool = False) -> str:
    """A framed picture of a matrix with entries from zero up; row 0 is on top.

    Args:
        matrix: (rows, columns), numbers; what is negative is drawn as zero, what is not a number as a question mark.
        width: the widest the picture may be, in characters, frame included; at least 4.
        top: the value drawn as full; left out, the largest entry (of the averages, where entries are averaged).
        ascii_only: draw with ASCII characters only.

    Returns:
        The lines, joined by newlines.

    Raises:
        ValueError: the matrix has other than two axes or no entries, or the width is below 4.
    """
    values = np.asarray(matrix, dtype=float)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"a picture needs a matrix with entries, got an array of shape {values.shape}. Try matrix[0].")
    if width < 4:
        raise ValueError(f"a picture is at least 4 characters wide, got width={width}. Leave it out for 72.")
    alphabet = _ASCII if ascii_only else _UNICODE
    room = width - 2
    if values.shape[1] > (room if _has_two_levels(values, top) else room // 2):
        values = _averaged(values, math.ceil(values.shape[1] / (room // 2)))
    in_halves = _has_two_levels(values, top)
    return _framed(_halves(values, alphabet) if in_halves else _shades(values, top, alphabet), alphabet)


def _has_two_levels(values: np.ndarray, top: float | None) -> bool:
    """Whether every entry is zero or the value drawn as full, to a thousandth of it."""
    full = _full(values, top)
    return bool((np.isclose(values, 0, atol=1e-3 * full) | np.isclose(values, full, rtol=1e-3, atol=0)).all())


def _full(values: np.ndarray, top: float | None) -> float:
    finite = values[np.isfinite(values)]
    full = top if top is not None else finite.max(initial=0)
    return float(full) if full > 0 else 1.0


def _averaged(values: np.ndarray, side: int) -> np.ndarray:
    """Means over blocks of side × side entries; blocks at the far edges may be smaller."""
    starts = [np.arange(0, size, side) for size in values.shape]
    sums = np.add.reduceat(np.add.reduceat(values, starts[0], axis=0), starts[1], axis=1)
    sizes = [np.diff(np.append(start, size)) for start, size in zip(starts, values.shape, strict=True)]
    return sums / np.outer(*sizes)


def _halves(values: np.ndarray, alphabet: _Alphabet) -> list[str]:
    lit = values > values.max() / 2
    if len(lit) % 2:
        lit = np.vstack([lit, np.zeros(lit.shape[1], dtype=bool)])
    return ["".join(alphabet.halves[code] for code in line) for line in 2 * lit[::2] + lit[1::2]]


def _shades(values: np.ndarray, top: float | None, alphabet: _Alphabet) -> list[str]:
    steps = len(alphabet.shades) - 1
    levels = np.clip(np.rint(np.nan_to_num(values, nan=0) / _full(values, top) * steps), 0, steps).astype(int)
    marks = np.where(np.isnan(values), _UNKNOWN, np.array(list(alphabet.shades))[levels])
    return ["".join(mark * 2 for mark in line) for line in marks]


def _framed(lines: list[str], alphabet: _Alphabet) -> str:
    left, right, low_left, low_right, bar, side = list(alphabet.frame)
    edge = bar * len(lines[0])
    return "\n".join([left + edge + right, *(side + line + side for line in lines), low_left + edge + low_right])
