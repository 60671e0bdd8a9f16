"""Settings outside the paper's assumptions beside each other: one run each, and what becomes of the 1/T law.

The law is one of the paper's setting; a setting *keeps* it where the limit of the local exponent d log L/d log T is −1
within its interval. Limits come from the last three decades of a run (`docendo.rates`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.judging import exponent_finding, judge, missing_finding
from docendo.figures import Curve, Curves, Figure, Style
from docendo.results import Finding
from docendo.students.base import Student
from docendo.teachers.base import Teacher
from docendo.theory.rates import Estimate, limit_exponent, local_exponents
from docendo.training import Run
from docendo.training.base import Dynamics

__all__ = ["Setting", "compare"]

LATE = 1e3
FEWEST_POINTS = 8
# A loss below this part of its start is rounding, and so is its slope.
ROUNDING = 1e-20
RECOVERED = 0.05
# Settings beyond so many take the same colours again, dashed.
COLOURS = 6
# Extrapolations that differ by more than this say nothing about a power.
UNSETTLED = 1.0


class Setting(NamedTuple):
    """One run: its name, its parts, and further arguments of `docendo.train`."""

    name: str
    teacher: Teacher
    student: Student
    dynamics: Dynamics
    more: Mapping[str, Any] = {}


class _Course(NamedTuple):
    """A setting, its run, and the limit of its local exponent, where the run says something about it."""

    setting: Setting
    run: Run
    exponent: Estimate | None


def compare(
    name: str, settings: Sequence[Setting], bench: Bench, *, steps: int, saves: int, sizes: Mapping[str, Any]
) -> Outcome:
    """Run all settings, and judge each by the 1/T law.

    Args:
        name: of the figure.
        settings: what to run.
        bench: where.
        steps: how many steps each; a flow goes on to ηT = 1e9.
        saves: about how many points a curve has.
        sizes: what the report states of the sizes.
    """
    courses = [_course(setting, bench, 1 / len(settings), steps, saves) for setting in settings]
    figure = f"{name}_courses"
    return Outcome(
        summary=_summary(courses),
        settings=dict(sizes) | {each.setting.name: repr(each.setting.dynamics) for each in courses},
        findings=[finding for course in courses for finding in _findings(course, figure)],
        figures=[_figure(figure, courses)],
        runs={_file_name(each.setting.name): each.run for each in courses},
        numbers={
            f"{_file_name(each.setting.name)}_{what}": float(each.run.data[what][-1])
            for each in courses
            for what in ("excess_loss", "score_error")
            if what in each.run.data
        },
    )


def _course(setting: Setting, bench: Bench, share: float, steps: int, saves: int) -> _Course:
    more: dict[str, Any] = {"steps": steps} if setting.dynamics.clock == "steps" else {"time": 1e9}
    more |= {"saves": saves} | dict(setting.more)
    run = bench.train(_file_name(setting.name), share, setting.teacher, setting.student, setting.dynamics, **more)
    return _Course(setting, run, _limit(run))


def _limit(run: Run) -> Estimate | None:
    """From the run's own slopes where it has them at every save, else from its curve."""
    data = run.data
    time, loss = _clock(run), np.asarray(data["excess_loss"])
    late = (time > time[-1] / LATE) & (loss > ROUNDING * loss[0])
    if late.sum() < FEWEST_POINTS:
        return None
    slopes = np.asarray(data["local_exponent"])[late] if "local_exponent" in data else np.array([np.nan])
    if np.isfinite(slopes).all():
        return limit_exponent(time[late], local_exponents=slopes)
    return limit_exponent(time[late], loss[late])


