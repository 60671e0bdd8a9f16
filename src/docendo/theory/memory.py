"""How slowly the masses off the supports forget where they came from.

Near the self-similar solution u = c t^(−1/2) of `docendo.theory.slow_manifold`, z = log u + ½ log t obeys
dz/d log t = −τ² N J (z − z∞) with J = diag(ŷ) + diag(c) A diag(c), A the Hessian of the loss by the masses once all
else has followed. So what is left of the start dies out like t^(−p), p the eigenvalues of τ² N J, all at least K/(2D).
The sum that the loss sees, ŷ·z, belongs to p = 1; all others show in the loss in second order, like t^(−2p), and in
the errors like t^(−p).

For white inputs and equal K the smallest p is K/D, for differences between masses of one column. Training from zero
does not excite these; any other start does, and so do correlated inputs.
"""

import numpy as np
from numpy.typing import NDArray

from docendo.theory.kinds import Kinds
from docendo.theory.slow_manifold import minimise

__all__ = ["MOST_MASSES", "memory_exponent", "white_memory_exponent"]

Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_MASSES = 400


def memory_exponent(
    scores: Reals, covariance: Reals, pressure: Reals, strength: float, logit_scale: float, gram: Reals | None
) -> float:
    """The smallest p.

    Args:
        scores: S*.
        covariance: Σ_D.
        pressure: ŷ (D, D), positive off the supports; MOST_MASSES entries there at most.
        strength: (α+β) tr(V* Σ_d V*ᵀ).
        logit_scale: τ.
        gram: Γ = PᵀP; None for orthonormal P.
    """
    k, i = np.nonzero(scores == 0)
    errors, _ = minimise(scores, covariance, pressure / strength)
    masses, push = errors[k, i], pressure[k, i]
    weights = strength * masses[:, None] * _reduced_hessian(scores, covariance) * masses + np.diag(push)
    inverse = np.eye(len(scores)) if gram is None else np.linalg.inv(gram)
    side = inverse.sum(1)
    left = inverse - np.outer(side, side) / side.sum()
    metric = left[np.ix_(k, k)] * inverse[np.ix_(i, i)]
    triangle = np.linalg.cholesky(metric)
    half = np.linalg.solve(triangle, np.linalg.solve(triangle, weights).T)
    return logit_scale**2 * float(np.linalg.eigvalsh(half)[0])


def white_memory_exponent(kinds: Kinds) -> float | None:
    """The smallest p for white inputs and equal K; None for mixed K."""
    size, tokens = kinds.sizes.max(), kinds.tokens
    if size != kinds.sizes.min() or size == tokens:
        return None
    return float(size / tokens) if tokens - size > 1 else 1.0


def _reduced_hessian(scores: Reals, covariance: Reals) -> Reals:
    """A: L₂ by the masses, with e on the supports and ξ at the minimum under the sums of columns."""
    inside = scores > 0
    order = np.concatenate([np.flatnonzero(~inside.T), np.flatnonzero(inside.T)])
    count, tokens = int((~inside).sum()), len(scores)
    full = np.kron(np.eye(tokens), covariance)[np.ix_(order, order)]
    seen = covariance @ scores
    border = seen.T.ravel()[order]
    sums = np.kron(np.eye(tokens), np.ones(tokens))[:, order]
    rest = tokens**2 - count
    system = np.zeros((rest + 1 + tokens, rest + 1 + tokens))
    system[:rest, :rest] = full[count:, count:]
    system[:rest, rest] = system[rest, :rest] = border[count:]
    system[rest, rest] = (scores * seen).sum()
    system[rest + 1 :, :rest] = sums[:, count:]
    system[:rest, rest + 1 :] = sums[:, count:].T
    right = np.concatenate([full[count:, :count], border[None, :count], sums[:, :count]])
    reduced = full[:count, :count] - right.T @ np.linalg.solve(system, right)
    places = np.argsort(_row_major(inside))
    return reduced[np.ix_(places, places)]


def _row_major(inside: Flags) -> NDArray[np.int_]:
    """For the masses column by column, where each stands when read row by row."""
    columns, rows = np.nonzero(~inside.T)
    return rows * len(inside) + columns
