"""Lemma D.2: what gradient descent from zero keeps (arXiv 2603.22801, Step 1 of the proof).

Problem: as in Theorem 3.1.
Claim: throughout training W_V = C1(t) V* and Pᵀ W_KQ P has two values in every column, C2(t) on the support and −C3(t)
off it.
Measured: the residuals recorded by full gradient descent, which does not know of the lemma: the relative distance of
W_V from the line through V*, and the spread of the logits inside and outside each support. Rounding alone makes them
about 1e-16 a step, in random directions; the bound leaves room for its growth over 10⁵ steps.
"""

from collections.abc import Sequence

from docendo.theory.card import Card, claim_of
from docendo.theory.curve import Curve
from docendo.theory.verdicts import Hypothesis

__all__ = ["decomposition"]

REFERENCE = "arXiv 2603.22801, Lemma D.2"


def decomposition() -> Card:
    """The card of Lemma D.2."""
    claims = (
        claim_of("W_V = C1 V*", "value_off_line <= 1e-10", "theorem", REFERENCE),
        claim_of("one logit on each support", "logit_spread_inside <= 1e-10", "theorem", REFERENCE),
        claim_of("one logit off each support", "logit_spread_outside <= 1e-10", "theorem", REFERENCE),
    )
    return Card("decomposition", "The structure of training", "theorem", REFERENCE, claims, _hypotheses, _remarks)


def _hypotheses(curves: Sequence[Curve]) -> list[Hypothesis]:
    return [
        Hypothesis("W_V = 0 and W_KQ = 0 at the start", True, "all runs are so by construction"),
        Hypothesis("S* uniform on supports of size K", True, "random teachers, uniform by construction"),
    ]


def _remarks(curves: Sequence[Curve]) -> list[str]:
    slopes = ", ".join(f"{slope:g}" for slope in sorted({curve.variables["kappa"] for curve in curves}))
    steps = max(int(curve.steps[-1]) for curve in curves)
    return [f"Full gradient descent on values and logits, {steps:,} steps, κ = {slopes}."]
