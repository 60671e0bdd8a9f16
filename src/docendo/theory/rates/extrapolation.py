"""Limits of smooth curves as T → ∞, by a family of extrapolations that judges itself.

Each member assumes one form of the corrections to the limit and is exact for it:

    a T^(−r) + b T^(−s) + …      powers known: Richardson's elimination, also with a term log T / T
    a T^(−r) (+ b T^(−s))        powers unknown: Aitken's Δ² (Wynn's ε)
    (a + b x) / (1 + c x)        x = 1/T, T^(−1/2) or 1/log T: Thiele's continued fraction. It holds the local
                                 exponent of a shifted power, −p T/(T + T0), and of T^(−p) (log T + c)^m
    a / log T (+ b / log² T)     elimination in 1/log T

Each is applied to nodes T_end, T_end/2, T_end/4, … and again with all nodes moved back by half an octave, up to two
octaves. A member with the right form gives the same limit each time; how far apart its limits lie measures how wrong
it is. The steadiest member gives the value. The interval is the hull of all members that explain the curve about as
well (their limits spread at most ten times as far, or jump irregularly, as rounding makes them, and spread at most a
hundred times as far), each widened by twice its own spread, and of three members at least.

The interval is a statement about smooth curves, not a probability: on synthetic families with known limits it
contains the truth in more than 95 % of the cases (tests/theory/rates).
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from docendo.theory.rates.curves import LogCurve, Points, Real

__all__ = ["AITKEN", "GENERAL", "Bracket", "Correction", "bracket", "powers", "slide", "solve_for_limit", "spacing_for"]

_WINDOWS = 5
_SMOOTH_ALLOWANCE, _IRREGULAR_ALLOWANCE = 10.0, 100.0
_WIDENING = 2.0
_FEWEST = 3
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Correction:
    """A form of the corrections: its name, the nodes it needs, and its limit from (log T, f), latest node first."""

    name: str
    nodes: int
    limit: Callable[[Points, Points], float]


@dataclass(frozen=True)
class Bracket:
    """The steadiest extrapolation's value and name, and the interval of all that explain the curve as well."""

    value: float
    low: float
    high: float
    name: str


def solve_for_limit(columns: Sequence[Points], f: Points) -> float:
    """The constant A in f = A + Σ_m c_m columns_m, with as many nodes as unknowns."""
    return float(np.linalg.solve(np.stack([np.ones_like(f), *columns], axis=1), f)[0])


def powers(*orders: Real, logarithm: bool = False) -> Correction:
    """Corrections T^(−r) for the given orders r, and log T / T if asked."""

    def limit(log_time: Points, f: Points) -> float:
        past = log_time - log_time[0]
        columns = [np.exp(-order * past) for order in orders]
        return solve_for_limit([*columns, past * np.exp(-past)] if logarithm else columns, f)

    name = ", ".join([*(f"T^-{order:g}" for order in orders), *(["log T / T"] if logarithm else [])])
    return Correction(f"corrections {name}", len(orders) + 1 + logarithm, limit)


def _aitken(log_time: Points, f: Points) -> float:
    last, before = f[0] - f[1], f[1] - f[2]
    return float(f[0] - last**2 / (last - before))


def _wynn(log_time: Points, f: Points) -> float:
    older, newer = np.zeros(len(f) + 1), f[::-1]
    while len(newer) > 1:
        older, newer = newer, older[1:-1] + 1 / np.diff(newer)
    return float(newer[0])


def _rational(variable: Callable[[Points], Points], name: str) -> Correction:
    def limit(log_time: Points, f: Points) -> float:
        x = variable(log_time - log_time[-1])
        inverse = np.diff(x) / np.diff(f)
        second = (x[2] - x[0]) / (inverse[1] - inverse[0]) + f[1]
        return float(f[0] - x[0] / (inverse[0] - x[1] / (second - f[0])))

    return Correction(f"a rational function of {name} (Thiele)", 3, limit)


def _inverse_logarithms(count: int) -> Correction:
    def limit(log_time: Points, f: Points) -> float:
        if log_time[-1] < 1:
            return float("nan")
        return solve_for_limit([log_time**-m for m in range(1, count + 1)], f)

    name = ", ".join(["1/log T", "1/log² T"][:count])
    return Correction(f"corrections {name}", count + 1, limit)


AITKEN = Correction("an unknown power (Aitken)", 3, _aitken)

GENERAL: tuple[Correction, ...] = (
    powers(0.5),
    powers(1),
    powers(0.5, 1),
    powers(1, 2),
    powers(0.5, 1, 1.5),
    powers(1, 2, 3),
    powers(1, logarithm=True),
    powers(0.5, 1, logarithm=True),
    AITKEN,
    Correction("two unknown powers (Wynn)", 5, _wynn),
    _rational(lambda past: np.exp(-past), "1/T"),
    _rational(lambda past: np.exp(-past / 2), "T^-1/2"),
    _rational(lambda past: 1 / (1 + past), "1/log T"),
    _inverse_logarithms(1),
    _inverse_logarithms(2),
)


def spacing_for(log_time: Points) -> float:
    """Distance of nodes in log T: an octave, more on a coarser grid, less on one too short for six octaves."""
    coarsest = float(np.max(np.diff(log_time[-6:])))
    return min(max(math.log(2.0), coarsest), float(log_time[-1] - log_time[0]) / 6)


def slide(f: LogCurve, end: float, spacing: float, family: Sequence[Correction]) -> dict[str, Points]:
    """Each member's limits, from windows that end at log T = end, end − spacing/2, …, end − 2 spacing."""
    tracks = {}
    for member in family:
        log_times = [end - spacing * (np.arange(member.nodes, dtype=np.float64) + back / 2) for back in range(_WINDOWS)]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            tracks[member.name] = np.array([member.limit(nodes, f(nodes)) for nodes in log_times])
    return tracks


def bracket(tracks: Mapping[str, Points], last: float, errors: Mapping[str, float] | None = None) -> Bracket:
    """The value and interval of several members' limits.

    Args:
        tracks: for each member its limits, the latest window first. One limit alone counts as spread as far
            as it lies from `last`.
        last: the curve's last value.
        errors: how far errors of the data themselves can move each member's limit, 0 where not given.
    """
    finite = {name: track for name, track in tracks.items() if np.all(np.isfinite(track))}
    spread = {name: _spread(track, last) for name, track in finite.items()}
    ranked = sorted(finite, key=spread.__getitem__)
    kept = [name for name in ranked if spread[name] <= _allowance(finite[name]) * spread[ranked[0]]]
    kept = kept if len(kept) >= _FEWEST else ranked[:_FEWEST]
    limits = np.array([finite[name][0] for name in kept])
    rounding = _ROUNDING * max(1.0, abs(last))
    margin = np.array([_WIDENING * spread[name] + (errors or {}).get(name, 0.0) + rounding for name in kept])
    return Bracket(float(limits[0]), float(np.min(limits - margin)), float(np.max(limits + margin)), ranked[0])


def _spread(track: Points, last: float) -> float:
    return float(np.ptp(track)) if len(track) > 1 else abs(float(track[0]) - last)


def _allowance(track: Points) -> float:
    """Jumps to and fro come from rounding, which is no sign of a wrong form."""
    steps = np.diff(track)
    irregular = any(abs(b - a) > np.max(np.abs(steps)) for a, b in itertools.pairwise(steps))
    return _IRREGULAR_ALLOWANCE if irregular else _SMOOTH_ALLOWANCE
