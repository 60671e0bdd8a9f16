"""How a run approaches the 1/T law: its loss over the law's line, and what is left of it beside the next order."""

from collections.abc import Mapping

import numpy as np

from docendo.figures import Curve, Curves, Figure
from docendo.theory.law import Law
from docendo.training.run import Run

__all__ = ["approach"]

EARLIEST = 1.0


def approach(runs: Mapping[str, tuple[Run, Law]]) -> Figure:
    """Draw the excess loss of runs against ηT, each beside its law and the law's next order.

    Args:
        runs: by name, each with `docendo.universal_law` of its teacher.

    Raises:
        ValueError: no run is given, or the law of one says 0 or nothing.
    """
    for name, (_, law) in runs.items():
        if not (np.isfinite(law.excess_loss) and law.excess_loss > 0):
            raise ValueError(f"{name!r} has no 1/T law: its limit is {law.excess_loss:g}. Draw it by run.plot().")
    if not runs:
        raise ValueError("at least one run is drawn, got none. Try {'identity': (run, dc.universal_law(teacher))}.")
    loss = [curve for group, name in enumerate(runs) for curve in _loss(group, name, *runs[name])]
    rest = [curve for group, name in enumerate(runs) for curve in _rest(group, name, *runs[name])]
    panels = (
        Curves("Excess loss", "ηT", "excess loss L − L_opt", loss),
        Curves("What is left of the law", "ηT", "|ηT L / limit − 1|", rest),
    )
    caption = (
        "Excess loss L and the 1/T law (dashed), which has no free constant. Right: the relative distance from it, and "
        "the law's next order (dashed), by which one sees from where on a run is asymptotic."
    )
    return Figure("approach", "The approach to the 1/T law", caption, panels)


def _loss(group: int, name: str, run: Run, law: Law) -> list[Curve]:
    time, loss = _curve(run)
    late = time > (law.onset or time[0])
    line = Curve(f"{name}, law", time[late], law.excess_loss / time[late], "dashed", group=group)
    return [Curve(name, time, loss, group=group), line]


def _rest(group: int, name: str, run: Run, law: Law) -> list[Curve]:
    time, loss = _curve(run)
    late = time > EARLIEST * (law.onset or time[0])
    time, loss = time[late], loss[late]
    curves = [Curve(name, time, np.abs(time * loss / law.excess_loss - 1), group=group)]
    if law.correction is not None:
        predicted = np.abs(law.correction.ratio(time) - 1)
        there = predicted > 0
        curves.append(Curve(f"{name}, next order", time[there], predicted[there], "dashed", group=group))
    return curves


def _curve(run: Run) -> tuple[np.ndarray, np.ndarray]:
    time, loss = run.data.time.values, run.data.excess_loss.values
    return time[time > 0], loss[time > 0]
