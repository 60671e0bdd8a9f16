"""Verdicts: a claimed number held against a measured one, by rules that are the same for every experiment.

An estimate with an interval agrees with a claim inside it (widened by the resolution at which a slope is read off a
figure), unless the interval is so wide that it would agree with anything: a wide interval can refute a claim but not
confirm it. A number without an interval agrees within a stated tolerance.
"""

import math

from docendo.results import Finding, Label, Verdict
from docendo.theory.rates import Estimate

__all__ = ["exponent_finding", "judge", "missing_finding", "near_finding", "ratio_finding"]

RESOLUTION = 0.01
WIDEST_DECISIVE = 0.2


def judge(claimed: float, found: Estimate) -> Verdict:
    """Whether an estimate agrees with a claim."""
    if not found.low - RESOLUTION <= claimed <= found.high + RESOLUTION:
        return "differs"
    return "agrees" if found.width <= WIDEST_DECISIVE else "undecided"


def exponent_finding(
    claim: str, claimed: float, found: Estimate, how: str, *, figure: str, label: Label = "measured"
) -> Finding:
    """An exponent beside its estimate."""
    return Finding(
        claim,
        claimed,
        found.value,
        _finite(found.low),
        _finite(found.high),
        f"{how}; {_obtained(found)}",
        judge(claimed, found),
        label,
        figure,
    )


def ratio_finding(claim: str, found: Estimate, how: str, *, figure: str, label: Label = "measured") -> Finding:
    """A ratio of measured to claimed, which is claimed to be 1."""
    return exponent_finding(claim, 1.0, found, how, figure=figure, label=label)


def near_finding(claim: str, claimed: float, measured: float, tolerance: float, how: str, *, figure: str) -> Finding:
    """A number without an interval, beside what it should be near."""
    verdict: Verdict = "agrees" if abs(measured - claimed) <= tolerance else "differs"
    text = f"{how}; agreement means within {tolerance:g}"
    return Finding(claim, claimed, measured, None, None, text, verdict, "measured", figure)


def missing_finding(claim: str, claimed: float, why: str, *, figure: str) -> Finding:
    """A claim that this run says nothing about."""
    return Finding(claim, claimed, None, None, None, why, "not applicable", "measured", figure)


def _obtained(found: Estimate) -> str:
    flag = f"; {found.flag}" if found.flag else ""
    return f"{found.method}, over {found.window[0]:.3g} … {found.window[1]:.3g}{flag}"


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
