"""A number with an interval, and with how and over which range both were obtained."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from docendo.theory.rates.curves import Real

__all__ = ["FLOOR", "NOT_ASYMPTOTIC", "ONE_SEED", "TWO_POINTS", "Estimate", "hull"]

FLOOR = "floor"
NOT_ASYMPTOTIC = "not asymptotic"
ONE_SEED = "no interval: one seed"
TWO_POINTS = "two points: the mean exponent between them"


@dataclass(frozen=True)
class Estimate:
    """A measured number.

    Attributes:
        value: the number itself.
        low: lower end of the interval, −inf where the data set no bound.
        high: upper end of the interval, +inf where the data set no bound.
        method: how value and interval were obtained.
        window: first and last value of the variable (T, D, …) that entered.
        flag: empty, or the reason for caution: "floor" (the curve levels off, so it is no power of T),
            "not asymptotic" (the approach has not begun to slow down), "no interval: one seed", or
            "two points: the mean exponent between them".
    """

    value: float
    low: float
    high: float
    method: str
    window: tuple[float, float]
    flag: str = ""

    def __contains__(self, number: Real) -> bool:
        return self.low <= number <= self.high

    @property
    def width(self) -> float:
        """`high − low`."""
        return self.high - self.low

    def __str__(self) -> str:
        digits = _digits(self.width)
        ends = f"[{self.low:.{digits}f}, {self.high:.{digits}f}]"
        flag = f", {self.flag}" if self.flag else ""
        return f"{self.value:.{digits}f} {ends} ({self.method}, {self.window[0]:.3g} … {self.window[1]:.3g}{flag})"


def hull(estimates: Sequence[Estimate], method: str) -> Estimate:
    """One estimate whose interval holds those of all: the middle one's value, the lowest and the highest end."""
    middle = sorted(estimates, key=lambda estimate: estimate.value)[len(estimates) // 2]
    low, high = min(each.low for each in estimates), max(each.high for each in estimates)
    window = (min(each.window[0] for each in estimates), max(each.window[1] for each in estimates))
    flag = next((each.flag for each in estimates if each.flag), "")
    return Estimate(middle.value, low, high, method, window, flag)


def _digits(width: float) -> int:
    """Decimals that show the second digit of the width, between 3 and 9."""
    if not math.isfinite(width) or width <= 0:
        return 3
    return min(9, max(3, 1 - math.floor(math.log10(width))))
