"""Which runs a sweep needs, how long they must go, and whether they can.

A run follows its power laws once the late equation of the gap g, e^(2g) = 2 a t with a = τ²‖V*‖²(α+β) D/K³, has brought
e^g to D/K: from the *onset* t = (D/K)²/(2a) on, to which the time K/((α+β) D) is added in which C1 relaxes.

Descent does so while η is below the limit 2K/((α+β) D) at the teacher, and while one step moves the gap by little: the
pull on it is at most (α+β)/K², so η τ²‖V*‖²(α+β)/K² is kept below a half. Above, it jumps far ahead, and the law would
be seen only after e^(2g) steps more.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from docendo.verification.settings import FIXED, Settings

__all__ = [
    "Variables",
    "base_point",
    "close_settings",
    "count_runs",
    "descent_steps",
    "flow_rate",
    "flow_times",
    "full_point",
    "grid",
    "largest_rate",
    "onset",
    "structure_points",
]

Variables = dict[str, float]

FLOW_REACH = 1e10
FLOW_POINTS = 200
FLOW_LIMIT = 1e30
# So many onsets a run goes on, if it can; it must go this far; and so far where the user says when to stop.
DESCENT_REACH = 1e5
LEAST_REACH = 1e3
WINDOW_REACH = 1e2
MARGIN = 0.9
LARGEST_MOVE = 0.5
EARLY = 1e-6
LARGEST_FULL = 32
MOST_FULL_RUNS = 64
STRUCTURE_OVER: dict[str, tuple[float, ...]] = {"D": (6, 10), "K": (1, 3), "kappa": (0.0, 0.1, 1.0)}


def grid(settings: Settings, names: Iterable[str]) -> list[Variables]:
    """Every combination of the variables named with K < D, and τ by its law where it is not swept."""
    swept = [name for name in names if name != "tau" or "tau" in settings.over]
    combinations = itertools.product(*(settings.values(name) for name in swept))
    points = [dict(zip(swept, values, strict=True)) for values in combinations]
    kept = [point for point in points if point["K"] < point["D"]]
    return [{"tau": settings.logit_scale(point)} | point for point in kept]


def onset(point: Mapping[str, float]) -> float:
    """The time ηT from which a run follows its power laws."""
    moment = (1 + point["kappa"] ** 2) / 2
    rate = (point["tau"] * point["V"]) ** 2 * moment * point["D"] / point["K"] ** 3
    return (point["D"] / point["K"]) ** 2 / (2 * rate) + point["K"] / (moment * point["D"])


def largest_rate(point: Mapping[str, float]) -> float:
    """The largest η at which descent follows the law."""
    moment = (1 + point["kappa"] ** 2) / 2
    stable = 2 * point["K"] / (moment * point["D"])
    unhurried = LARGEST_MOVE * (point["K"] / (point["tau"] * point["V"])) ** 2 / moment
    return min(MARGIN * stable, unhurried)


def flow_times(settings: Settings, points: Sequence[Variables]) -> np.ndarray:
    """The times ηT at which flows are recorded, (points, saves): from long before the onset to long after.

    Raises:
        ValueError: the T that the user allows ends before a run becomes asymptotic, or beyond what a flow reaches.
    """
    begins = np.array([onset(point) for point in points])
    starts, ends = begins * EARLY, begins * FLOW_REACH
    if settings.window is not None:
        first, last = (flow_rate(settings) * steps for steps in settings.window)
        _check_window(settings, points, np.maximum(begins, first), last)
        starts, ends = np.full(len(points), first), np.full(len(points), last)
    return np.geomspace(starts, ends, FLOW_POINTS, axis=1)


def flow_rate(settings: Settings) -> float:
    """The η that turns a flow's time into steps: the smallest of the sweep."""
    return min(settings.values("eta"))


def base_point(settings: Settings, rate: float) -> Variables:
    """The point of the sweep whose onset comes first, of those that descent at this η follows.

    Raises:
        ValueError: there is none.
    """
    points = grid(settings, ("D", "K", "V", "kappa", "tau"))
    allowed = [point for point in points if rate <= largest_rate(point)]
    if not allowed:
        best = max(points, key=largest_rate)
        raise ValueError(
            f"descent at eta={rate:g} does not settle, or overshoots, everywhere in the sweep. At {_place(best)} it "
            f"takes eta up to {largest_rate(best):.3g}: lower eta, or add smaller D or V."
        )
    return min(allowed, key=onset)


