"""Theorem 3.1: the rates at which scores, values and excess loss converge (arXiv 2603.22801).

Problem: gradient descent from zero on the population loss, P orthogonal, S* uniform on supports of size K.
Hypotheses: D at least polynomial in M and K; η at most of order M⁻¹ D^(−5/2); T ≥ T* = Θ(K D² / (η‖V*‖_F²)).
Claims:
    1. ‖S − S*‖_F   = Θ( D^(5/2) / (‖V*‖_F √(ηT)) )
    2. ‖W_V − V*‖_F = Θ( D² √(K/(ηT)) )
    3. excess loss  = Θ( K D⁴ / (ηT) )
Measured: the limits of the local exponents in T, and the powers of the amplitudes in D, K, η and ‖V*‖_F.
"""

from collections.abc import Sequence

import numpy as np

from docendo.theory.card import Card, claim_of
from docendo.theory.judge import Curve
from docendo.theory.verdicts import Hypothesis

__all__ = ["theorem_3_1"]

REFERENCE = "arXiv 2603.22801, Theorem 3.1"


def theorem_3_1() -> Card:
    """The card of Theorem 3.1."""
    claims = (
        claim_of("scores", "score_error = Theta(D**(5/2) / (V * sqrt(eta * T)))", "theorem", f"{REFERENCE} (1)"),
        claim_of("values", "value_error = Theta(D**2 * sqrt(K / (eta * T)))", "theorem", f"{REFERENCE} (2)"),
        claim_of("excess loss", "excess_loss = Theta(K * D**4 / (eta * T))", "theorem", f"{REFERENCE} (3)"),
    )
    return Card("theorem-3.1", "Rates of convergence", "theorem", REFERENCE, claims, hypotheses, remarks)


def hypotheses(curves: Sequence[Curve]) -> list[Hypothesis]:
    """What the theorem assumes. Its orders hide constants: where they decide, the numbers are given instead."""
    most = max(_step_size(curve) for curve in curves)
    late = min(_lateness(curve) for curve in curves)
    return [
        Hypothesis(
            "D at least polynomial in M and K", None, "the polynomial is not stated; limits as D → ∞ are judged"
        ),
        Hypothesis(
            "η at most of order M⁻¹ D^(−5/2)",
            None,
            f"the constant is not stated; here η M D^(5/2) is at most {most:.3g}, and the flow is its limit η → 0",
        ),
        Hypothesis(
            "T ≥ T* = Θ(K D²/(η‖V*‖²))",
            None if late < 1 else True,
            f"the constant is not stated; the last T is at least {late:.3g} K D²/(η‖V*‖²)",
        ),
    ]


def _step_size(curve: Curve) -> float:
    v = curve.variables
    return v["eta"] * v.get("M", 1.0) * v["D"] ** 2.5 if not v.get("flow") else 0.0


def _lateness(curve: Curve) -> float:
    v = curve.variables
    return float(curve.steps[-1] * v["eta"] * v["V"] ** 2 / (v["K"] * v["D"] ** 2))


def remarks(curves: Sequence[Curve]) -> list[str]:
    """Two checks by hand, at the largest D of the sweep, under the paper's own definitions (τ = 1/√D)."""
    v = max((curve.variables for curve in curves), key=lambda variables: variables["D"])
    if not np.isclose(v["tau"] * v["D"] ** 0.5, 1):
        return [f"Judged with logit_scale = {v['tau']:.3g} at D = {v['D']:g}, where the paper has 1/√D."]
    bound, start = v["D"] ** 2 * v["V"] ** 2, (1 + v["kappa"] ** 2) / 4 * v["V"] ** 2 * v["D"] / v["K"]
    wanted = v["D"] / v["K"] - 1
    return [
        f"At T = T* the claimed lower bound on the excess loss is of order K D⁴/(ηT*) = D²‖V*‖² = {bound:.3g} for "
        f"D = {v['D']:g}, above the loss at the start, (α+β)‖V*‖²D/(2K) = {start:.3g}, which descent only lowers.",
        f"By Step 2 of its proof e^((C2+C3)/√D) is of order 1 at T*, while p = 1/(2K) needs D/K − 1 = {wanted:.3g}.",
    ]
