"""How the excess loss approaches its law: the next order, in closed form.

With t = ηT and the law t L → c_L,

    t L / c_L − 1  ≈  h t^(−1/2) + (l − η/2) log(t/t₀) / t.

h (`docendo.theory.slow_manifold`) is 0 for the identity, white inputs and equal K. There, with uniform columns and
with R = (D−K)/K, E = e^(2g) obeys E' = 2a (1 − ρ/E), 2a = 1/t₀, up to E⁻², and L = c_L 2a/(E + R), so that

    2a = 2 τ²(α+β)‖V*‖² D/K³,    ρ = 2R + τ²‖V*‖² R/K²,    l = ρ/(2a) = K²(D−K)/(τ²‖V*‖²D) + (D−K)/(2D).

2R is the next order of the loss, the rest the lag of C1 behind its optimum. A step of finite size gains 2η²a²/E more of
E than the flow does, which is where −η/2 comes from; the limit itself does not depend on η below the limit of
stability. What the zero start leaves behind is of order 1/t for white inputs; what other starts do, and correlated
inputs, can be larger (`docendo.theory.memory`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docendo.theory.kinds import Kinds

__all__ = ["Correction", "log_coefficient", "onset", "white_limit"]


@dataclass(frozen=True)
class Correction:
    """The next order of the law.

    Attributes:
        half: h, in units of (ηT)^(1/2).
        log: l, in units of ηT; None where it is not derived.
        unit: t₀.
    """

    half: float
    log: float | None
    unit: float

    def ratio(self, time: ArrayLike, learning_rate: float = 0.0) -> NDArray[np.float64]:
        """ηT × excess loss over its limit to this order, at times ηT; the term in log only where it is known."""
        t = np.asarray(time, dtype=float)
        later = 0.0 if self.log is None else self.log - learning_rate / 2
        return np.asarray(1 + self.half / np.sqrt(t) + later * np.log(np.maximum(t / self.unit, 1)) / t)


def white_limit(kinds: Kinds, logit_scale: float) -> float:
    """Σ_i K_i (D − K_i) / (4 τ² D)."""
    mass = float((kinds.counts * kinds.sizes * (kinds.tokens - kinds.sizes)).sum())
    return mass / (4 * logit_scale**2 * kinds.tokens)


def onset(kinds: Kinds, logit_scale: float, strength: float) -> float:
    """The time ηT that must be far exceeded: K³/(2 τ²(α+β)‖V*‖²D), and 1/(τ²(α+β)‖V*‖²ε²) for a weight ε.

    The first is when the masses off the supports fall below those on them, the second the relaxation of the logits
    inside a support of unequal weights. `strength` is (α+β)‖V*‖².
    """
    rate = logit_scale**2 * strength
    opening = float((kinds.sizes[kinds.sizes < kinds.tokens] ** 3).max(initial=0)) / (2 * rate * kinds.tokens)
    return opening if kinds.is_uniform else max(opening, 1 / (rate * kinds.least_weight**2))


def log_coefficient(kinds: Kinds, logit_scale: float, value_square: float) -> float | None:
    """l for the identity and white inputs; None where columns are not uniform or differ in K."""
    if not kinds.is_uniform or len(set(kinds.sizes)) > 1:
        return None
    size, tokens = float(kinds.sizes[0]), kinds.tokens
    return size**2 * (tokens - size) / (logit_scale**2 * value_square * tokens) + (tokens - size) / (2 * tokens)