def full_point(settings: Settings) -> Variables:
    """The point of the sweep, and an η, at which full descent becomes asymptotic in the fewest steps.

    Raises:
        ValueError: all D of the sweep are too large for it.
    """
    points = _small(grid(settings, ("D", "K", "V", "kappa", "tau")))
    point = min(points, key=lambda each: onset(each) / largest_rate(each))
    return point | {"eta": largest_rate(point) / 2}


def structure_points(settings: Settings) -> list[Variables]:
    """The points, and an η for each, at which full descent is looked at closely.

    Raises:
        ValueError: all D of the sweep are too large for it.
    """
    points = _small(grid(close_settings(settings), ("D", "K", "M", "d", "V", "kappa", "tau")))
    if len(points) > MOST_FULL_RUNS:
        raise ValueError(
            f"full descent is run at up to {MOST_FULL_RUNS} points of a sweep, got {len(points)} with "
            f"D ≤ {LARGEST_FULL}. Narrow the ranges of D, K, M, d or kappa."
        )
    return [point | {"eta": min(FIXED["eta"], largest_rate(point))} for point in points]


def count_runs(settings: Settings, kind: str) -> int:
    """How many runs `docendo.verification.runs` makes of a kind; all flows are one.

    Raises:
        ValueError: full descent cannot be looked at closely over this sweep.
    """
    if kind == "structure":
        return len(structure_points(settings))
    swept = {"flows": (), "rates": ("eta",), "shapes": ("M", "d")}[kind]
    return math.prod(len(settings.values(name)) for name in swept)


def close_settings(settings: Settings) -> Settings:
    """The sweep that full descent is looked at closely over: of the user's what it can do, or a small one."""
    if not settings.chosen:
        return replace(settings, over=STRUCTURE_OVER)
    over = {name: values for name, values in settings.over.items() if name not in ("V", "eta")}
    small = tuple(size for size in settings.values("D") if size <= LARGEST_FULL)
    return replace(settings, over=over | ({"D": small} if small and "D" in over else {}))


def _small(points: Sequence[Variables]) -> list[Variables]:
    small = [point for point in points if point["D"] <= LARGEST_FULL]
    if not small:
        raise ValueError(
            f"full descent is run where K < D ≤ {LARGEST_FULL}, which no point of the sweep is. Add smaller D or K, as "
            "in D=8..1024 K=1,2, or leave out M, d and what only full descent records."
        )
    return small


def descent_steps(settings: Settings, point: Variables, rate: float, most: int, what: str) -> tuple[int, int]:
    """The first step of descent that counts, and the last one.

    Raises:
        ValueError: more than `most` steps are needed.
    """
    first = max(1, round(onset(point) / rate))
    if settings.window is None:
        last, needed = min(round(DESCENT_REACH * first), most), LEAST_REACH * first
    else:
        first, last = max(first, round(settings.window[0])), round(settings.window[1])
        needed = WINDOW_REACH * first
        if last < needed:
            raise ValueError(
                f"no descent at eta={rate:g} becomes asymptotic by T = {last:g}: at {_place(point)} it needs "
                f"T ≥ {needed:.3g}. Leave T out, or raise its end."
            )
    if max(needed, last) > most:
        raise ValueError(
            f"{what} at eta={rate:g} goes to T = {most:g}, but {max(needed, last):.3g} steps are asked of it at "
            f"{_place(point)}. Raise V or eta, lower D, or end T earlier."
        )
    return first, last


def _check_window(settings: Settings, points: Sequence[Variables], begins: np.ndarray, last: float) -> None:
    late = last < WINDOW_REACH * begins
    rate = flow_rate(settings)
    if late.any():
        worst = int(np.argmax(begins))
        raise ValueError(
            f"{int(late.sum())} of {len(points)} runs do not become asymptotic by T = {last / rate:.3g}. The slowest, "
            f"{_place(points[worst])}, needs T ≥ {WINDOW_REACH * begins[worst] / rate:.3g} at eta={rate:g}: leave T "
            "out, raise its end, or narrow the other ranges."
        )
    if last > FLOW_LIMIT:
        raise ValueError(
            f"a flow reaches ηT = {FLOW_LIMIT:g}, but T up to {last / rate:.3g} at eta={rate:g} is asked of it. "
            f"End T at {FLOW_LIMIT / rate:.3g} or before."
        )


def _place(point: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={point[name]:g}" for name in ("D", "K", "V") if name in point and name in FIXED)
