"""The curvature of the loss at the teacher in the directions that training from zero can take.

White inputs, orthonormal P: tokens of equal weight move alike (`docendo.theory.kinds`). In ‖V*‖_F (C1 − 1) and, for
each kind of token, the part of W_KQ along the unit vector over all tokens of that kind, the Hessian is an arrow,

    value × value      (α+β) Σ_i ‖s*_i‖²
    value × logits     (α+β) τ ‖V*‖_F J s*          J = diag(s*) − s* s*ᵀ, column by column
    logits × logits    (α+β) τ² ‖V*‖_F² J²

Its largest eigenvalue λ limits the learning rate of such a run to η < 2/λ. On uniform columns J is 0 in these
directions, and the limit is that of the value alone, 2/((α+β) Σ_i 1/K_i); rounding does not break the symmetry, since
equal logits get equal gradients to the last bit. Any other start, however near zero, meets the limit of
`docendo.stable_learning_rate`, which J's eigenvalue 1/K on differences between tokens of a support can make smaller.

Where all columns have K = D there is no slow direction: the excess loss falls like exp(−2 λ_min ηT), λ_min the smallest
eigenvalue but the zeros that shifts of a column's logits have.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

from docendo.theory.grouped import Problem

__all__ = ["decay_rate", "limit_from_zero"]

Reals = NDArray[np.float64]

MOST_DENSE = 1500
_LANCZOS_TOLERANCE = 1e-10


def _blocks(problem: Problem) -> tuple[float, Reals, Reals]:
    """value × value, value × logits (kinds, kinds of tokens), and J over all kinds, scaled by √(α+β) τ ‖V*‖_F."""
    kinds = problem.kinds
    scale = np.sqrt(problem.moment * problem.value_square) * problem.logit_scale
    spread = kinds.weights * np.sqrt(kinds.copies)
    jacobian = -spread[:, :, None] * spread[:, None, :]
    levels = range(kinds.weights.shape[1])
    jacobian[:, levels, levels] += kinds.weights
    border = np.einsum("ckl,cl->ck", jacobian, spread) * np.sqrt(kinds.counts)[:, None]
    square = problem.moment * float((kinds.counts * kinds.squares).sum())
    return square, np.sqrt(problem.moment) * scale * border, scale * jacobian


def limit_from_zero(problem: Problem) -> float:
    """2/λ_max: the learning rate below which descent from zero can settle on the teacher, in exact arithmetic."""
    square, border, jacobian = _blocks(problem)
    if problem.kinds.is_uniform:
        return 2 / square

    def product(vector: Reals) -> Reals:
        logits = vector[1:].reshape(border.shape)
        twice = np.einsum("ckl,clm,cm->ck", jacobian, jacobian, logits, optimize=True)
        return np.append(square * vector[0] + (border * logits).sum(), vector[0] * border + twice)

    size = 1 + border.size
    operator = LinearOperator((size, size), matvec=product, dtype=float)
    start = np.random.default_rng(0).standard_normal(size)
    largest = eigsh(operator, k=1, which="LA", v0=start, tol=_LANCZOS_TOLERANCE, return_eigenvectors=False)
    return 2 / float(largest[0])


def decay_rate(problem: Problem) -> float | None:
    """2 λ_min for a teacher whose columns all have K = D; None where there are more than 1500 directions."""
    square, border, jacobian = _blocks(problem)
    present = problem.kinds.copies > 0
    if 1 + present.sum() > MOST_DENSE:
        return None
    twice = np.einsum("ckl,clm->ckm", jacobian, jacobian)
    size = border.size
    hessian = np.zeros((1 + size, 1 + size))
    hessian[0, 0] = square
    hessian[0, 1:] = hessian[1:, 0] = border.ravel()
    for kind, block in enumerate(twice):
        place = slice(1 + kind * len(block), 1 + (kind + 1) * len(block))
        hessian[place, place] = block
    kept = np.append(True, present.ravel())
    # Each kind of column has one direction that changes nothing.
    return 2 * float(np.linalg.eigvalsh(hessian[np.ix_(kept, kept)])[len(present)])
