"""The population loss under white Gaussian inputs in closed form, with its exact gradient.

With κ, α, β as in `docendo.activations` and a, b, θ as in `docendo.population.overlaps`, the excess loss is

    L = Σ_mi ½ [ (α+β) E(z − z*)² − (4β/π) a b (sin θ − θ cos θ) ]

and its derivatives, after α + (2β/π)(π/2 − θ) = (α+β) − (2β/π) θ and with w − v and s − s* split off so that
nothing cancels near the optimum, are for each head h

    ∂L/∂w_hm = (α+β) Σ_i [ Σ_k s_hi·(s_ki − s*_i) w_km + (s_hi·s*_i)(Σ_k w_km − v_m) ]
               − (2β/π) Σ_i [ (b/a) sin θ Σ_k (s_hi·s_ki) w_km − θ (s_hi·s*_i) v_m ]
    ∂L/∂s_hi = (α+β) Σ_m [ Σ_k (w_hm·w_km)(s_ki − s*_i) + w_hm·(Σ_k w_km − v_m) s*_i ]
               − (2β/π) Σ_m [ (b/a) sin θ Σ_k (w_hm·w_km) s_ki − θ (w_hm·v_m) s*_i ].

The loss is smooth but at w_m = 0, where training starts. There σ'(0) is the symmetric derivative (1+κ)/2: the terms
with b/a vanish and θ = π/2. `gaussian_excess` carries this gradient as its derivative, so that jax.grad of anything
built on it obeys the same convention. Derivatives by the teacher are not defined: teachers are given, not trained.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation, sine_minus_angle_cosine
from docendo.population.overlaps import Overlaps, overlaps

__all__ = ["Arrays", "gaussian_excess", "gaussian_gradient"]


class Arrays(NamedTuple):
    """What the loss sees of teacher and student: values (M, d) or (H, M, d), scores (D, D) or (H, D, D)."""

    values: Array
    scores: Array


def gaussian_excess(activation: Activation, teacher: Arrays, student: Arrays) -> Float[Array, ""]:
    """The excess loss under white Gaussian inputs; its derivative by `student` is `gaussian_gradient`."""

    @jax.custom_vjp
    def excess(arrays: Arrays) -> Float[Array, ""]:
        return _excess(activation, overlaps(*teacher, *arrays))

    def forward(arrays: Arrays) -> tuple[Float[Array, ""], Arrays]:
        return excess(arrays), arrays

    def backward(arrays: Arrays, cotangent: Float[Array, ""]) -> tuple[Arrays]:
        gradient = gaussian_gradient(activation, teacher, arrays)
        return (Arrays(*(cotangent * part for part in gradient)),)

    excess.defvjp(forward, backward)
    return excess(student)


def _excess(activation: Activation, pair: Overlaps) -> Float[Array, ""]:
    total = 0.5 * activation.second_moment * pair.squared_distance
    if not activation.is_linear:
        student_std = pair.scale[:, None] * pair.student_std
        bend = student_std * pair.teacher_std * sine_minus_angle_cosine(pair.angle)
        total = total - (2 * activation.beta / jnp.pi) * bend
    return total.sum()


def gaussian_gradient(activation: Activation, teacher: Arrays, student: Arrays) -> Arrays:
    """The derivative of `gaussian_excess` by the student's values and scores."""
    pair = overlaps(*teacher, *student)
    smooth = _smooth_part(pair, teacher, student)
    if activation.is_linear:
        return smooth
    moment, bend = activation.second_moment, 2 * activation.beta / jnp.pi
    angular = _angular_part(pair, teacher, student)
    return Arrays(*(moment * one - bend * other for one, other in zip(smooth, angular, strict=True)))


def _smooth_part(pair: Overlaps, teacher: Arrays, student: Arrays) -> Arrays:
    """The brackets after (α+β): the gradient of Σ ½ E(z − z*)², written in differences."""
    value, column, scale = pair.value, pair.scores, pair.scale
    value_error = student.values.sum(0) - teacher.values
    score_error = student.scores - teacher.scores
    drift = jnp.einsum("hi,ki->hk", column.along, column.shift) + column.gram.sum(-1)
    agreement = (column.along * column.norm).sum(-1)
    by_value = (drift[:, :, None, None] * student.values).sum(1) + agreement[:, None, None] * value_error
    size = jnp.einsum("m,hm,km->hk", scale**2, value.along, value.along) + (scale**2 * value.gram).sum(-1)
    excess = (scale * value.along * value.shift.sum(0)).sum(-1) + (scale**2 * value.gram.sum(1)).sum(-1)
    by_score = (size[:, :, None, None] * score_error).sum(1) + excess[:, None, None] * teacher.scores
    return Arrays(by_value, by_score)


def _angular_part(pair: Overlaps, teacher: Arrays, student: Arrays) -> Arrays:
    """The brackets after (2β/π), which vanish for the identity and to second order at the optimum."""
    value, column, scale = pair.value, pair.scores, pair.scale
    present = pair.student_std > 0
    pull = jnp.where(present, pair.teacher_std * pair.sine / jnp.where(present, pair.student_std, 1), 0)
    column_gram = column.along[:, None] * column.along + column.gram
    value_gram = scale * (value.along[:, None] * value.along + value.gram)
    keep = jnp.einsum("mi,hki->hkm", pull, column_gram) / scale
    turn = jnp.einsum("mi,hi->hm", pair.angle, column.along * column.norm)
    by_value = (keep[..., None] * student.values).sum(1) - turn[..., None] * teacher.values
    keep = jnp.einsum("mi,hkm->hki", pull, value_gram)
    turn = jnp.einsum("mi,hm->hi", pair.angle, scale * value.along * value.norm)
    by_score = (keep[:, :, None] * student.scores).sum(1) - turn[:, None] * teacher.scores
    return Arrays(by_value, by_score)
