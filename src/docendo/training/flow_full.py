"""The gradient flow of values and logits: gradient descent with η → 0 at fixed t = ηT, for any teacher.

    dW_V/dt = −∂L/∂W_V,    dℓ/dt = −τ² Γ (∂L/∂ℓ) Γ,   Γ = PᵀP,   ∂L/∂ℓ_i = s_i ∘ (∂L/∂s_i − s_i·∂L/∂s_i)

A softmax does not see a shift of its logits, so a column is described by its logits minus the mean over the support of
ℓ − log s*, weighted by s*. What is left is, on the support, the log ratio δ_j = log(s_j/s*_j) up to that mean, which
tends to 0, and off it minus a gap, which tends to −∞. The state, in the variables of `docendo.training.log_time`, is

    (W_V − V*)/ε,    δ/ε on the support,    minus gap − log ε off it,

from which S − S* follows without cancellation. The mean itself is not needed on the way: a combination ω of the logits
that training does not move (ω uniform for orthonormal P, in general ω ∝ Γ⁻¹ 1) gives it back in the end. Columns of S*
count as summing to one exactly.

Correlated inputs are whitened first (`docendo.population.loss`): with W̃ = W_V L_d, dW̃/dt = −∂L/∂W̃ L_dᵀL_d. With
white features a row of W_V stays in the plane of v_m and of its own start, so two numbers (one from zero) stand for it.

A row of W_V that starts at zero is put 1e-12 ‖v_m‖ along the first step of descent, since the direction in which the
flow leaves zero is that one; for the identity nothing of the kind is needed.

For orthonormal P the Jacobian is an arrow (`docendo.training.arrow`) and D may be a few hundred. Any other P couples
all logits and a dense Jacobian of size D² is factorised: D up to about forty.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.inputs import Factored
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.training.arrow import Bordered, arrow
from docendo.training.flow_field import Differences, difference_excess, difference_gradient
from docendo.training.log_time import LogClock, integrate
from docendo.training.rosenbrock import Rodas5P, dense

__all__ = [
    "FullProblem",
    "full_differences",
    "full_excess",
    "full_logits",
    "full_problem",
    "full_slope",
    "full_values",
    "integrate_full",
]

NUDGE = 1e-12


class FullProblem(eqx.Module):
    """The constants of one flow.

    Attributes:
        value: V* as the flow sees it: whitened, or in the frames.
        scores: S*.
        start_logits: ℓ at t = 0.
        anchor: ω.
        frames: (M, r, d) orthonormal rows that span v_m and the start of w_m; None where features are correlated.
        feature_factor: L_d, or None for white features.
        token_factor: L_D, or None for uncorrelated tokens.
        gram: Γ, or None for orthonormal P.
        logit_scale: τ.
        activation: σ.
    """

    value: Float[Array, "M r"]
    scores: Float[Array, "D D"]
    start_logits: Float[Array, "D D"]
    anchor: Float[Array, " D"]
    frames: Float[Array, "M r d"] | None
    feature_factor: Float[Array, "d d"] | None
    token_factor: Float[Array, "D D"] | None
    gram: Float[Array, "D D"] | None
    logit_scale: Float[Array, ""]
    activation: Activation

    @property
    def support(self) -> Array:
        """Where S* is positive."""
        return self.scores > 0

    @property
    def seen_scores(self) -> Float[Array, "D D"]:
        """S*, whitened."""
        return _seen_columns(self.token_factor, self.scores)


def full_problem(teacher: Teacher, student: PositionOnly, inputs: Factored) -> tuple[FullProblem, Bordered]:
    """The constants of the flow from `student`, and its state at t = 0."""
    value, apart, frames = _seen_values(teacher, student, inputs.feature_factor)
    gram = None
    if student.positions is not None and not student.trains_in_position_basis:
        gram = student.positions.T @ student.positions
    problem = FullProblem(
        value,
        teacher.scores,
        student.logits,
        _anchor(gram, teacher.tokens),
        frames,
        inputs.feature_factor,
        inputs.token_factor,
        gram,
        student.logit_scale,
        teacher.activation,
    )
    ratios = problem.start_logits - _log_scores(problem)
    logits = ratios - jnp.where(problem.support, problem.scores * ratios, 0).sum(0)
    return problem, Bordered(apart + _nudge(problem, apart, logits), logits)


def _seen_columns(factor: Array | None, columns: Array) -> Array:
    return columns if factor is None else factor.T @ columns


def _seen_values(teacher: Teacher, student: PositionOnly, factor: Array | None) -> tuple[Array, Array, Array | None]:
    """V* and W_V − V* as the flow sees them, and the frames."""
    value, apart = teacher.value, student.value - teacher.value
    if factor is not None:
        return value @ factor, apart @ factor, None
    norm = jnp.linalg.norm(value, axis=1, keepdims=True)
    unit = value / norm
    across = student.value - (student.value * unit).sum(1, keepdims=True) * unit
    size = jnp.linalg.norm(across, axis=1, keepdims=True)
    rows = [unit] if not np.asarray(size > 0).any() else [unit, across / jnp.where(size > 0, size, 1)]
    frames = jnp.stack(rows, axis=1)
    return jnp.einsum("mrd,md->mr", frames, value).at[:, 1:].set(0), jnp.einsum("mrd,md->mr", frames, apart), frames


def _anchor(gram: Array | None, tokens: int) -> Float[Array, " D"]:
    """ω with ω·(ℓ − ℓ at the start) = 0 throughout, summing to 1."""
    if gram is None:
        return jnp.full(tokens, 1 / tokens)
    ones, rounding = np.ones(tokens), tokens * np.finfo(float).eps
    weights, vectors = np.linalg.eigh(np.asarray(gram))
    kept = weights > rounding * weights[-1]
    missed = ones - vectors[:, kept] @ (vectors[:, kept].T @ ones)
    # Logits stay in the range of Γ. Where that misses a part of 1, this part alone fixes the shift.
    solved = vectors[:, kept] @ (vectors[:, kept].T @ ones / weights[kept])
    omega = missed if missed @ ones > rounding * tokens else solved
    return jnp.asarray(omega / omega.sum())


def _log_scores(problem: FullProblem) -> Float[Array, "D D"]:
    """log s* on the support, 0 off it."""
    return jnp.log(jnp.where(problem.support, problem.scores, 1))


def _nudge(problem: FullProblem, apart: Array, logits: Array) -> Float[Array, "M r"]:
    """What is added to rows of W_V that start at zero."""
    if problem.activation.is_linear:
        return jnp.zeros_like(apart)
    columns = problem.scores + full_differences(problem, Bordered(apart, logits), jnp.zeros(())).scores
    first = (_seen_columns(problem.token_factor, columns) * problem.seen_scores).sum() * _feature_metric(
        problem, problem.value
    )
    size, norm = jnp.linalg.norm(first, axis=1), jnp.linalg.norm(problem.value, axis=1)
    zero = (problem.value + apart == 0).all(1) & (size > 0)
    return jnp.where(zero, NUDGE * norm / jnp.where(size > 0, size, 1), 0)[:, None] * first


def _feature_metric(problem: FullProblem, rows: Array) -> Array:
    """Rows times L_dᵀL_d."""
    return rows if problem.feature_factor is None else rows @ (problem.feature_factor.T @ problem.feature_factor)


def _clock(problem: FullProblem) -> LogClock:
    moment, square = problem.activation.second_moment, (problem.seen_scores**2).sum()
    tokens = problem.scores.shape[0]
    strength = problem.logit_scale**2 * (problem.value**2).sum() * moment
    return LogClock.of_rates(moment * square, strength * tokens * ((problem.scores**2).sum() / tokens) ** 3)


def full_differences(problem: FullProblem, state: Bordered, time: Array) -> Differences:
    """W_V − V* as the flow sees it, and S − S*, at time t."""
    log_scale = _clock(problem).log_scale(time)
    inside, scale = problem.support, jnp.exp(log_scale)
    ratio = jnp.where(inside, scale * state.logits, 0)
    mass = jnp.where(inside, 0, jnp.exp(jnp.where(inside, 0, state.logits + log_scale)))
    grown = problem.scores * jnp.expm1(ratio)
    surplus = (grown + mass).sum(0)
    return Differences(scale * state.values, (grown + mass - problem.scores * surplus) / (1 + surplus))


def _slopes(problem: FullProblem, apart: Differences) -> Bordered:
    """∂L by the values as the flow sees them, and by the logits."""
    factor = problem.token_factor
    seen = apart._replace(scores=_seen_columns(factor, apart.scores))
    by_value, by_score = difference_gradient(problem.activation, problem.value, problem.seen_scores, seen)
    if factor is not None:
        by_score = factor @ by_score
    columns = problem.scores + apart.scores
    return Bordered(by_value, columns * (by_score - (columns * by_score).sum(0)))


def _velocity(problem: FullProblem, slopes: Bordered) -> Bordered:
    """d/dt of the values as the flow sees them, and of the logits."""
    by_logit = slopes.logits if problem.gram is None else problem.gram @ slopes.logits @ problem.gram
    return Bordered(-_feature_metric(problem, slopes.values), -(problem.logit_scale**2) * by_logit)


def _field(log_time: Array, state: Bordered, problem: FullProblem) -> Bordered:
    clock = _clock(problem)
    time = clock.time(log_time)
    velocity = _velocity(problem, _slopes(problem, full_differences(problem, state, time)))
    grow, fading = jnp.exp(-clock.log_scale(time)), clock.fading(time)
    logits = velocity.logits - (problem.scores * velocity.logits).sum(0)
    inside = grow * logits + fading * state.logits
    pace = clock.pace(time)
    return Bordered(
        pace * (grow * velocity.values + fading * state.values),
        pace * jnp.where(problem.support, inside, logits + fading),
    )


def integrate_full(
    problem: FullProblem, state: Bordered, begin: Array, times: Array, rtol: Array, stride: Array
) -> tuple[Bordered, Array]:
    """The states at increasing `times` from the one at `begin`, and the mean step in s."""
    solver = Rodas5P(arrow if problem.gram is None else dense)
    return integrate(_field, solver, _clock(problem), state, problem, begin, times, rtol, stride)


def full_excess(problem: FullProblem, state: Bordered, time: Array) -> Float[Array, ""]:
    """The excess loss, from differences."""
    apart = full_differences(problem, state, time)
    seen = apart._replace(scores=_seen_columns(problem.token_factor, apart.scores))
    return difference_excess(problem.activation, problem.value, problem.seen_scores, seen)


def full_slope(problem: FullProblem, state: Bordered, time: Array) -> Float[Array, ""]:
    """dL/dt, minus the squared length of the gradient."""
    slopes = _slopes(problem, full_differences(problem, state, time))
    velocity = _velocity(problem, slopes)
    return (slopes.values * velocity.values).sum() + (slopes.logits * velocity.logits).sum()


def full_logits(problem: FullProblem, state: Bordered, time: Array) -> Float[Array, "D D"]:
    """ℓ = τ Pᵀ W_KQ P."""
    log_scale = _clock(problem).log_scale(time)
    inside = jnp.exp(log_scale) * state.logits + _log_scores(problem)
    known = jnp.where(problem.support, inside, state.logits + log_scale)
    return known + problem.anchor @ (problem.start_logits - known)


def full_values(problem: FullProblem, state: Bordered, time: Array) -> Float[Array, "M d"]:
    """W_V − V*."""
    apart = jnp.exp(_clock(problem).log_scale(time)) * state.values
    if problem.frames is not None:
        return jnp.einsum("mrd,mr->md", problem.frames, apart)
    factor: Any = problem.feature_factor
    return jax.scipy.linalg.solve_triangular(factor, apart.T, lower=True, trans=1).T
