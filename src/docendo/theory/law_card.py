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
from docendo.theory.curve import Curve
from docendo.theory.verdicts import Hypothesis

__all__ = ["universal_law_card"]

REFERENCE = "docs, law"


def universal_law_card() -> Card:
    """The card of the 1/T law."""
    texts = {
        "excess loss": "excess_loss = K * (D - K) / (4 * tau**2 * eta * T)",
        "values": "value_error = (D - K) * sqrt(K / (1 + kappa**2)) / (tau * sqrt(D * eta * T))",
        "scores": "score_error = D * sqrt((D - K) / (1 + kappa**2)) / (V * tau * sqrt(D * eta * T))",
    }
    claims = tuple(claim_of(name, text, "law", REFERENCE) for name, text in texts.items())
    return Card("law", "The 1/T law", "law", REFERENCE, claims, _hypotheses, _remarks)


def _hypotheses(curves: Sequence[Curve]) -> list[Hypothesis]:
    closed = sum(curve.variables["D"] <= curve.variables["K"] for curve in curves)
    return [
        Hypothesis("D > K", not closed, f"{closed} of {len(curves)} curves have D = K and converge exponentially"),
        Hypothesis("the run converges to the teacher", True, "from zero with white inputs all do"),
    ]


def _remarks(curves: Sequence[Curve]) -> list[str]:
    etas = sorted({curve.variables["eta"] for curve in curves if "descent" in curve.source})
    rates = f"descents at η = {', '.join(f'{eta:g}' for eta in etas)}" if etas else "no descents"
    return [f"{len(curves)} curves: flows, and {rates}."]
