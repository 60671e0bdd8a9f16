"""What a verdict rests on, as pictures: a figure for each variable, with a panel for each claim.

Of T: the quantity along runs from all over the sweep, and the claimed power through the end of the first. Of another
variable: the amplitudes, lim q T^(−p), against it, and the claimed power through the first of them. Of a claim about
numbers: measured over claimed along every run.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from docendo.figures import Curve, Curves, Figure
from docendo.theory.curve import Curve as Run
from docendo.theory.verdicts import Evidence, Exponent, Verdict

__all__ = ["local_powers", "verdict_figures"]

Item = TypeVar("Item")

MOST_LINES, MOST_RUNS = 6, 4
AXES = {
    "T": "steps T",
    "D": "tokens D",
    "K": "support size K",
    "M": "channels M",
    "d": "features d",
    "V": "‖V*‖_F",
    "eta": "learning rate η",
    "tau": "logit scale τ",
}
NAMES = ("D", "K", "V", "eta", "M", "d", "kappa", "tau")


def verdict_figures(verdict: Verdict) -> list[Figure]:
    """The figures of a verdict: one for each variable of its claims of growth, one for its claims about numbers."""
    cards = [part for part in verdict.parts if part.parts]
    if cards:
        return [figure for card in cards for figure in verdict_figures(card)]
    claims = [claim for claim in verdict.claims() if claim.evidence]
    growth = [claim for claim in claims if claim.exponents]
    variables = dict.fromkeys(name for claim in growth for name in claim.exponents)
    numbers = [claim for claim in claims if not claim.exponents]
    chosen = {name: [each for each in growth if name in each.exponents] for name in variables}
    figures = [_variable_figure(verdict, name, tried) for name, tried in chosen.items()]
    return figures + ([_numbers_figure(verdict, numbers)] if numbers else [])


def local_powers(verdicts: Mapping[str, Verdict], name: str) -> Figure:
    """The power of a variable between neighbouring values, for the same claims under several definitions.

    Args:
        verdicts: of one card, by the definitions in words.
        name: the variable.

    Raises:
        ValueError: no claim of growth of theirs sweeps it.
    """
    first = next(iter(verdicts.values()))
    tried = [place for place, claim in enumerate(first.parts) if name in claim.exponents]
    if not tried:
        raise ValueError(f"{name} is not swept by a claim of growth of {first.name}. Try D.")
    panels = [_local_panel({words: each.parts[place] for words, each in verdicts.items()}, name) for place in tried]
    caption = (
        f"The power of {name} from one value to the next, the smallest other variables of the sweep, and the claimed "
        f"power. What is judged is its limit as {name} grows."
    )
    return Figure(f"local_powers_{name}", f"{first.name}: powers of {name}", caption, panels, columns=len(panels))


def _local_panel(claims: Mapping[str, Verdict], name: str) -> Curves:
    curves = []
    for words, claim in claims.items():
        line = next(line for evidence in claim.evidence for line in _lines(evidence, name))
        x, y = np.asarray(line.x), np.asarray(line.y)
        curves.append(Curve(words, np.sqrt(x[1:] * x[:-1]), np.diff(np.log(y)) / np.diff(np.log(x))))
    claim = next(iter(claims.values()))
    ends = np.asarray(curves[0].x)[[0, -1]]
    claimed = Curve("claimed", ends, np.full(2, claim.exponents[name].claimed), "dashed")
    return Curves(claim.quantity, AXES[name], f"power of {name}", [*curves, claimed], y_log=False)


def _variable_figure(verdict: Verdict, name: str, claims: Sequence[Verdict]) -> Figure:
    panels = [_time_panel(claim) if name == "T" else _amplitude_panel(claim, name) for claim in claims]
    said = "; ".join(f"{claim.quantity}: {_said(claim.exponents[name])}" for claim in claims)
    title = f"{verdict.name}: the power of {name}"
    return Figure(
        f"{_slug(verdict.name)}_{name}", title, f"Power of {name} in {said}.", panels, columns=min(len(panels), 3)
    )


def _said(exponent: Exponent) -> str:
    number, _, _ = str(exponent.measured).partition(" (")
    return f"claimed {exponent.claimed:g}, measured {number}"


def _time_panel(claim: Verdict) -> Curves:
    curves = [curve for evidence in claim.evidence for curve in _runs(evidence)]
    first, power = curves[0], claim.exponents["T"].claimed
    steps, values = np.asarray(first.x), np.asarray(first.y)
    guide = Curve(f"slope {power:g}", steps, values[-1] * (steps / steps[-1]) ** power, "dashed")
    return Curves(claim.name, AXES["T"], claim.quantity, [*curves, guide])


def _amplitude_panel(claim: Verdict, name: str) -> Curves:
    """One curve for each choice of the other variables."""
    lines = [line for evidence in claim.evidence for line in _lines(evidence, name)]
    power, time = claim.exponents[name].claimed, claim.exponents["T"].claimed
    x, y = np.asarray(lines[0].x), np.asarray(lines[0].y)
    guide = Curve(f"power {power:g}, as claimed", x, y[0] * (x / x[0]) ** power, "dashed")
    label = f"limit of {claim.quantity} × T^{-time:g}" if time else f"limit of {claim.quantity}"
    return Curves(claim.name, AXES[name], label, [*_some(lines, MOST_LINES), guide])


def _numbers_figure(verdict: Verdict, claims: Sequence[Verdict]) -> Figure:
    panels = []
    for claim in claims:
        curves = [curve for evidence in claim.evidence for curve in _runs(evidence)]
        panels.append(Curves(claim.name, AXES["T"], "measured / claimed", curves))
    said = "; ".join(f"{claim.statement}: {claim.message}" for claim in claims)
    return Figure(
        f"{_slug(verdict.name)}_ratio",
        f"{verdict.name}: measured / claimed",
        f"{said}.",
        panels,
        columns=min(len(panels), 3),
    )


def _runs(evidence: Evidence) -> list[Curve]:
    """Runs from all over a sweep, named by what tells them apart."""
    apart = _apart(evidence)
    return [Curve(_label(run, apart), run.steps, run.values) for run in _some(evidence.curves, MOST_RUNS)]


def _lines(evidence: Evidence, name: str) -> list[Curve]:
    """The amplitudes against one variable, a line for each choice of the others."""
    apart = _apart(evidence)
    if name not in apart:
        return []
    others = [each for each in apart if each != name]
    groups: dict[str, list[tuple[float, float]]] = {}
    for run, amplitude in zip(evidence.curves, evidence.amplitudes, strict=True):
        groups.setdefault(_label(run, others), []).append((run.variables[name], amplitude.value))
    return [Curve(label, *np.array(sorted(points)).T) for label, points in groups.items()]


def _apart(evidence: Evidence) -> list[str]:
    """The variables that a sweep varies; not τ where it follows D."""
    runs = evidence.curves
    varied = [name for name in NAMES if len({run.variables.get(name) for run in runs}) > 1]
    return [name for name in varied if name != "tau" or "D" not in varied]


def _label(run: Run, names: Sequence[str]) -> str:
    return ", ".join([f"{name} = {run.variables[name]:g}" for name in names]) or run.source


def _some(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many, evenly spread."""
    places = np.unique(np.linspace(0, len(items) - 1, most).round().astype(int))
    return [items[place] for place in places]


def _slug(name: str) -> str:
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name).strip("_")