def _findings(course: _Course, figure: str) -> list[Finding]:
    claim = f"{course.setting.name}: the excess loss falls like T^(−1), as under the paper's assumptions"
    if course.exponent is None:
        return [missing_finding(claim, -1.0, _why(course.run), figure=figure)]
    how = f"limit of the local exponent of {course.setting.dynamics!r}"
    if course.exponent.width > UNSETTLED:
        slope = float(local_exponents(_clock(course.run), np.asarray(course.run.data["excess_loss"]))[-1])
        text = f"{how}: not settled, extrapolations disagree; the last slope is shown"
        return [Finding(claim, -1.0, slope, None, None, text, "undecided", "measured", figure)]
    return [exponent_finding(claim, -1.0, course.exponent, how, figure=figure)]


def _why(run: Run) -> str:
    start, end = float(run.data["excess_loss"][0]), float(run.data["excess_loss"][-1])
    return f"the excess loss went from {start:.2g} to {end:.2g}, down to rounding: faster than any power"


def _verdict(course: _Course) -> str:
    return "not applicable" if course.exponent is None else judge(-1.0, course.exponent)


def _summary(courses: Sequence[_Course]) -> str:
    """Who keeps the law, who does not, and who finds S*, from the numbers."""
    groups = {verdict: [each for each in courses if _verdict(each) == verdict] for verdict in _GROUPS}
    said = [f"{len(courses)} settings."]
    for verdict, words in _GROUPS.items():
        if groups[verdict]:
            said.append(f"{words}: {', '.join(_named(each) for each in groups[verdict])}.")
    lost = [f"{each.setting.name} ({error:.2g})" for each in courses if (error := _score_error(each)) > RECOVERED]
    said.append(
        f"Not within {RECOVERED:.0%} of S*, with ‖S − S*‖/‖S*‖ at the end: {', '.join(lost)}."
        if lost
        else f"All end within {RECOVERED:.0%} of S*."
    )
    return " ".join(said)


_GROUPS = {
    "agrees": "These keep the 1/T law",
    "differs": "These fall with another power, given beside them",
    "undecided": "Of these the run does not say, their slope not having settled",
    "not applicable": "These are down to rounding, faster than any power",
}


def _named(course: _Course) -> str:
    if _verdict(course) != "differs" or course.exponent is None:
        return course.setting.name
    return f"{course.setting.name} ({course.exponent.value:.2f})".replace("-", "−")


def _score_error(course: _Course) -> float:
    if "score_error" not in course.run.data:
        return 0.0
    size = np.linalg.norm(np.asarray(course.setting.teacher.scores))
    return float(course.run.data["score_error"][-1]) / float(size)


def _clock(run: Run) -> np.ndarray:
    """T in steps, or ηT for a flow: not every optimizer has an η."""
    return np.asarray(run.data["step" if "step" in run.data.dims else "time"], dtype=float)


def _figure(name: str, courses: Sequence[_Course]) -> Figure:
    def curves(what: str, positive: bool) -> list[Curve]:
        made = []
        for place, course in enumerate(courses):
            if what in course.run.data:
                time, values = _clock(course.run), np.asarray(course.run.data[what])
                good = (time > 0) & np.isfinite(values) & ((values > 0) if positive else True)
                style: Style = "line" if place < COLOURS else "dashed"
                made.append(Curve(course.setting.name, time[good], values[good], style, group=place % COLOURS))
        return made

    slope = curves("local_exponent", positive=False)
    times = np.concatenate([np.asarray(curve.x, dtype=float) for curve in slope])
    ends = np.array([times.min(), times.max()])
    slope.append(Curve("slope −1", ends, [-1.0, -1.0], "reference"))
    along = "steps T; ηT for flows"
    panels = (
        Curves("Excess loss", along, "excess loss", curves("excess_loss", positive=True)),
        Curves("Local exponent", along, "d log L / d log T", slope, y_log=False, y_range=(-3.0, 1.0)),
        Curves("Distance to S*", along, "‖S − S*‖_F", curves("score_error", positive=True)),
    )
    caption = "Exact excess loss in every setting, its slope at every point, and the distance of the attention to S*."
    return Figure(name, "Courses", caption, panels)


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name.lower()).strip("_")
