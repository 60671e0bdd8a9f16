"""Step 2 of the proof of Theorem 3.1: how the scalars C1, C2 and C3 converge (arXiv 2603.22801).

Problem: as in Theorem 3.1, reduced to the scalars of Lemma D.2.
Claims:
    C1 − 1  = Θ( D² √K / (‖V*‖_F √(ηT)) )
    C2 + C3 = (√D/2) log( Θ(η‖V*‖_F²/(K³D²)) T + e^(2/(K√D)) ),   that is,
    e^(2 gap) = Θ( η‖V*‖_F² T / (K³ D²) )   with   gap = (C2 + C3)/√D
Measured: |C1 − 1| as `c1_error` and e^(2 gap) as `squared_odds`.
"""

from collections.abc import Sequence

from docendo.theory.card import Card, claim_of
from docendo.theory.curve import Curve
from docendo.theory.theorem_3_1 import theorem_hypotheses

__all__ = ["scalar_limits"]

REFERENCE = "arXiv 2603.22801, proof of Theorem 3.1, Step 2"


def scalar_limits() -> Card:
    """The card of Step 2."""
    claims = (
        claim_of("C1", "c1_error = Theta(D**2 * sqrt(K) / (V * sqrt(eta * T)))", "theorem", REFERENCE),
        claim_of("C2 + C3", "squared_odds = Theta(eta * V**2 * T / (K**3 * D**2))", "theorem", REFERENCE),
    )
    title = "Limits of the scalars"
    return Card("scalar-limits", title, "theorem", REFERENCE, claims, theorem_hypotheses, _remarks)


def _remarks(curves: Sequence[Curve]) -> list[str]:
    return [
        "c1_error is |C1 − 1|. squared_odds is e^(2 gap): e^(gap) is the attention on one token of the support over "
        "that on one token outside."
    ]
