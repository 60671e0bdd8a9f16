"""Theorem 3.2: out-of-distribution error (arXiv 2603.22801).

Problem: as in Theorem 3.1, then any (X̃, Ỹ) whose columns have second moments at most ξ; Ỹ need not come from f*.
Claims:
    1. ½E‖Ỹ − TF‖² ≤ ½E‖Ỹ − f*(X̃)‖² + ε after T_ε = O(K D⁶ ξ² ‖V*‖_F² / (η ε²)), that is, the worst excess is
       O( D³ ξ ‖V*‖_F √(K/(ηT)) ).
    2. (docendo's) ½E‖f*(X̃) − TF‖² ≤ ½B², B² = E‖W_V X̃ S − V* X̃ S*‖_F², at every step and for every law.
Measured: 1. `worst_case_excess`, an upper bound over all such laws and labels at ξ = 1 (it is proportional to ξ),
½B² + B (√(Dξ) + √E‖f*‖²), where for each column, by Minkowski's inequality,
    √E‖W_V X̃ s − V* X̃ s*‖² ≤ ‖V*‖ √ξ Σ_j |C1 s_j − s*_j|     and     √E‖f*(X̃)‖² ≤ ‖V*‖ √(Dξ);
2. `certified_share`, the left over the right side for tokens that are correlated.
"""

from collections.abc import Sequence

from docendo.theory.card import Card, claim_of
from docendo.theory.curve import Curve
from docendo.theory.theorem_3_1 import theorem_hypotheses
from docendo.theory.verdicts import Hypothesis

__all__ = ["theorem_3_2"]

REFERENCE = "arXiv 2603.22801, Theorem 3.2"


def theorem_3_2() -> Card:
    """The card of Theorem 3.2."""
    text = "worst_case_excess = O(D**3 * V * sqrt(K / (eta * T)))"
    claims = (
        claim_of("worst excess", text, "theorem", REFERENCE),
        claim_of("certificate", "certified_share <= 1", "law", "docs, verify"),
    )
    return Card("theorem-3.2", "Out-of-distribution error", "theorem", REFERENCE, claims, _hypotheses, _remarks)


def _hypotheses(curves: Sequence[Curve]) -> list[Hypothesis]:
    moments = Hypothesis("columns of X̃ and Ỹ have second moments at most ξ", True, "ξ = 1 by construction of the bound")
    return [moments, *theorem_hypotheses(curves)]


def _remarks(curves: Sequence[Curve]) -> list[str]:
    slopes = ", ".join(f"{slope:g}" for slope in sorted({curve.variables["kappa"] for curve in curves}))
    return [
        "worst_case_excess bounds the excess for all laws and labels at once. For the identity and a given law of X̃ "
        "the label f*(X̃) − λ (TF − f*(X̃)), λ ≥ 0, attains ½B² + B √E‖Ỹ − f*(X̃)‖²: its rate is T^(−1/2).",
        "certified_share is the exact excess for correlated tokens and labels f*(X̃) + independent noise, over ½B²: 1 "
        f"for the identity, below 1 otherwise (κ = {slopes} were run).",
    ]
