"""A claim held against curves.

Claims of growth, q = Θ(law), O(law) or Ω(law), are judged in `docendo.theory.growth`. Claims about numbers here:

    q = law     lim q/law is 1 on every curve
    q <= law    q stays below the law at every recorded point

Two numbers closer than `NUMBER_RESOLUTION` are not told apart. A limit that is known less well than
`WIDEST_DECISIVE_LIMIT` can refute an equality but not confirm it: then the claim is undecided.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from docendo.theory.curve import Curve, Families
from docendo.theory.grammar import ParsedClaim
from docendo.theory.growth import judge_growth, law_values
from docendo.theory.rates import Estimate, Sandwich, limit
from docendo.theory.rates.estimate import NOT_ASYMPTOTIC
from docendo.theory.verdicts import Evidence, Hypothesis, Label, Outcome, Verdict, overall

__all__ = ["Claim", "judge"]

NUMBER_RESOLUTION = 1e-3
WIDEST_DECISIVE_LIMIT = 0.02
BOUND_RESOLUTION = 1e-9


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


def judge(
    claim: Claim,
    families: Families,
    hypotheses: Sequence[Hypothesis] = (),
    definitions: Mapping[str, Any] | None = None,
) -> Verdict:
    """Hold a claim against families of curves.

    Args:
        claim: what is claimed.
        families: sweeps that are judged apart, since their T or their dynamics differ; a variable's exponent is taken
            from every family that sweeps it.
        hypotheses: what the claim assumes, checked on these curves. One that does not hold makes the claim not
            applicable.
        definitions: what the verdict is to say about how the curves were made.

    Raises:
        ValueError: no curve was given; the law is not a finite number somewhere; for growth, a quantity or law that is
            not positive, or a law with a power of kappa.
    """
    if not any(families):
        raise ValueError("a claim is judged on at least one curve, got none. Widen the ranges it is tried over.")
    law = claim.statement
    outcome, message, found = _judged(law, families, [each for each in hypotheses if each.holds is False])
    stated = Verdict(claim.name, law.quantity, law.sense, law.law, outcome, claim.label, message)
    return replace(stated, hypotheses=hypotheses, definitions=definitions or {}, **found)


def _judged(law: ParsedClaim, families: Families, broken: Sequence[Hypothesis]) -> tuple[Outcome, str, dict[str, Any]]:
    """The outcome, why, and what was found on the way."""
    if broken:
        return "not applicable", f"{broken[0].name} does not hold: {broken[0].detail}", {}
    if law.sense in ("Theta", "O", "Omega"):
        found = judge_growth(law, families)
        parts = {"exponents": found.exponents, "ratio": found.ratio, "evidence": found.evidence}
        return found.outcome, found.message, parts
    curves = [curve for family in families for curve in family]
    outcome, message, ratio = _equality(law, curves) if law.sense == "=" else _bound(law, curves)
    return outcome, message, {"ratio": ratio, "evidence": [Evidence([_share(law, curve) for curve in curves])]}


def _share(law: ParsedClaim, curve: Curve) -> Curve:
    """Measured over claimed; not finite where the law is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return replace(curve, values=curve.values / law_values(law, curve), exponents=None)


def _equality(law: ParsedClaim, curves: Sequence[Curve]) -> tuple[Outcome, str, Sandwich]:
    limits = [limit(curve.steps, curve.values / _nonzero(law, curve)) for curve in curves]
    values = [each.value for each in limits]
    agree = [_near_one(each) for each in limits]
    message = f"measured / claimed tends to {min(values):.6g} … {max(values):.6g} over {len(limits)} curves"
    open_ended = agree.count(None)
    if open_ended:
        message += f"; {open_ended} of them not known closely enough"
    return overall([_outcome(each) for each in agree]), message, Sandwich(min(values), max(values), {})


def _bound(law: ParsedClaim, curves: Sequence[Curve]) -> tuple[Outcome, str, Sandwich | None]:
    claimed = np.concatenate([law_values(law, curve) for curve in curves])
    measured = np.concatenate([curve.values for curve in curves])
    above = measured > claimed + BOUND_RESOLUTION * np.abs(claimed)
    points = f"{measured.size} recorded points of {len(curves)} curves"
    outcome: Outcome = "fails" if above.any() else "holds"
    if (claimed <= 0).any():
        return outcome, f"above the law at {above.sum()} of {points}", None
    ratio = Sandwich(float((measured / claimed).min()), float((measured / claimed).max()), {})
    return outcome, f"measured / claimed lies in {ratio.low:.6g} … {ratio.high:.6g} at {points}", ratio


def _nonzero(law: ParsedClaim, curve: Curve) -> np.ndarray:
    values = law_values(law, curve)
    if (values == 0).any():
        raise ValueError(f"{law.law} is 0 somewhere, and = compares quotients. Claim {law.quantity} <= … instead.")
    return values


def _near_one(estimate: Estimate) -> bool | None:
    if estimate.flag == NOT_ASYMPTOTIC:
        return None
    if not estimate.low - NUMBER_RESOLUTION <= 1 <= estimate.high + NUMBER_RESOLUTION:
        return False
    return True if estimate.width <= WIDEST_DECISIVE_LIMIT else None


def _outcome(agrees: bool | None) -> Outcome:
    return "undecided" if agrees is None else "holds" if agrees else "fails"
