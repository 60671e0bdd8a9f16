"""Lemma D.2: what gradient descent from zero keeps (arXiv 2603.22801, Step 1 of the proof).

Problem: as in Theorem 3.1.
Claim: throughout training W_V = C1(t) V* and Pᵀ W_KQ P has two values in every column, C2(t) on the support and −C3(t)
off it.
Measured: the residuals recorded by full gradient descent, which does not know of the lemma: the relative distance of W_V
from the line through V*, and the spread of the logits inside and outside each support. Rounding alone makes them about
1e-16 a step, in random directions; the bound leaves room for its growth over 10⁵ steps.
"""

from collections.abc import Sequence

from docendo.theory.card import Card, claim_of
from docendo.theory.judge import Curve
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
    return Card("decomposition", "The structure of training", "theorem", REFERENCE, claims, hypotheses, remarks)


def hypotheses(curves: Sequence[Curve]) -> list[Hypothesis]:
    """What the lemma assumes, true of the runs it is judged on by their construction."""
    return [
        Hypothesis("W_V = 0 and W_KQ = 0 at the start", True, "the zero start"),
        Hypothesis("S* uniform on supports of equal size", True, f"{len(curves)} curves of random teachers"),
    ]


def remarks(curves: Sequence[Curve]) -> list[str]:
    """How long the runs were."""
    return [f"Full gradient descent, {max(int(curve.steps[-1]) for curve in curves)} steps."]
