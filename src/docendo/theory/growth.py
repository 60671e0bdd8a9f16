"""Claims of growth held against curves.

q = Θ(law) with law = c Π_v v^(e_v) says that the ratio q/law stays between constants as each variable grows. It is
judged in two steps. First in T, along each curve: the limit of the local exponent. Then in every other variable, over
the sweep: the amplitude A = lim q T^(−p) of each curve is taken, the ratio A/law formed, and the exponent with which
this ratio drifts in the variable added to the claimed one. The exponent in D is its limit as D → ∞, and the exponents
in others are limits as D → ∞ where D is swept; they must agree between all neighbouring values. O and Ω allow a drift
in one direction.

Intervals come from the spread of extrapolations (`docendo.theory.rates`). Two exponents closer than
`EXPONENT_RESOLUTION` are not told apart. An interval wider than `WIDEST_DECISIVE` can refute an exponent but not
confirm it: then the claim is undecided, as it is where a claimed power belongs to a variable that no sweep varies.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docendo.theory.curve import Curve, Families, Family
from docendo.theory.grammar import VARIABLES, ParsedClaim, Sense
from docendo.theory.rates import Estimate, Sandwich, limit, limit_exponent, sandwich
from docendo.theory.rates.estimate import NOT_ASYMPTOTIC, TWO_POINTS, hull
from docendo.theory.verdicts import Evidence, Exponent, Outcome, overall

__all__ = ["EXPONENT_RESOLUTION", "Growth", "check_powers", "judge_growth", "law_values"]

EXPONENT_RESOLUTION = 0.01
WIDEST_DECISIVE = 0.2


@dataclass(frozen=True)
class Growth:
    """How a claim of growth fared."""

    outcome: Outcome
    message: str
    exponents: Mapping[str, Exponent]
    ratio: Sandwich
    evidence: Sequence[Evidence]


def judge_growth(law: ParsedClaim, families: Families) -> Growth:
    """Exponents in T and in all that is swept, and the sandwich.

    Raises:
        ValueError: a quantity or law that is not positive, or a law with a power of kappa.
    """
    claimed = {name: float(power) for name, power in (law.exponents or {}).items()}
    check_powers(law)
    _check_positive(law, families)
    in_time = hull([_time_exponent(curve) for family in families for curve in family], "limit of the local exponent")
    steps = _compare("T", claimed.get("T", 0.0), in_time, law.sense)
    near = in_time.low - EXPONENT_RESOLUTION <= steps.claimed <= in_time.high + EXPONENT_RESOLUTION
    power = steps.claimed if near else in_time.value
    evidence = [_evidence(law, family, power) for family in families]
    drifts = {name: drift for each in reversed(evidence) for name, drift in _drifts(each).items()}
    exponents = {"T": steps}
    for name in (name for name in VARIABLES if name in drifts):
        base = claimed.get(name, 0.0)
        exponents[name] = _compare(name, base, _shifted(drifts[name], base), law.sense)
    untried = [name for name in claimed if name not in exponents]
    ratio = _ratio(evidence, drifts)
    outcome = overall([_outcome(exponent.agrees) for exponent in exponents.values()] + ["undecided"] * bool(untried))
    return Growth(outcome, _message(exponents, untried, ratio), exponents, ratio, evidence)


def law_values(law: ParsedClaim, curve: Curve, steps: Any = None) -> NDArray[np.float64]:
    """The law along a curve, or at other T.

    Raises:
        ValueError: it is not a finite number somewhere.
    """
    steps = curve.steps if steps is None else steps
    values = np.broadcast_to(law({**curve.variables, "T": steps}), np.shape(steps))
    if not np.isfinite(values).all():
        place = ", ".join(f"{name}={value:g}" for name, value in curve.variables.items())
        raise ValueError(f"{law.law} is no finite number at {place}. Narrow the ranges, or state another law.")
    return values


def check_powers(law: ParsedClaim) -> None:
    """Refuse a claim of growth with a power of kappa.

    Raises:
        ValueError: it has one.
    """
    if law.sense in ("Theta", "O", "Omega") and "kappa" in (law.exponents or {}):
        raise ValueError(
            f"kappa does not grow, so {law.sense} says nothing about it, but {law.law} has a power of it. "
            f"Compare numbers instead: {law.quantity} = {law.law}."
        )


def _check_positive(law: ParsedClaim, families: Families) -> None:
    for family in families:
        for curve in family:
            if not (curve.values > 0).all():
                raise ValueError(
                    f"{law.quantity} must be positive to have a power, but it is {curve.values.min():g} in a "
                    f"{curve.source}. Claim a bound instead: {law.quantity} <= 1e-10."
                )


def _time_exponent(curve: Curve) -> Estimate:
    if curve.exponents is None:
        return limit_exponent(curve.steps, curve.values)
    return limit_exponent(curve.steps, local_exponents=curve.exponents)


def _evidence(law: ParsedClaim, family: Family, power: float) -> Evidence:
    laws = [float(law_values(law, curve, steps=1.0)) for curve in family]
    return Evidence(family, [_amplitude(curve, power) for curve in family], laws)


def _amplitude(curve: Curve, power: float) -> Estimate:
    """lim q T^(−p); where the extrapolation of a positive quantity is none, the last value, and no interval."""
    scaled = curve.values * curve.steps**-power
    found = limit(curve.steps, scaled)
    return found if found.value > 0 else _unbounded(replace(found, value=float(scaled[-1])))


def _drifts(evidence: Evidence) -> dict[str, Estimate]:
    """The exponents of the ratio amplitude/law in every variable that the family sweeps.

    Beside a D that is not swept, others have no limit as D → ∞ to be taken: a column of ones stands for it. κ may be 0
    or negative, so it only tells curves apart.
    """
    columns = _swept(evidence.curves)
    scaled = [name for name in columns if name != "kappa"]
    if not scaled:
        return {}
    apart = {"kappa": columns["kappa"] + 2.0} if "kappa" in columns else {}
    grid = {"D": np.ones(len(evidence.curves))} | {name: columns[name] for name in scaled} | apart
    error = max(_relative_width(amplitude) for amplitude in evidence.amplitudes)
    found = sandwich(_ratios(evidence), grid, relative_error=error if math.isfinite(error) else 0.0)
    flagged = any(amplitude.flag == NOT_ASYMPTOTIC for amplitude in evidence.amplitudes)
    return {name: _unbounded(each) if flagged else each for name, each in found.drift.items() if name in scaled}


def _swept(family: Family) -> dict[str, NDArray[np.float64]]:
    """The variables that a family sweeps, each as one number per curve."""
    names = set.intersection(*(set(curve.variables) for curve in family))
    columns = {name: np.array([float(curve.variables[name]) for curve in family]) for name in sorted(names)}
    swept = {name: column for name, column in columns.items() if np.ptp(column) > 0}
    return _without_followers(swept)


def _without_followers(columns: dict[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """Without τ where the other variables fix it: then its power is part of theirs."""
    others = [column for name, column in columns.items() if name != "tau"]
    if "tau" not in columns or not others:
        return columns
    rows = np.unique(np.stack(others), axis=1).shape[1]
    follows = np.unique(np.stack([*others, columns["tau"]]), axis=1).shape[1] == rows
    return {name: column for name, column in columns.items() if name != "tau" or not follows}


def _ratios(evidence: Evidence) -> NDArray[np.float64]:
    return np.array([each.value for each in evidence.amplitudes]) / np.array(evidence.laws)


def _ratio(evidence: Sequence[Evidence], drifts: Mapping[str, Estimate]) -> Sandwich:
    ratios = np.concatenate([_ratios(each) for each in evidence])
    return Sandwich(float(ratios.min()), float(ratios.max()), dict(drifts))


def _compare(name: str, claimed: float, measured: Estimate, sense: Sense) -> Exponent:
    if name == "D" and measured.flag == TWO_POINTS:
        return Exponent(claimed, measured, None)
    low, high = measured.low - claimed, measured.high - claimed
    above, below = low > EXPONENT_RESOLUTION, high < -EXPONENT_RESOLUTION
    refuted = (above and sense != "Omega") or (below and sense != "O")
    one_sided = (sense == "O" and high <= EXPONENT_RESOLUTION) or (sense == "Omega" and low >= -EXPONENT_RESOLUTION)
    decisive = one_sided or high - low <= WIDEST_DECISIVE
    return Exponent(claimed, measured, False if refuted else True if decisive else None)


def _outcome(agrees: bool | None) -> Outcome:
    return "undecided" if agrees is None else "holds" if agrees else "fails"


def _message(exponents: Mapping[str, Exponent], untried: Sequence[str], ratio: Sandwich) -> str:
    wrong = {name: each for name, each in exponents.items() if each.agrees is False}
    unsure = {name: each for name, each in exponents.items() if each.agrees is None}
    texts = [
        f"{name}: claimed {each.claimed:g}, measured {each.measured.value:.3f}{_reason(each)}"
        for name, each in (wrong or unsure).items()
    ]
    texts += [f"{name} is not swept, so its power was not tried" for name in untried]
    said = ", ".join(texts) or f"the powers of {', '.join(exponents)} agree"
    return f"{said}; measured / claimed from {ratio.low:.3g} to {ratio.high:.3g}"


def _reason(exponent: Exponent) -> str:
    if exponent.agrees is not None:
        return ""
    return f" ({exponent.measured.flag or f'known to {exponent.measured.width / 2:.2g} only'})"


def _relative_width(estimate: Estimate) -> float:
    return estimate.width / 2 / abs(estimate.value) if estimate.value else math.inf


def _shifted(estimate: Estimate, by: float) -> Estimate:
    return replace(estimate, value=estimate.value + by, low=estimate.low + by, high=estimate.high + by)


def _unbounded(estimate: Estimate) -> Estimate:
    return replace(estimate, low=-math.inf, high=math.inf, flag=NOT_ASYMPTOTIC)
