"""Settings outside the paper's assumptions beside each other: one run each, and what becomes of the 1/T law.

The law is one of the paper's setting; a setting *keeps* it where the limit of the local exponent d log L/d log T is −1
within its interval. Limits come from the last three decades of a run (`docendo.rates`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.judging import exponent_finding, judge
from docendo.figures import Curve, Curves, Figure, Style
from docendo.results import Finding, Verdict
from docendo.students.base import Student
from docendo.students.multi_head import MultiHead
from docendo.teachers.base import Teacher
from docendo.theory.rates import Estimate, limit_exponent, local_exponents
from docendo.training import Run
from docendo.training.base import Dynamics

__all__ = ["Setting", "compare"]

LATE = 1e3
FEWEST_POINTS = 8
# A loss below this part of its start is rounding, and so is its slope; heads that agree only in sum keep fewer digits.
ROUNDING = 1e-20
ROUNDING_OF_HEADS = 1e-14
# A loss whose last slope is above this falls no more.
FLAT = -0.05
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


class _Without(NamedTuple):
    """Why a run has no exponent: which of `_GROUPS` it is in, and what happened."""

    group: str
    why: str


class _Course(NamedTuple):
    """A setting, its run, and the limit of its local exponent, or why there is none."""

    setting: Setting
    run: Run
    exponent: Estimate | _Without


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
    return _Course(setting, run, _limit(run, ROUNDING_OF_HEADS if isinstance(setting.student, MultiHead) else ROUNDING))


def _limit(run: Run, rounding: float) -> Estimate | _Without:
    """From the run's own slopes where it has them at every save, else from its curve."""
    data = run.data
    time, loss = _clock(run), np.asarray(data["excess_loss"])
    if loss[-1] <= rounding * loss[0]:
        went = f"the excess loss went from {loss[0]:.2g} to {loss[-1]:.2g}"
        return _Without("rounding", f"{went}, down to rounding: faster than any power")
    late = time > time[-1] / LATE
    rises = late[1:] & (np.diff(loss) > 0)
    if rises.any():
        at = int(np.argmax(rises))
        return _Without("stopped", f"the excess loss falls to {loss[at]:.2g} at T = {time[at]:.2g}, then no further")
    if local_exponents(time[late], loss[late])[-1] > FLAT:
        return _Without("stopped", f"the excess loss has come to rest at {loss[-1]:.2g}")
    if late.sum() < FEWEST_POINTS:
        return _Without("undecided", f"{late.sum()} saves late in the run say nothing about a limit")
    slopes = np.asarray(data["local_exponent"])[late] if "local_exponent" in data else np.array([np.nan])
    if np.isfinite(slopes).all():
        return limit_exponent(time[late], local_exponents=slopes)
    return limit_exponent(time[late], loss[late])


def _findings(course: _Course, figure: str) -> list[Finding]:
    claim = f"{course.setting.name}: the excess loss falls like T^(−1), as under the paper's assumptions"
    verdict, exponent = _VERDICTS[_group(course)], course.exponent
    if isinstance(exponent, _Without):
        return [Finding(claim, -1.0, None, None, None, exponent.why, verdict, "measured", figure)]
    how = f"limit of the local exponent of {course.setting.dynamics!r}"
    if exponent.width > UNSETTLED:
        slope = float(local_exponents(_clock(course.run), np.asarray(course.run.data["excess_loss"]))[-1])
        text = f"{how}: not settled, extrapolations disagree; the last slope is shown"
        return [Finding(claim, -1.0, slope, None, None, text, verdict, "measured", figure)]
    return [exponent_finding(claim, -1.0, exponent, how, figure=figure)]


def _group(course: _Course) -> str:
    return course.exponent.group if isinstance(course.exponent, _Without) else judge(-1.0, course.exponent)


def _summary(courses: Sequence[_Course]) -> str:
    """Who keeps the law, who does not, and who finds S*, from the numbers."""
    groups = {group: [each for each in courses if _group(each) == group] for group in _GROUPS}
    said = [f"{len(courses)} settings."]
    for group, words in _GROUPS.items():
        if groups[group]:
            said.append(f"{words}: {'; '.join(_named(each) for each in groups[group])}.")
    lost = [f"{each.setting.name} ({error:.2g})" for each in courses if (error := _score_error(each)) > RECOVERED]
    said.append(
        f"Not within {RECOVERED:.0%} of S*, with ‖S − S*‖/‖S*‖ at the end: {'; '.join(lost)}."
        if lost
        else f"All end within {RECOVERED:.0%} of S*."
    )
    return " ".join(said)


_GROUPS = {
    "agrees": "These keep the 1/T law",
    "differs": "These fall with another power, given beside them",
    "undecided": "Of these the run does not say, their slope not having settled",
    "stopped": "These stop falling before the end",
    "rounding": "These are down to rounding, faster than any power",
}

_VERDICTS: Mapping[str, Verdict] = {
    "agrees": "agrees",
    "differs": "differs",
    "undecided": "undecided",
    "stopped": "differs",
    "rounding": "not applicable",
}


def _named(course: _Course) -> str:
    if _group(course) != "differs" or isinstance(course.exponent, _Without):
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
                good = (time > 0) & np.isfinite(values) & ((values > 0) if positive else _still_falling(course.run))
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
    caption = "Exact excess loss in every setting, its slope while it falls, and the distance of the attention to S*."
    return Figure(name, "Courses", caption, panels)


def _still_falling(run: Run) -> np.ndarray:
    """Up to where the loss first rises: from there on slopes are those of a walk about a floor."""
    loss = np.asarray(run.data["excess_loss"])
    return np.asarray(np.logical_and.accumulate(np.diff(loss, prepend=loss[0]) <= 0))


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name.lower()).strip("_")
