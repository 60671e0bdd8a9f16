"""The largest stable learning rate of gradient descent near the teacher.

At the optimum the loss is ½ δᵀ H δ with

    δᵀ H δ = (α+β) Σ_mi E(δz_mi)²,  δz_mi = δw_mᵀ X s*_i + v_mᵀ X δs_i,  δs_i = J_i δℓ_i,  J_i = diag(s*_i) − s*_i s*_iᵀ

(the bend of a ReLU is of third order), so descent on W_V and W_KQ together needs η < 2/λ_max(H). For white inputs
the value block alone gives λ = (α+β) Σ_i ‖s*_i‖², which is (α+β) D/K; the logit block adds τ²(α+β)‖V*‖_F² J_i²,
which decides when V* is large, with cross terms when weights inside a support differ. On a uniform support J_i has
the eigenvalue 1/K for shifts of weight between tokens of the support: a start that treats these alike never excites
them, save by rounding, but any other start does.

λ_max comes from Lanczos iteration on Hessian–vector products, so that nothing of size (Md + D²)² is formed but where
that is small.
"""

import math
from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float
from scipy.sparse.linalg import LinearOperator, eigsh

from docendo.inputs import Empirical, Mixture, white
from docendo.population.loss import ExactLaw, exact_pair, whitened
from docendo.precision import as_array
from docendo.students.base import Parameters
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher

__all__ = ["sharpness_at_optimum", "stable_learning_rate"]

LANCZOS_TOLERANCE = 1e-10
# Parameters up to which all of H is formed at once, which is faster and exact.
DENSE = 128


def stable_learning_rate(
    teacher: Teacher, positions: Any = None, logit_scale: Any = None, inputs: ExactLaw | None = None
) -> float:
    """2/λ_max of the joint (W_V, W_KQ) Hessian of the population loss at the teacher.

    Args:
        teacher: f*.
        positions: P (E, D) of the student; left out, the unit matrix.
        logit_scale: τ of the student; left out, 1/√D.
        inputs: the law of X; left out, white Gaussian.

    Returns:
        The learning rate at and above which plain gradient descent cannot settle on the teacher; relative accuracy
        about 1e-10.

    Raises:
        ValueError: shapes disagree, or no exact loss is known under the law.
    """
    sharpness = sharpness_at_optimum(teacher, positions, logit_scale, inputs)
    return 2 / sharpness if sharpness > 0 else math.inf


def sharpness_at_optimum(
    teacher: Teacher, positions: Any = None, logit_scale: Any = None, inputs: ExactLaw | None = None
) -> float:
    """λ_max of the joint (W_V, W_KQ) Hessian of the population loss at the teacher; arguments as above."""
    law = white if inputs is None else inputs
    student = PositionOnly.zeros(teacher, positions, logit_scale)
    _, exact = exact_pair(teacher, student, law)
    size = ravel_pytree(student.parameters())[0].size

    def slope(vector: np.ndarray) -> np.ndarray:
        return np.asarray(_slope(teacher, student, exact, jnp.asarray(vector)))

    if size <= DENSE:
        return float(np.linalg.eigvalsh(np.asarray(_hessian(teacher, student, exact, jnp.eye(size))))[-1])
    start = np.random.default_rng(0).standard_normal(size)
    if not np.any(slope(start)):
        return 0.0  # data that never switches a ReLU on has no curvature at all, and Lanczos no direction
    operator = LinearOperator((size, size), matvec=slope, dtype=float)
    largest = eigsh(operator, k=1, which="LA", v0=start, tol=LANCZOS_TOLERANCE, return_eigenvectors=False)
    return float(largest[0])


@eqx.filter_jit
def _slope(teacher: Teacher, student: PositionOnly, law: ExactLaw, vector: Float[Array, " n"]) -> Float[Array, " n"]:
    """Hδ, compiled once for all teachers of a shape."""
    unravel = ravel_pytree(student.parameters())[1]
    return jax.grad(lambda flat: _half_curvature(teacher, student, law, unravel(flat)))(vector)


@eqx.filter_jit
def _hessian(teacher: Teacher, student: PositionOnly, law: ExactLaw, rows: Float[Array, "n n"]) -> Float[Array, "n n"]:
    return jax.vmap(lambda row: _slope(teacher, student, law, row))(rows)


def _half_curvature(teacher: Teacher, student: PositionOnly, law: ExactLaw, change: Parameters) -> Float[Array, ""]:
    """½ δᵀHδ, whose gradient by δ is Hδ."""
    logit_change = student.with_parameters(change).logits
    scores = teacher.scores
    score_change = scores * (logit_change - (scores * logit_change).sum(0))
    return _half_square(teacher, law, scores, change["value"], score_change)


def _half_square(teacher: Teacher, law: ExactLaw, scores: Array, value_change: Array, score_change: Array) -> Array:
    """½ E Σ (σ'(z) δz)²; where no z is given, σ'² is as often 1 as κ², as z is its own mirror image or κ = 1."""
    if isinstance(law, Mixture):
        parts = (cast(ExactLaw, part) for part in law.laws)
        return law.mean_over([_half_square(teacher, part, scores, value_change, score_change) for part in parts])
    if isinstance(law, Empirical):
        z = teacher.value @ law.array @ scores
        move = value_change @ law.array @ scores + teacher.value @ law.array @ score_change
        return 0.5 * ((jax.vmap(jax.vmap(jax.vmap(jax.grad(teacher.activation))))(z) * move) ** 2).sum((1, 2)).mean()
    mean, of_mean = law.mean_matrix(teacher.features, teacher.tokens), jnp.zeros(())
    if mean is not None:
        of_mean = ((value_change @ mean @ scores + teacher.value @ mean @ score_change) ** 2).sum()
    value, scores = whitened(law, teacher.value, scores)
    value_change, score_change = whitened(law, value_change, score_change)
    variance = (
        (value_change**2).sum() * (scores**2).sum()
        + (value**2).sum() * (score_change**2).sum()
        + 2 * (value_change * value).sum() * (scores * score_change).sum()
    )
    return as_array(0.5 * teacher.activation.second_moment * (variance + of_mean))
