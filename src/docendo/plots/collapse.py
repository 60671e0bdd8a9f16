"""Curves of many D and K, rescaled: by the right powers they fall on one, by others they do not.

With the onset t₀ = K³ (D/K)²/(2 τ²(α+β)‖V*‖²D), when e^g reaches D/K, and the law's value at it as units, late training
is one curve 1/s for all. With the powers of Theorem 3.1 (arXiv 2603.22801), ηT in units of K D²/‖V*‖² and the loss in
units of K D⁴/(ηT), it is not.
"""

from collections.abc import Sequence

import numpy as np

from docendo.figures import Curve, Curves, Figure
from docendo.theory.curve import Curve as Run

__all__ = ["collapse"]


def collapse(runs: Sequence[Run], scale: str) -> Figure:
    """Draw excess losses in three ways: as they are, in units of the 1/T law, and in units of Theorem 3.1.

    Args:
        runs: excess losses with D, K, V, kappa, eta and tau.
        scale: the logit scale in words, for the caption.

    Raises:
        ValueError: no run is given.
    """
    if not runs:
        raise ValueError("at least one run is drawn, got none. Widen the sweep.")
    labels = [f"D = {run.variables['D']:g}, K = {run.variables['K']:g}" for run in runs]
    plain = [Curve(label, _time(run), run.values) for label, run in zip(labels, runs, strict=True)]
    lawful = [Curve(label, *_lawful(run)) for label, run in zip(labels, runs, strict=True)]
    stated = [Curve(label, *_stated(run)) for label, run in zip(labels, runs, strict=True)]
    panels = (
        Curves("As they are", "ηT", "excess loss", plain),
        Curves("In units of the 1/T law", "ηT / t₀", "excess loss / law", lawful),
        Curves("In units of Theorem 3.1", "ηT ‖V*‖² / (K D²)", "excess loss / (K D⁴/(ηT))", stated),
    )
    caption = (
        f"Excess loss along the flow for many D and K, logit scale {scale}. In units of the law, K (D − K)/(4τ²ηT), "
        "all curves end at 1; in units of Theorem 3.1 they would end together if its powers were those of training."
    )
    return Figure("collapse", "Collapse of the curves", caption, panels, columns=3)


def _time(run: Run) -> np.ndarray:
    return run.steps * run.variables["eta"]


def _lawful(run: Run) -> tuple[np.ndarray, np.ndarray]:
    v = run.variables
    moment = (1 + v["kappa"] ** 2) / 2
    onset = v["K"] * v["D"] / (2 * moment * (v["tau"] * v["V"]) ** 2)
    return _time(run) / onset, _time(run) * run.values * 4 * v["tau"] ** 2 / (v["K"] * (v["D"] - v["K"]))


def _stated(run: Run) -> tuple[np.ndarray, np.ndarray]:
    v = run.variables
    time = _time(run)
    return time * v["V"] ** 2 / (v["K"] * v["D"] ** 2), time * run.values / (v["K"] * v["D"] ** 4)
