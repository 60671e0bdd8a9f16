"""The fast loop of gradient descent: one head, P orthonormal, white inputs.

Under white inputs ∂L/∂w_m is a combination of w_m and v_m, so a row of W_V never leaves the plane it starts in:

    w_m = p_m v_m + r_m u_m        u_m a unit vector orthogonal to v_m, fixed

and a step moves two numbers per row, whatever d is. With δ_i = s_i − s*_i the columns of S enter by x = δ·s* and
y = ‖δ‖² alone:

    s·δ = x + y        c = s·s* = ‖s*‖² + x        q = ‖s‖² = c + x + y        sin²γ = (y − x²/‖s*‖²) / q

γ being the angle of s_i to s*_i and φ that of w_m to v_m. The last difference is safe: δ sums to zero and s* to one,
so y − x²/‖s*‖² ≥ y/(D‖s*‖²), and no more than D‖s*‖² ≤ D roundings are lost. With sin²θ = sin²φ + cos²φ sin²γ and
cos θ = cos φ cos γ, the gradient of `docendo.population.gaussian` becomes

    ∂L/∂w_m = (α+β) [Σ_i q_i (w_m − v_m) + Σ_i (x_i + y_i) v_m]
              − (2β/π) [Σ_i ‖s_i‖‖s*_i‖ sin θ ‖v_m‖ w_m/‖w_m‖ − Σ_i θ c_i v_m]
    ∂L/∂s_i = (α+β) [Σ_m ‖w_m‖² δ_i + Σ_m w_m·(w_m − v_m) s*_i]
              − (2β/π) [Σ_m ‖w_m‖‖v_m‖ sin θ ‖s*_i‖ s_i/‖s_i‖ − Σ_m θ (w_m·v_m) s*_i]

with w_m/‖w_m‖ = 0 and θ = π/2 at w_m = 0.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.inputs import Factored
from docendo.students.base import Parameters
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.training.base import Problem

__all__ = ["PlaneState", "descend", "fits", "parameters", "place", "unit_circle_angle"]

WIDE = 128
"""Tokens from which on a softmax is faster along the last axis, that is with S transposed."""


class PlaneState(NamedTuple):
    """p, r and u of every row of W_V, and W_KQ in the position basis."""

    along: Float[Array, " M"]
    across: Float[Array, " M"]
    direction: Float[Array, "M d"]
    key_query: Float[Array, "D D"]


class _Target(NamedTuple):
    """What stays fixed: ‖v_m‖², S* with its columns along `axis`, ‖s*_i‖², η and τ."""

    value_square: Float[Array, " M"]
    scores: Float[Array, "D D"]
    score_square: Float[Array, " D"]
    learning_rate: Float[Array, ""]
    logit_scale: Float[Array, ""]
    activation: Activation


class _Moving(NamedTuple):
    """What a step moves; the columns of W_KQ lie along `axis`."""

    along: Float[Array, " M"]
    across: Float[Array, " M"]
    key_query: Float[Array, "D D"]


class _Gradient(NamedTuple):
    """∂L/∂w_m = error (w_m − v_m) + target v_m + own w_m, or ∂L/∂s_i likewise, by its coefficients."""

    error: Any
    target: Any
    own: Any


def fits(problem: Problem) -> bool:
    """Whether this loop trains the problem: one head, P orthonormal, and a loss that is the white Gaussian one."""
    student, law = problem.student, problem.inputs
    if not (isinstance(student, PositionOnly) and student.trains_in_position_basis and isinstance(law, Factored)):
        return False
    centred = law.mean_matrix(problem.teacher.features, problem.teacher.tokens) is None
    return centred and law.feature_factor(problem.teacher.features) is None and law.token_factor is None


def place(teacher: Teacher, student: PositionOnly) -> PlaneState:
    """The state of a student in the position basis.

    What is across v_m comes from w_m − v_m where w_m is nearer to v_m than to zero, and from w_m itself elsewhere,
    so that it is exact to rounding of the smaller of the two.
    """
    square = (teacher.value**2).sum(1)
    error = student.value - teacher.value
    along, shift = (student.value * teacher.value).sum(1) / square, (error * teacher.value).sum(1) / square
    near = jnp.abs(shift) < jnp.abs(along)
    reference, part = jnp.where(near[:, None], error, student.value), jnp.where(near, shift, along)
    across = reference - part[:, None] * teacher.value
    largest = jnp.abs(across).max(1)
    scaled = across / jnp.where(largest > 0, largest, 1)[:, None]
    length = jnp.sqrt((scaled**2).sum(1))
    direction = scaled / jnp.where(length > 0, length, 1)[:, None]
    return PlaneState(along, largest * length, direction, student.key_query)


def parameters(teacher: Teacher, state: PlaneState) -> Parameters:
    """W_V and W_KQ, by the names that `PositionOnly` gives them."""
    value = state.along[:, None] * teacher.value + state.across[:, None] * state.direction
    return {"value": value, "key_query": state.key_query}


@eqx.filter_jit
def descend(teacher: Teacher, logit_scale: Array, learning_rate: Array, state: PlaneState, steps: Array) -> PlaneState:
    """The state after `steps` steps; their number is an argument of the compiled program, not a part of it."""
    axis = 0 if teacher.tokens < WIDE else 1
    scores, key_query = (array if axis == 0 else array.T for array in (teacher.scores, state.key_query))
    target = _Target(
        (teacher.value**2).sum(1), scores, (scores**2).sum(axis), learning_rate, logit_scale, teacher.activation
    )
    start = _Moving(state.along, state.across, key_query)
    end = jax.lax.fori_loop(0, steps, lambda _, moving: _step(target, moving, axis), start)
    return PlaneState(end.along, end.across, state.direction, end.key_query if axis == 0 else end.key_query.T)


def _step(target: _Target, moving: _Moving, axis: int) -> _Moving:
    eta, tau = target.learning_rate, target.logit_scale
    # Without the barriers XLA stores both δ and s, and sums a column and the total of all columns in one serial chain.
    error = jax.lax.optimization_barrier(jax.nn.softmax(tau * moving.key_query, axis=axis) - target.scores)
    x, y = jax.lax.optimization_barrier(((error * target.scores).sum(axis), (error * error).sum(axis)))
    value, score = _gradients(target, moving, x, y)
    rate = value.error * (moving.along - 1) + value.target + value.own * moving.along
    mean = score.error * (x + y) + score.target * (target.score_square + x)
    slope = _spread(score.error, axis) * error + _spread(score.target, axis) * target.scores - _spread(mean, axis)
    return _Moving(
        moving.along - eta * rate,
        moving.across - eta * (value.error + value.own) * moving.across,
        moving.key_query - eta * tau * (error + target.scores) * slope,
    )


def _gradients(
    target: _Target, moving: _Moving, x: Float[Array, " D"], y: Float[Array, " D"]
) -> tuple[_Gradient, _Gradient]:
    """By the rows of W_V, and by the columns of S, there with s = δ + s* split up (so `own` is 0)."""
    moment = target.activation.second_moment
    agreement = target.value_square * moving.along
    square = agreement * moving.along + moving.across**2
    excess = agreement * (moving.along - 1) + moving.across**2
    value = _Gradient(moment * (target.score_square + 2 * x + y).sum(), moment * (x + y).sum(), 0.0)
    score = _Gradient(moment * square.sum(), moment * excess.sum(), 0.0)
    if target.activation.is_linear:
        return value, score
    turn, pull = _angular(target, moving, x, y)
    return (
        _Gradient(value.error, value.target + turn.target, turn.own),
        _Gradient(score.error + pull.own, score.target + pull.own + pull.target, 0.0),
    )


def _angular(
    target: _Target, moving: _Moving, x: Float[Array, " D"], y: Float[Array, " D"]
) -> tuple[_Gradient, _Gradient]:
    """The brackets after 2β/π, by the rows of W_V and by the columns of S."""
    bend = 2 * target.activation.beta / jnp.pi
    teacher_norm, teacher_column = jnp.sqrt(target.value_square), jnp.sqrt(target.score_square)
    along = moving.along * teacher_norm
    norm, column = jnp.hypot(along, moving.across), jnp.sqrt(target.score_square + 2 * x + y)
    present = norm > 0
    safe = jnp.where(present, norm, 1)
    cos_row, sin_row = jnp.where(present, along / safe, 0), jnp.where(present, moving.across / safe, 1)
    agreement = target.score_square + x
    cos_column = agreement / (teacher_column * column)
    sin_column = jnp.sqrt(jnp.maximum(y - x * x / target.score_square, 0)) / column
    sine = jnp.sqrt((sin_row**2)[:, None] + (cos_row**2)[:, None] * sin_column**2)
    angle = unit_circle_angle(sine, cos_row[:, None] * cos_column)
    own_row = jnp.where(present, -bend * teacher_norm / safe * (sine @ (teacher_column * column)), 0)
    own_column = -bend * teacher_column / column * ((teacher_norm * norm) @ sine)
    by_row = _Gradient(0.0, bend * (angle @ agreement), own_row)
    return by_row, _Gradient(0.0, bend * ((teacher_norm * along) @ angle), own_column)


def unit_circle_angle(sine: Float[Array, "*shape"], cosine: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """atan2(sin θ, cos θ) for sin θ ≥ 0 on the unit circle, within 2 roundings; several times faster than XLA's.

    The smaller and the larger of sin θ and |cos θ| give the angle α ≤ π/4 to the nearer axis, and the half-angle
    formula u = tan(α/2) = smaller / (1 + larger). As u² ≤ 0.172, twenty terms of the series of atan u reach 1e-17.
    """
    size = jnp.abs(cosine)
    half = jnp.minimum(sine, size) / (1 + jnp.maximum(sine, size))
    series = jnp.zeros_like(half)
    for power in reversed(range(20)):
        series = series * half**2 + (-1) ** power / (2 * power + 1)
    acute = 2 * half * series
    from_axis = jnp.where(sine <= size, acute, jnp.pi / 2 - acute)
    return jnp.where(cosine < 0, jnp.pi - from_axis, from_axis)


def _spread(per_column: Array, axis: int) -> Array:
    """A number per column, ready to meet the entries of the columns; one number for all as it is."""
    return jnp.expand_dims(per_column, axis) if jnp.ndim(per_column) else per_column
