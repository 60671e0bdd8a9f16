"""Theorem 3.1: the rates at which scores, values and excess loss converge (arXiv 2603.22801).

Problem: gradient descent from zero on the population loss, P orthogonal, S* uniform on supports of size K.
Hypotheses: D at least polynomial in M and K; η at most of order M⁻¹ D^(−5/2); T ≥ T* = Θ(K D² / (η‖V*‖_F²)).
Claims:
    1. ‖S − S*‖_F   = Θ( D^(5/2) / (‖V*‖_F √(ηT)) )
    2. ‖W_V − V*‖_F = Θ( D² √(K/(ηT)) )
    3. excess loss  = Θ( K D⁴ / (ηT) )
Measured: the limits of the local exponents in T, and the powers of the amplitudes in D, K, M, η and ‖V*‖_F.
"""

from collections.abc import Sequence

import numpy as np

from docendo.theory.card import Card, claim_of
from docendo.theory.curve import Curve
from docendo.theory.verdicts import Hypothesis

__all__ = ["theorem_3_1", "theorem_hypotheses"]

REFERENCE = "arXiv 2603.22801, Theorem 3.1"


def theorem_3_1() -> Card:
    """The card of Theorem 3.1."""
    claims = (
        claim_of("scores", "score_error = Theta(D**(5/2) / (V * sqrt(eta * T)))", "theorem", f"{REFERENCE} (1)"),
        claim_of("values", "value_error = Theta(D**2 * sqrt(K / (eta * T)))", "theorem", f"{REFERENCE} (2)"),
        claim_of("excess loss", "excess_loss = Theta(K * D**4 / (eta * T))", "theorem", f"{REFERENCE} (3)"),
    )
    return Card("theorem-3.1", "Rates of convergence", "theorem", REFERENCE, claims, theorem_hypotheses, remarks)


def theorem_hypotheses(curves: Sequence[Curve]) -> list[Hypothesis]:
    """What the theorem assumes. Its orders hide constants: where they decide, the numbers are given instead."""
    lateness = min(_lateness(curve) for curve in curves)
    unknown = "the constant is not stated"
    return [
        Hypothesis("zero start, P orthogonal, S* uniform, all supports of size K", True, "by construction of the runs"),
        Hypothesis(
            "D at least polynomial in M and K", None, "the polynomial is not stated; limits as D → ∞ are judged"
        ),
        Hypothesis("η at most of order M⁻¹ D^(−5/2)", None, f"{unknown}; {_step_sizes(curves)}"),
        Hypothesis(
            "T ≥ T* = Θ(K D²/(η‖V*‖²))",
            None,
            f"{unknown}; limits as T → ∞ are judged, every run going to {lateness:.3g} K D²/(η‖V*‖²) at least",
        ),
    ]


def remarks(curves: Sequence[Curve]) -> list[str]:
    """Two checks by hand, at the largest D of the sweep, under the paper's own definitions (τ = 1/√D)."""
    v = max((curve.variables for curve in curves), key=lambda variables: variables["D"])
    if not np.isclose(v["tau"] * v["D"] ** 0.5, 1):
        return [f"Judged with a logit scale that is {v['tau']:.3g} at D = {v['D']:g}, where the paper has 1/√D."]
    bound, start = v["D"] ** 2 * v["V"] ** 2, (1 + v["kappa"] ** 2) / 4 * v["V"] ** 2 * v["D"] / v["K"]
    return [
        f"By hand: at T = T* the claimed lower bound on the excess loss is a constant times K D⁴/(ηT*) = D²‖V*‖², here "
        f"{bound:.3g} (D = {v['D']:g}, K = {v['K']:g}, ‖V*‖ = {v['V']:g}). Descent starts at (α+β)‖V*‖²D/(2K) = "
        f"{start:.3g} and only goes down, so the constant is below {start / bound:.2g}, and tends to 0 as D grows.",
        f"By hand: from Step 2 of the proof, e^((C2+C3)/√D) is of order 1 at T*, but p = 1/(2K), which the proof puts "
        f"before T*, needs it to be (D − K)/K = {v['D'] / v['K'] - 1:.3g}.",
    ]


def _lateness(curve: Curve) -> float:
    v = curve.variables
    return float(curve.steps[-1] * v["eta"] * v["V"] ** 2 / (v["K"] * v["D"] ** 2))


def _step_sizes(curves: Sequence[Curve]) -> str:
    descents = [curve.variables for curve in curves if "descent" in curve.source]
    sizes = [v["eta"] * v.get("M", 1.0) * v["D"] ** 2.5 for v in descents]
    span = f"η M D^(5/2) is {min(sizes):.3g} to {max(sizes):.3g} in the descents" if sizes else "no run is a descent"
    return f"{span}, and the flow is the limit η → 0"
