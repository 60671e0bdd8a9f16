"""Ranges a claim is tried over: `D=8..1024 K=1,2,4 eta=0.01,0.1`."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from docendo.theory.grammar.errors import ClaimError
from docendo.theory.grammar.names import ALIASES, INTEGERS, VARIABLES, suggestion

__all__ = ["parse_ranges"]

_MOST = 64
_LONGEST = 1000
_LARGEST_SIZE = 10**9
_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,3})?", re.ASCII)


def parse_ranges(items: Sequence[str]) -> dict[str, tuple[int | float, ...]]:
    """Read ranges, one variable each.

    Args:
        items: for example ["D=8..1024", "K=1,2,4", "eta=0.01,0.1"]. `8..1024` doubles from 8 to 1024; pieces
            separated by commas are joined and sorted.

    Returns:
        For each variable its increasing values: ints for D, K, M and d, otherwise floats.

    Raises:
        ClaimError: (a ValueError) an unknown variable, an empty range or one of a single point, a number that is not
            finite, positive (kappa: within (−1, 1]) and, for D, K, M and d, whole; a last value that doubling does
            not reach; the same value or variable twice; more than 64 values.
    """
    ranges: dict[str, tuple[int | float, ...]] = {}
    for item in items:
        name, values = _Item(item).read()
        if name in ranges:
            raise ClaimError(f"{name} has two ranges. Join them with a comma.", item, 0)
        ranges[name] = values
    return ranges


@dataclass(frozen=True)
class _Item:
    text: str

    def read(self) -> tuple[str, tuple[int | float, ...]]:
        if len(self.text) > _LONGEST:
            raise ClaimError(f"a range has at most {_LONGEST} characters.", self.text, _LONGEST)
        name, start = self._name()
        values: list[int | float] = []
        for piece in self.text[start:].split(","):
            values += self._piece(name, piece, start)
            start += len(piece) + 1
        if len(values) < 2:
            self._fail(f"{name} needs at least two values to show a power: for example {name}=8..1024", len(self.text))
        if len(set(values)) < len(values):
            self._fail(f"{name} has a value twice", self.text.index("=") + 1)
        return name, tuple(sorted(values))

    def _name(self) -> tuple[str, int]:
        given, equals, _ = self.text.partition("=")
        if not equals:
            self._fail("a range reads variable=values, for example D=8..1024 or K=1,2,4", len(given))
        name = ALIASES.get(given.strip(), given.strip())
        if name not in VARIABLES:
            raise ClaimError(f"unknown variable {name!r}.{suggestion(name, VARIABLES)}", self.text, 0)
        return name, len(given) + 1

    def _piece(self, name: str, piece: str, start: int) -> list[int | float]:
        first, dots, last = piece.partition("..")
        low = self._number(name, first, start)
        return self._doubling(name, low, self._number(name, last, start + len(first) + 2), start) if dots else [low]

    def _doubling(self, name: str, low: int | float, high: int | float, start: int) -> list[int | float]:
        if not 0 < low < high:
            self._fail(f"{name} doubles from a positive first to a larger last value, as in 8..1024", start)
        count = math.floor(math.log2(high / low) + 1e-9)
        if count >= _MOST:
            self._fail(f"{name} has more than {_MOST} values", start)
        values = [low * 2**step for step in range(count + 1)]
        if not math.isclose(values[-1], high, rel_tol=1e-9):
            near = f"{low:g}..{values[-1]:g} or {low:g}..{2 * values[-1]:g}"
            self._fail(
                f"{name} doubles from {low:g} and does not reach {high:g}: take {near}, or list the values", start
            )
        return values

    def _number(self, name: str, given: str, start: int) -> int | float:
        position = start + len(given) - len(given.lstrip())
        if not _NUMBER.fullmatch(given.strip()):
            what = f"got {given.strip()!r}" if given.strip() else "got nothing"
            self._fail(f"a number is missing here, {what}: for example {name}=1,2,4", position)
        value = float(given)
        if not math.isfinite(value):
            self._fail(f"{name} must be finite", position)
        if name == "kappa":
            if not -1 < value <= 1:
                self._fail("kappa lies in (-1, 1], as in kappa=0,0.1,1", position)
        elif value <= 0:
            self._fail(f"{name} must be positive", position)
        if name in INTEGERS and not (value <= _LARGEST_SIZE and value == int(value)):
            self._fail(f"{name}, the {VARIABLES[name]}, is a whole number up to {_LARGEST_SIZE}", position)
        return int(value) if name in INTEGERS else value

    def _fail(self, reason: str, position: int) -> None:
        raise ClaimError(f"{reason}.", self.text, position)
