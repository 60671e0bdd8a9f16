"""Where the errors stand while the excess loss falls like 1/T.

Late in training the loss is a quadratic form in x = W_V − V* and e = S − S*,

    L₂ = (α+β)/2 Σ_mi E (x_mᵀ X s*_i + v_mᵀ X e_i)²,

and everything but the masses u = e off the supports has relaxed. Softmax moves the logarithm of a mass at the rate
−τ² N y, with y_ji = u_ji ∂L₂/∂u_ji. Along u = c t^(−1/2) all gaps open at the rate 1/(2t), so that t y is a constant ŷ:
K_i/(2τ²D) for orthonormal P, a multiplier of the margin problem (`docendo.theory.margin`) for any other. Then c is the
unique minimiser of the convex function

    L₂(c, e on the supports, x) − Σ ŷ_ji ln c_ji       subject to the columns of e summing to zero.

For inputs with covariance Σ_d ⊗ Σ_D the minimum over x lies at x = ξ V*, with one number ξ; so in units of
(α+β) tr(V* Σ_d V*ᵀ), L₂ = Σ_i ½ e_iᵀΣ_D e_i + ξ Σ_i s*_iᵀΣ_D e_i + ½ ξ² Σ_i s*_iᵀΣ_D s*_i.

From this follow the limits of √t ‖x‖_F = |ξ|‖V*‖_F and √t ‖e‖_F, and the first correction to the loss. With L₃ the
terms of third order in t^(−1/2) along the curve of log u, in-support logits and x that c, e and x are the tangent of,

    t L / (t L₂) − 1  →  −2 (L₃/L₂) t^(−1/2).

L₃ = 0 for the identity, white inputs and equal K.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from docendo.theory.kinds import Kinds

__all__ = ["Manifold", "Scale", "manifold", "minimise", "white_manifold"]

Reals = NDArray[np.float64]

_MOST_NEWTON_STEPS = 200
_DECREMENT = 1e-11
_TO_THE_WALL = 0.99  # of the way to where a mass vanishes


class Manifold(NamedTuple):
    """Coefficients of t^(−1/2): of ‖W_V − V*‖_F, of ‖S − S*‖_F, of the loss over its law minus one."""

    value_error: float
    score_error: float
    correction: float


class Scale(NamedTuple):
    """τ, ‖V*‖_F, tr(V* Σ_d V*ᵀ), α + β and β."""

    logit_scale: float
    value_norm: float
    value_square: float
    moment: float
    beta: float


def white_manifold(kinds: Kinds, scale: Scale) -> Manifold:
    """White inputs and orthonormal P: masses are equal in a column, and ξ is the root of one increasing function.

    With e = u off the support and −ξ s* + μ on it: u (D u − ξ) = K ŷ, μ = (ξ − (D−K) u)/K, and Σ μ = 0 over columns.
    """
    tokens, counts, sizes, squares = kinds.tokens, kinds.counts, kinds.sizes, kinds.squares
    others = tokens - sizes
    strength = scale.moment * scale.value_square
    unit = np.sqrt(1 / (2 * scale.logit_scale**2 * tokens * strength))
    xi, masses = _balance(kinds)
    xi, masses = xi * unit, masses * unit
    inner = (xi - others * masses) / sizes
    along = inner - xi * squares
    square = others * masses**2 + sizes * inner**2 - 2 * xi * inner + xi**2 * squares
    # The second order of e off the support is −u (first order of log Z), log Z fixed by the mean logit on the support.
    surplus = xi - inner * kinds.reciprocals / sizes
    cubic = strength * (xi**2 * along - others * (masses - inner) * masses * surplus + xi * square)
    across = np.sqrt(np.maximum(square - along**2 / squares, 0))
    cubic -= 2 * scale.beta / np.pi * scale.value_square * across**3 / (3 * np.sqrt(squares))
    loss = (counts * sizes * others).sum() / (4 * scale.logit_scale**2 * tokens)
    correction = -2 * float((counts * cubic).sum() / loss)
    return Manifold(float(abs(xi)) * scale.value_norm, float(np.sqrt((counts * square).sum())), correction)


def _balance(kinds: Kinds) -> tuple[float, Reals]:
    """ξ and u in units where u (D u − ξ) = K²."""
    tokens, sizes, counts = kinds.tokens, kinds.sizes, kinds.counts
    others = tokens - sizes

    def masses(xi: float) -> Reals:
        return np.where(others > 0, (xi + np.sqrt(xi**2 + 4 * tokens * sizes**2)) / (2 * tokens), 0)

    def surplus(xi: float) -> float:
        return float((counts * (xi - others * masses(xi)) / sizes).sum())

    if len(set(sizes)) == 1:
        mass = np.sqrt(sizes)
        return float(others[0] * mass[0]), np.where(others > 0, mass, 0)
    high = float(tokens * sizes.max())
    while surplus(high) < 0:
        high *= 2
    root = brentq(surplus, 0.0, high, xtol=1e-14 * high, rtol=4 * np.finfo(float).eps)
    return float(root), masses(root)


def manifold(scores: Reals, covariance: Reals, pressure: Reals, scale: Scale) -> Manifold:
    """Any Σ_D and any ŷ (D, D), positive where a mass falls like t^(−1/2) and 0 elsewhere; by Newton's method."""
    strength = scale.moment * scale.value_square
    size = float(pressure.max() / strength)
    errors, xi = minimise(scores, covariance, pressure / strength / size)
    errors, xi = errors * np.sqrt(size), xi * np.sqrt(size)
    inside, seen = scores > 0, covariance @ scores
    moved = covariance @ errors
    slope = moved + xi * seen
    inner = np.where(inside, slope, 0).sum(0) / inside.sum(0)
    surplus = -np.where(inside, errors / np.where(inside, scores, 1), 0).sum(0) / inside.sum(0)
    outside = np.where(inside, 0, errors)
    cubic = xi**2 * (seen * errors).sum() - ((slope - inner) * outside * surplus).sum() + xi * (errors * moved).sum()
    squares, along = (scores * seen).sum(0), (scores * moved).sum(0)
    across = np.sqrt(np.maximum((errors * moved).sum(0) - along**2 / squares, 0))
    bend = 2 * scale.beta / np.pi * scale.value_square * (across**3 / (3 * np.sqrt(squares))).sum()
    loss = pressure.sum() / 2
    correction = -2 * (strength * cubic - bend) / loss
    return Manifold(abs(xi) * scale.value_norm, float(np.linalg.norm(errors)), float(correction))


