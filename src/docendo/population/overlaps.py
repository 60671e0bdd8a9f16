"""The overlaps of student and teacher: all that a population loss knows about either.

Output entry (m, i) has pre-activations z = Σ_h w_hmᵀ X s_hi for the student and z* = v_mᵀ X s*_i for the teacher,
jointly Gaussian with mean zero for white Gaussian X. Split each student vector along and across the teacher's,

    w_hm = p_hm v̂_m + w⊥_hm        s_hi = r_hi ŝ*_i + s⊥_hi

and read z as the matrix Σ_h w_hm s_hiᵀ beside v_m s*_iᵀ, in the space of d × D matrices. Its component along
v̂_m ŝ*_iᵀ is Σ_h p_hm r_hi; the three pieces of the remainder are orthogonal to it and to each other, so

    R² = ‖Σ_h p_hm s⊥_hi‖² + ‖Σ_h r_hi w⊥_hm‖² + ‖Σ_h w⊥_hm s⊥_hiᵀ‖²
    a² = Var z = (Σ_h p_hm r_hi)² + R²,  b = ‖v_m‖ ‖s*_i‖,  θ = atan2(R, Σ_h p_hm r_hi),  sin θ = R / a
    E(z − z*)² = (Σ_h p_hm r_hi − b)² + R²

For one head this is sin²θ = sin²φ + cos²φ sin²γ with φ, γ the angles of w and s to the teacher's. Whatever is small
near the optimum is built from w − v and s − s*, so nothing cancels there: with one head the relative error of the
loss stays near 1e-15 at losses of 1e-18. With several heads R² carries an error of about 1e-16 Σ_h a_h², which
matters only where heads that are far from the teacher one by one agree with it in sum.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

__all__ = ["Overlaps", "Side", "overlaps"]


class Side(NamedTuple):
    """The student's n vectors of one kind (rows of W_V, or columns of S), next to the teacher's.

    `along` holds p (or r) and `shift` what of it differs from the teacher: the components of w_h − v/H along v̂, or
    of s_h − s* along ŝ*. `gram` holds the inner products of the remainders between heads. Values are measured in
    units of `scale` (their largest entry; 1 for a zero row), so that no square of a tiny one underflows.
    """

    along: Float[Array, "H n"]
    shift: Float[Array, "H n"]
    gram: Float[Array, "H H n"]
    norm: Float[Array, " n"]


class Overlaps(NamedTuple):
    """The Gaussian pair (z, z*) of every output entry, and the two sides it is made of.

    `student_std` is a in units of `scale`; `squared_distance` is E(z − z*)² itself. Where z vanishes θ is π/2.
    """

    value: Side
    scores: Side
    scale: Float[Array, " M"]
    student_std: Float[Array, "M D"]
    teacher_std: Float[Array, "M D"]
    squared_distance: Float[Array, "M D"]
    sine: Float[Array, "M D"]
    angle: Float[Array, "M D"]


def overlaps(
    teacher_value: Float[Array, "M d"],
    teacher_scores: Float[Array, "D D"],
    values: Float[Array, "H M d"],
    scores: Float[Array, "H D D"],
) -> Overlaps:
    """The overlaps under white Gaussian inputs (for others, pass whitened arrays)."""
    scale = _row_scale(values)
    value = _value_side(teacher_value, values, scale)
    column = _score_side(teacher_scores, scores)
    across = jnp.sqrt(_remainder(value, column))
    along = jnp.einsum("hm,hi->mi", value.along, column.along)
    student_std = jnp.hypot(along, across)
    present = student_std > 0
    error = scale[:, None] * jnp.einsum("hm,hi->mi", value.along, column.shift) + jnp.outer(
        value.shift.sum(0), column.norm
    )
    return Overlaps(
        value,
        column,
        scale,
        student_std,
        jnp.outer(value.norm, column.norm),
        error**2 + (scale[:, None] * across) ** 2,
        jnp.where(present, across / jnp.where(present, student_std, 1), 1),
        jnp.where(present, jnp.arctan2(across, along), jnp.pi / 2),
    )


def _row_scale(values: Float[Array, "H M d"]) -> Float[Array, " M"]:
    """The largest entry of each channel's values over all heads, 1 where they vanish."""
    largest = jnp.abs(values).max((0, 2))
    return jnp.where(largest > 0, largest, 1.0)


def _value_side(teacher: Float[Array, "M d"], values: Float[Array, "H M d"], scale: Float[Array, " M"]) -> Side:
    """The rows of W_V beside those of V*, all but `shift` and `norm` in units of `scale`."""
    norm = jnp.sqrt((teacher**2).sum(-1))
    unit = teacher / jnp.where(norm > 0, norm, 1)[:, None]
    share = teacher / values.shape[0]
    along, shift = (values * unit).sum(-1), ((values - share) * unit).sum(-1)
    # Within a factor of 2 of v/H the difference w − v/H is exact, and so is its remainder to rounding of its own size.
    near = (jnp.abs(shift) <= jnp.abs(along)) & (along > 0)
    reference = jnp.where(near[..., None], values - share, values)
    across = (reference - jnp.where(near, shift, along)[..., None] * unit) / scale[:, None]
    return Side(along / scale, shift, (across[:, None] * across).sum(-1), norm)


def _score_side(teacher: Float[Array, "D D"], scores: Float[Array, "H D D"]) -> Side:
    """The columns of S beside those of S*."""
    norm = jnp.sqrt((teacher**2).sum(0))
    unit = teacher / jnp.where(norm > 0, norm, 1)
    difference = scores - teacher
    shift = (difference * unit).sum(1)
    across = difference - shift[:, None] * unit
    return Side(norm + shift, shift, (across[:, None] * across).sum(2), norm)


def _remainder(value: Side, column: Side) -> Float[Array, "M D"]:
    """R² in units of scale²; rounding between heads may not take it below zero."""
    p, r = value.along, column.along
    total = (
        jnp.einsum("hm,km,hki->mi", p, p, column.gram)
        + jnp.einsum("hkm,hi,ki->mi", value.gram, r, r)
        + jnp.einsum("hkm,hki->mi", value.gram, column.gram)
    )
    return jnp.maximum(total, 0)
