"""Theorem 3.2: out-of-distribution error (arXiv 2603.22801).

Problem: as in Theorem 3.1, then any (X̃, Ỹ) whose columns have second moments at most ξ; Ỹ need not come from f*.
Claim: ½E‖Ỹ − TF‖² ≤ ½E‖Ỹ − f*(X̃)‖² + ε after T_ε = O(K D⁶ ξ² ‖V*‖_F² / (η ε²)), that is, the worst excess is
    O( D³ ξ ‖V*‖_F √(K/(ηT)) ).
Measured: `worst_case_excess`, an upper bound over all such laws and labels at ξ = 1 (the excess is proportional to ξ).
With B² ≥ E‖W_V X̃ S − V* X̃ S*‖² it is ½B² + B (√(Dξ) + √E‖f*‖²), where for each column
    √E‖W_V X̃ s − V* X̃ s*‖² ≤ ‖V*‖ √ξ Σ_j |C1 s_j − s*_j|     and     √E‖f*(X̃)‖² ≤ ‖V*‖ √(Dξ)
by Minkowski's inequality; |σ(z) − σ(z*)| ≤ |z − z*| takes care of σ.
"""

from collections.abc import Sequence

from docendo.theory.card import Card, claim_of
from docendo.theory.judge import Curve
from docendo.theory.verdicts import Hypothesis

__all__ = ["theorem_3_2"]

REFERENCE = "arXiv 2603.22801, Theorem 3.2"


def theorem_3_2() -> Card:
    """The card of Theorem 3.2."""
    text = "worst_case_excess = O(D**3 * V * sqrt(K / (eta * T)))"
    claims = (
        claim_of("worst excess", text, "theorem", REFERENCE),
        claim_of("certificate", "certified_share <= 1", "law", "docs, Out of distribution"),
    )
    return Card("theorem-3.2", "Out-of-distribution error", "theorem", REFERENCE, claims, hypotheses, remarks)


def hypotheses(curves: Sequence[Curve]) -> list[Hypothesis]:
    """What the theorem assumes."""
    return [
        Hypothesis("columns of X̃ and Ỹ have second moments at most ξ", True, "ξ = 1 by construction of the bound"),
        Hypothesis("the conditions of Theorem 3.1", None, "their constants are not stated"),
    ]


def remarks(curves: Sequence[Curve]) -> list[str]:
    """What the certificate adds to the theorem."""
    return [
        "certified_share is the exact excess under a law with correlated tokens (labels f*(X̃) + independent noise) over its certificate ½B², at every save; for the identity the two are equal."
    ]
