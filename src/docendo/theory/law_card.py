"""docendo's own law as a card: the constants of the 1/T limits for equal K, uniform weights and white inputs.

Problem: gradient descent from zero on the population loss, P orthogonal, any logit scale τ.
Claims (docs, "The 1/T law"), with α + β = (1+κ²)/2:
    ηT × excess loss       → K (D−K) / (4τ²)
    √(ηT) × ‖W_V − V*‖_F   → (D−K) √(K/(2(α+β))) / (τ√D)
    √(ηT) × ‖S − S*‖_F     → D √((D−K)/(2(α+β))) / (‖V*‖_F τ√D)
Measured: the limit of measured over claimed along every curve.
"""

from collections.abc import Sequence

from docendo.theory.card import Card, claim_of
from docendo.theory.judge import Curve
from docendo.theory.verdicts import Hypothesis

__all__ = ["universal_law_card"]

REFERENCE = "docs, The 1/T law"


def universal_law_card() -> Card:
    """The card of the 1/T law."""
    texts = {
        "excess loss": "excess_loss = K * (D - K) / (4 * tau**2 * eta * T)",
        "values": "value_error = (D - K) * sqrt(K / (1 + kappa**2)) / (tau * sqrt(D * eta * T))",
        "scores": "score_error = D * sqrt((D - K) / (1 + kappa**2)) / (V * tau * sqrt(D * eta * T))",
    }
    claims = tuple(claim_of(name, text, "law", REFERENCE) for name, text in texts.items())
    return Card("law", "The 1/T law", "law", REFERENCE, claims, hypotheses, remarks)


def hypotheses(curves: Sequence[Curve]) -> list[Hypothesis]:
    """What the law assumes of the curves."""
    full = [curve for curve in curves if curve.variables["D"] == curve.variables["K"]]
    return [
        Hypothesis("D > K", not full, f"{len(full)} of {len(curves)} curves have D = K and converge exponentially"),
        Hypothesis("the run converges to the teacher", True, "the zero start with white inputs does"),
    ]


def remarks(curves: Sequence[Curve]) -> list[str]:
    """Nothing to add to the numbers."""
    return []
