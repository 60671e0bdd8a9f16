"""The constant of the 1/T law for positional encodings P that are not orthonormal.

Descent on W_KQ opens every gap that keeps falling masses in step, at the least cost in ‖W_KQ‖_F: late in training
W_KQ ≈ ½ log t · W with W the solution of a hard-margin problem,

    minimise ‖W‖_F²  subject to  τ p_jᵀ W p_i equal for all j in the support G^i,
                                 and larger by 1 at least than τ p_kᵀ W p_i for every k outside G^i,

and then ηT × excess loss → ‖W‖_F²/4. Multipliers y of the inequalities say which masses carry the loss: t u ∂L/∂u → y,
and masses with y = 0 fall faster. For orthonormal P all y_ki = K_i/(2τ²D), and the sum is Σ K_i (D−K_i)/(4τ²D).

Solved as a least-distance problem by non-negative least squares (Lawson and Hanson, Solving Least Squares Problems,
chapter 23), after projecting the inequalities on the solutions of the equalities. Only the row space of P matters.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import nnls

__all__ = ["Margin", "common_scale", "hard_margin"]

Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

RANK_TOLERANCE = 1e-10
_INFEASIBLE = 1e-9
_RESCALINGS = 8


class Margin(NamedTuple):
    """The solution.

    Attributes:
        limit: ‖W‖_F²/4, the limit of ηT × excess loss; infinite where no W_KQ separates the supports.
        multipliers: y (D, D), entry (k, i) for k outside G^i; None where there is no solution.
        rank: of P.
        gram: PᵀP.
    """

    limit: float
    multipliers: Reals | None
    rank: int
    gram: Reals


def common_scale(positions: Reals) -> float | None:
    """c where PᵀP = c² times the unit matrix, so that P acts as an orthonormal one with τ c² for τ; otherwise None."""
    gram = positions.T @ positions
    square = float(np.trace(gram)) / len(gram)
    apart = np.abs(gram - square * np.eye(len(gram))).max()
    return float(np.sqrt(square)) if apart < 1e-13 * square * max(len(gram), 8) else None


def hard_margin(positions: Reals, support: Flags, logit_scale: float) -> Margin:
    """Solve the problem above.

    Args:
        positions: P (E, D).
        support: (D, D), entry (j, i) says whether j is in G^i.
        logit_scale: τ.
    """
    _, sizes, rows = np.linalg.svd(positions, full_matrices=False)
    rank = int((sizes > RANK_TOLERANCE * sizes[0]).sum())
    encodings = sizes[:rank, None] * rows[:rank]
    equal, apart, places = _constraints(encodings, support)
    solution = _least_norm(_projected(apart, equal))
    if solution is None:
        return Margin(float("inf"), None, rank, positions.T @ positions)
    square, weights = solution
    multipliers = np.zeros(support.shape)
    multipliers[tuple(places.T)] = weights / (2 * logit_scale**2)
    return Margin(square / (4 * logit_scale**2), multipliers, rank, positions.T @ positions)


def _constraints(encodings: Reals, support: Flags) -> tuple[Reals, Reals, NDArray[np.int_]]:
    """Rows a with a·W = 0 and a·W ≥ 1, and the (k, i) of the latter."""
    centres = encodings @ (support / support.sum(0))
    equal, apart, places = [], [], []
    for i, inside in enumerate(support.T):
        shifted = encodings - centres[:, [i]]
        products = np.einsum("rj,s->jrs", shifted, encodings[:, i]).reshape(len(inside), -1)
        equal.append(products[inside][:-1])
        apart.append(-products[~inside])
        places += [(k, i) for k in np.flatnonzero(~inside)]
    return np.concatenate(equal), np.concatenate(apart), np.array(places)


def _projected(rows: Reals, equal: Reals) -> Reals:
    """The rows without their part in the span of `equal`."""
    if not len(equal):
        return rows
    basis, triangle, _ = qr(equal.T, mode="economic", pivoting=True)
    size = np.abs(np.diag(triangle))
    basis = basis[:, size > RANK_TOLERANCE * size[0]]
    return rows - (rows @ basis) @ basis.T


def _least_norm(rows: Reals) -> tuple[float, Reals] | None:
    """‖w‖² and multipliers for the shortest w with rows · w ≥ 1; None where there is none."""
    demand, goal = 1.0, np.append(np.zeros(rows.shape[1]), 1.0)
    for _ in range(_RESCALINGS):
        weights, _ = nnls(np.vstack([rows.T, np.full(len(rows), demand)]), goal, maxiter=20 * sum(rows.shape))
        slack = 1 - demand * weights.sum()
        shortfall = rows.T @ weights / max(slack, _INFEASIBLE)
        square = float(shortfall @ shortfall)
        if slack <= _INFEASIBLE:
            demand *= _INFEASIBLE**0.25
        elif 0.1 < square < 10:
            return square / demand**2, weights / (slack * demand)
        else:
            demand /= np.sqrt(square)
    return None