def minimise(scores: Reals, covariance: Reals, pressure: Reals) -> tuple[Reals, float]:
    """e and ξ at the minimum of L₂ − Σ ŷ ln u, columns of e summing to zero, in units of (α+β) tr(V* Σ_d V*ᵀ)."""
    inside, moving = scores > 0, pressure > 0
    seen = covariance @ scores
    total = float((scores * seen).sum())
    errors = np.where(moving, np.sqrt(pressure), 0)
    errors = errors - np.where(inside, errors.sum(0) / inside.sum(0), 0)
    xi = 0.0

    def value(errors: Reals, xi: float) -> float:
        square = 0.5 * (errors * (covariance @ errors)).sum() + xi * (seen * errors).sum() + 0.5 * xi**2 * total
        return float(square - (pressure[moving] * np.log(errors[moving])).sum())

    for _ in range(_MOST_NEWTON_STEPS):
        slope = covariance @ errors + xi * seen - np.where(moving, pressure / np.where(moving, errors, 1), 0)
        xi_slope = float((seen * errors).sum()) + xi * total
        weights = np.where(moving, pressure / np.where(moving, errors, 1) ** 2, 0)
        step, xi_step = _newton(covariance, weights, inside | moving, seen, slope, (total, xi_slope))
        decrement = -float((slope * step).sum() + xi_slope * xi_step)
        if decrement < _DECREMENT**2 * max(1.0, float(pressure.sum())):
            return errors + step, xi + xi_step
        falling = moving & (step < 0)
        size = min(1.0, _TO_THE_WALL * float((errors[falling] / -step[falling]).min(initial=np.inf)))
        here = value(errors, xi)
        while value(errors + size * step, xi + size * xi_step) > here - 1e-4 * size * decrement and size > 1e-9:
            size /= 2
        errors, xi = errors + size * step, xi + size * xi_step
    return errors, xi


def _newton(
    covariance: Reals, weights: Reals, free: NDArray[np.bool_], seen: Reals, slope: Reals, border: tuple[float, float]
) -> tuple[Reals, float]:
    """Newton's step: one system for each column, with a multiplier for its sum, coupled through ξ alone."""
    tokens = len(covariance)
    system = np.zeros((tokens, tokens + 1, tokens + 1))
    both = free.T[:, :, None] & free.T[:, None, :]
    system[:, :tokens, :tokens] = np.where(both, covariance, 0)
    system[:, range(tokens), range(tokens)] += np.where(free, weights, 1).T
    system[:, :tokens, tokens] = system[:, tokens, :tokens] = free.T
    right = np.zeros((tokens, tokens + 1, 2))
    right[:, :tokens, 0] = -np.where(free, slope, 0).T
    right[:, :tokens, 1] = np.where(free, seen, 0).T
    plain, response = np.moveaxis(np.linalg.solve(system, right)[:, :tokens], 2, 0)
    coupled = np.where(free, seen, 0).T
    xi_step = float((-border[1] - (coupled * plain).sum()) / (border[0] - (coupled * response).sum()))
    return (plain - response * xi_step).T, xi_step
