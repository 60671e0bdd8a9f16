"""Claims held against curves.

A claim of growth, q = Θ(law) with law = c Π_v v^(e_v), says that the ratio q/law stays between constants as each
variable grows. It is judged in two steps. First in T, along each curve: the limit of the local exponent. Then in every
other variable, over the sweep of curves: the amplitude A = lim q T^(−p) of each curve is taken, the ratio A/law formed,
and the exponent with which this ratio drifts in the variable added to the claimed one. Exponents in other variables than
D are limits as D → ∞ where D is swept. O and Ω allow a drift in one direction.

q = law compares numbers: lim q/law must be 1 on every curve. q <= law must hold at every recorded point.

Intervals come from the spread of extrapolations (`docendo.theory.rates`). Two exponents closer than
`EXPONENT_RESOLUTION` are not told apart, nor two numbers closer than `NUMBER_RESOLUTION`. An interval wider than
`WIDEST_DECISIVE` can refute an exponent but not confirm it: then the claim is undecided.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docendo.theory.grammar import ParsedClaim, Sense
from docendo.theory.rates import Estimate, Sandwich, limit, limit_exponent, sandwich
from docendo.theory.rates.estimate import NOT_ASYMPTOTIC, hull
from docendo.theory.verdicts import Exponent, Hypothesis, Label, Outcome, Verdict, overall

__all__ = ["EXPONENT_RESOLUTION", "Claim", "Curve", "judge"]

EXPONENT_RESOLUTION = 0.01
WIDEST_DECISIVE = 0.2
NUMBER_RESOLUTION = 1e-3
BOUND_RESOLUTION = 1e-9


class Curve(NamedTuple):
    """A quantity along one run.

    Attributes:
        variables: the run's D, K, M, d, eta, tau, V and kappa, as far as they are defined.
        steps: T at the saves, increasing, positive.
        values: the quantity at each.
        exponents: its local exponent d log q / d log T, where it is known exactly.
    """

    variables: Mapping[str, float]
    steps: NDArray[np.float64]
    values: NDArray[np.float64]
    exponents: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Claim:
    """A claim about one recorded quantity.

    Attributes:
        name: how it is called in tables.
        statement: what it says.
        label: whose it is.
        reference: where it is made.
    """

    name: str
    statement: ParsedClaim
    label: Label
    reference: str


def judge(claim: Claim, families: Sequence[Sequence[Curve]], hypotheses: Sequence[Hypothesis] = ()) -> Verdict:
    """Hold a claim against families of curves.

    Args:
        claim: what is claimed.
        families: sweeps that are judged apart, since their T or their dynamics differ; a variable's exponent is taken
            from every family that sweeps it.
        hypotheses: what the claim assumes, checked on these curves. One that does not hold makes the claim not
            applicable.

    Raises:
        ValueError: no curve was given.
    """
    if not any(families):
        raise ValueError("a claim is judged on at least one curve, got none. Widen the ranges it is tried over.")
    broken = [each for each in hypotheses if each.holds is False]
    if broken:
        message = f"{broken[0].name} does not hold: {broken[0].detail}"
        return _verdict(claim, "not applicable", message, hypotheses)
    if claim.statement.sense in ("Theta", "O", "Omega"):
        return _growth(claim, families, hypotheses)
    return (
        _bound(claim, families, hypotheses) if claim.statement.sense == "<=" else _equality(claim, families, hypotheses)
    )


def _growth(claim: Claim, families: Sequence[Sequence[Curve]], hypotheses: Sequence[Hypothesis]) -> Verdict:
    law, sense = claim.statement, claim.statement.sense
    claimed = {name: float(power) for name, power in (law.exponents or {}).items()}
    in_time = hull([_time_exponent(curve) for family in families for curve in family], "limit of the local exponent")
    exponents = {"T": _compare(claimed.get("T", 0.0), in_time, sense)}
    power = claimed.get("T", 0.0) if _within(claimed.get("T", 0.0), in_time) else in_time.value
    sandwiches = []
    for family in families:
        amplitudes = [limit(curve.steps, curve.values * curve.steps**-power) for curve in family]
        found = _sandwich(law, family, amplitudes)
        sandwiches.append(found)
        for name, drift in found.drift.items():
            base = claimed.get(name, 0.0)
            moved = replace(drift, value=base + drift.value, low=base + drift.low, high=base + drift.high)
            exponents.setdefault(name, _compare(base, moved, sense))
    ratio = Sandwich(
        min(each.low for each in sandwiches),
        max(each.high for each in sandwiches),
        {name: drift for each in reversed(sandwiches) for name, drift in each.drift.items()},
    )
    outcome = _outcome([exponent.agrees for exponent in exponents.values()])
    return _verdict(claim, outcome, _growth_message(exponents, ratio), hypotheses, exponents, ratio)


def _time_exponent(curve: Curve) -> Estimate:
    if curve.exponents is None:
        return limit_exponent(curve.steps, curve.values)
    return limit_exponent(curve.steps, local_exponents=curve.exponents)


def _sandwich(law: ParsedClaim, family: Sequence[Curve], amplitudes: Sequence[Estimate]) -> Sandwich:
    """The ratio of amplitude to law; κ may be 0 or negative, so it only tells curves apart."""
    values = np.array([amplitude.value for amplitude in amplitudes])
    error = max(_relative_width(amplitude) for amplitude in amplitudes)
    columns = _columns(family)
    scaled = {name: column for name, column in columns.items() if name != "kappa"}
    ratio = values / np.array([float(law(_at(curve, steps=1.0))) for curve in family])
    apart = {"kappa": columns["kappa"] + 2.0} if "kappa" in columns else {}
    if not scaled:
        return Sandwich(float(ratio.min()), float(ratio.max()), {})
    found = sandwich(ratio, scaled | apart, relative_error=error if math.isfinite(error) else 0.0)
    flagged = any(amplitude.flag == NOT_ASYMPTOTIC for amplitude in amplitudes)
    drift = {name: _unbounded(each) if flagged else each for name, each in found.drift.items() if name in scaled}
    return Sandwich(found.low, found.high, drift)


def _columns(family: Sequence[Curve]) -> dict[str, NDArray[np.float64]]:
    """The variables that the family sweeps, each as one number per curve."""
    names = set.intersection(*(set(curve.variables) for curve in family))
    columns = {name: np.array([float(curve.variables[name]) for curve in family]) for name in sorted(names)}
    swept = {name: column for name, column in columns.items() if np.ptp(column) > 0}
    # τ follows D by its definition; where both move, its power is part of D's.
    return {name: column for name, column in swept.items() if name != "tau" or "D" not in swept}


def _equality(claim: Claim, families: Sequence[Sequence[Curve]], hypotheses: Sequence[Hypothesis]) -> Verdict:
    curves = [curve for family in families for curve in family]
    limits = [limit(curve.steps, curve.values / claim.statement(_at(curve))) for curve in curves]
    agree = [_near_one(each) for each in limits]
    low, high = min(each.value for each in limits), max(each.value for each in limits)
    message = f"measured / claimed tends to {low:.6g} … {high:.6g} over {len(limits)} curves"
    return _verdict(claim, _outcome(agree), message, hypotheses, ratio=Sandwich(low, high, {}))


def _bound(claim: Claim, families: Sequence[Sequence[Curve]], hypotheses: Sequence[Hypothesis]) -> Verdict:
    ratios = [curve.values / claim.statement(_at(curve)) for family in families for curve in family]
    low, high = min(float(each.min()) for each in ratios), max(float(each.max()) for each in ratios)
    points = sum(each.size for each in ratios)
    message = f"measured / claimed lies in {low:.6g} … {high:.6g} at {points} recorded points"
    outcome: Outcome = "holds" if high <= 1 + BOUND_RESOLUTION else "fails"
    return _verdict(claim, outcome, message, hypotheses, ratio=Sandwich(low, high, {}))


def _near_one(estimate: Estimate) -> bool | None:
    if estimate.flag == NOT_ASYMPTOTIC:
        return None
    if estimate.low - NUMBER_RESOLUTION <= 1 <= estimate.high + NUMBER_RESOLUTION:
        return True
    return False


def _compare(claimed: float, measured: Estimate, sense: Sense) -> Exponent:
    low, high = measured.low - claimed, measured.high - claimed
    above, below = low > EXPONENT_RESOLUTION, high < -EXPONENT_RESOLUTION
    if sense == "Theta":
        agrees = False if above or below else (True if high - low <= WIDEST_DECISIVE else None)
    elif sense == "O":
        agrees = False if above else (True if high <= EXPONENT_RESOLUTION else None)
    else:
        agrees = False if below else (True if low >= -EXPONENT_RESOLUTION else None)
    return Exponent(claimed, measured, agrees)


def _within(claimed: float, measured: Estimate) -> bool:
    return measured.low - EXPONENT_RESOLUTION <= claimed <= measured.high + EXPONENT_RESOLUTION


def _outcome(agree: Sequence[bool | None]) -> Outcome:
    return overall(["holds" if each else "undecided" if each is None else "fails" for each in agree])


def _growth_message(exponents: Mapping[str, Exponent], ratio: Sandwich) -> str:
    wrong = {name: each for name, each in exponents.items() if each.agrees is False}
    unsure = {name: each for name, each in exponents.items() if each.agrees is None}
    shown = wrong or unsure or exponents
    texts = [f"{name}: claimed {each.claimed:g}, measured {each.measured.value:.3f}" for name, each in shown.items()]
    return f"{', '.join(texts)}; measured / claimed from {ratio.low:.3g} to {ratio.high:.3g}"


def _relative_width(estimate: Estimate) -> float:
    return estimate.width / 2 / abs(estimate.value) if estimate.value else math.inf


def _unbounded(estimate: Estimate) -> Estimate:
    return replace(estimate, low=-math.inf, high=math.inf, flag=NOT_ASYMPTOTIC)


def _at(curve: Curve, steps: Any = None) -> dict[str, Any]:
    return {**curve.variables, "T": curve.steps if steps is None else steps}


def _verdict(
    claim: Claim,
    outcome: Outcome,
    message: str,
    hypotheses: Sequence[Hypothesis],
    exponents: Mapping[str, Exponent] | None = None,
    ratio: Sandwich | None = None,
) -> Verdict:
    law = claim.statement
    return Verdict(
        claim.name, law.quantity, law.sense, law.law, outcome, claim.label, message, exponents or {}, ratio, hypotheses
    )
