"""The gradient of the population loss for a student given by its differences from the teacher.

Late in a flow W_V − V* and S − S* fall below the rounding of W_V and S themselves, so the flow carries them instead of
W_V and S. With x_m = w_m − v_m, e_i = s_i − s*_i, everything in the notation of `docendo.population.overlaps` for one
head and white inputs, and y = ‖w_m‖²‖s_i‖² = a²:

    p = ‖v‖ + x·v̂, w⊥ = x − (x·v̂) v̂       r = ‖s*‖ + e·ŝ*, s⊥ = e − (e·ŝ*) ŝ*
    R² = p²‖s⊥‖² + r²‖w⊥‖² + ‖w⊥‖²‖s⊥‖²,  θ = atan2(R, p r),  (b/a) sin θ = ‖v‖‖s*‖ R / a²
    ∂L/∂w_m = (α+β) Σ_i [ (s_i·e_i) w_m + (s_i·s*_i) x_m ] − (2β/π) Σ_i [ (b/a) sin θ ‖s_i‖² w_m − θ (s_i·s*_i) v_m ]
    ∂L/∂s_i = (α+β) Σ_m [ ‖w_m‖² e_i + (w_m·x_m) s*_i ] − (2β/π) Σ_m [ (b/a) sin θ ‖w_m‖² s_i − θ (w_m·v_m) s*_i ].

R is a norm: it has a kink where it vanishes, but what it enters is of second order there, so its derivative is taken
to be 0, which lets the flow's Jacobian be taken anywhere.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation, sine_minus_angle_cosine

__all__ = ["Differences", "difference_excess", "difference_gradient"]


class Differences(NamedTuple):
    """x = W_V − V* (M, d) and e = S − S* (D, D), whitened like the teacher they belong to."""

    values: Float[Array, "M d"]
    scores: Float[Array, "D D"]


class _Pair(NamedTuple):
    """Inner products by channel (M,) and by column (D,), and R, θ (M, D)."""

    value_norm: Array
    value_along: Array
    value_shift: Array
    value_square: Array
    score_norm: Array
    score_along: Array
    score_shift: Array
    score_square: Array
    across: Array
    angle: Array


def difference_gradient(
    activation: Activation, value: Float[Array, "M d"], scores: Float[Array, "D D"], apart: Differences
) -> Differences:
    """∂L/∂W_V and ∂L/∂S at W_V = V* + x, S = S* + e."""
    pair = _pair(value, scores, apart)
    drift = pair.score_along * pair.score_shift + pair.score_square
    agreement = pair.score_along * pair.score_norm
    pushed = pair.value_along * pair.value_shift + pair.value_square
    size = (pair.value_along**2 + pair.value_square).sum()
    student, columns = value + apart.values, scores + apart.scores
    moment = activation.second_moment
    by_value = moment * (drift.sum() * student + agreement.sum() * apart.values)
    by_score = moment * (size * apart.scores + pushed.sum() * scores)
    if activation.is_linear:
        return Differences(by_value, by_score)
    bend, pull = 2 * activation.beta / jnp.pi, _pull(pair)
    keep, turn = pull @ (pair.score_along**2 + pair.score_square), pair.angle @ agreement
    by_value = by_value - bend * (keep[:, None] * student - turn[:, None] * value)
    keep, turn = (pair.value_along**2 + pair.value_square) @ pull, (pair.value_along * pair.value_norm) @ pair.angle
    return Differences(by_value, by_score - bend * (keep * columns - turn * scores))


def difference_excess(
    activation: Activation, value: Float[Array, "M d"], scores: Float[Array, "D D"], apart: Differences
) -> Float[Array, ""]:
    """The excess loss at W_V = V* + x, S = S* + e."""
    pair = _pair(value, scores, apart)
    error = jnp.outer(pair.value_along, pair.score_shift) + jnp.outer(pair.value_shift, pair.score_norm)
    total = 0.5 * activation.second_moment * (error**2 + pair.across**2)
    if not activation.is_linear:
        student_std = jnp.hypot(jnp.outer(pair.value_along, pair.score_along), pair.across)
        teacher_std = jnp.outer(pair.value_norm, pair.score_norm)
        bend = student_std * teacher_std * sine_minus_angle_cosine(pair.angle)
        total = total - 2 * activation.beta / jnp.pi * bend
    return total.sum()


def _pair(value: Float[Array, "M d"], scores: Float[Array, "D D"], apart: Differences) -> _Pair:
    value_norm, value_shift, value_square = _sides(value, apart.values)
    score_norm, score_shift, score_square = _sides(scores.T, apart.scores.T)
    present = (value + apart.values != 0).any(1)
    value_along = jnp.where(present, value_norm + value_shift, 0)
    value_square = jnp.where(present, value_square, 0)
    score_along = score_norm + score_shift
    square = (
        jnp.outer(value_along**2, score_square)
        + jnp.outer(value_square, score_along**2)
        + jnp.outer(value_square, score_square)
    )
    across = _root(square)
    along = jnp.outer(value_along, score_along)
    vanishes = (along == 0) & (square == 0)
    angle = jnp.where(vanishes, jnp.pi / 2, jnp.arctan2(across, jnp.where(vanishes, 1, along)))
    return _Pair(
        value_norm,
        value_along,
        value_shift,
        value_square,
        score_norm,
        score_along,
        score_shift,
        score_square,
        across,
        angle,
    )


def _sides(teacher: Float[Array, "n k"], apart: Float[Array, "n k"]) -> tuple[Array, Array, Array]:
    """By row: the teacher's norm, the difference along it, the square of the difference across it."""
    norm = jnp.sqrt((teacher**2).sum(1))
    unit = teacher / norm[:, None]
    shift = (apart * unit).sum(1)
    return norm, shift, ((apart - shift[:, None] * unit) ** 2).sum(1)


def _root(square: Array) -> Array:
    present = square > 0
    return jnp.where(present, jnp.sqrt(jnp.where(present, square, 1)), 0)


def _pull(pair: _Pair) -> Float[Array, "M D"]:
    """(b/a) sin θ; 0 where the student vanishes."""
    size = jnp.outer(pair.value_along**2 + pair.value_square, pair.score_along**2 + pair.score_square)
    teacher_std = jnp.outer(pair.value_norm, pair.score_norm)
    return jnp.where(size > 0, teacher_std * pair.across / jnp.where(size > 0, size, 1), 0)
