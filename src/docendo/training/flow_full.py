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

For orthonormal P the Jacobian is an arrow (`docendo.training.arrow`) and D may be a few hundred. Any other P couples
all logits and a dense Jacobian of size D² is factorised: D up to about forty.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.training.arrow import Bordered, arrow
from docendo.training.flow_field import Differences, difference_excess, difference_gradient
from docendo.training.log_time import LogClock, integrate, settled
from docendo.training.rosenbrock import Factorise, Rodas5P, dense

__all__ = [
    "FullProblem",
    "feature_metric",
    "full_differences",
    "full_excess",
    "full_exponent",
    "full_logits",
    "full_slopes",
    "full_values",
    "full_velocity",
    "integrate_full",
    "log_scores",
    "seen_columns",
]

# Whole runs to 1e15 take hundreds; a step at D = 100 takes a tenth of a second.
MOST_STEPS = 10_000


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
        return seen_columns(self.token_factor, self.scores)


def seen_columns(factor: Array | None, columns: Array) -> Array:
    """Columns whitened by L_D."""
    return columns if factor is None else factor.T @ columns


def log_scores(problem: FullProblem) -> Float[Array, "D D"]:
    """log s* on the support, 0 off it."""
    return jnp.log(jnp.where(problem.support, problem.scores, 1))


def feature_metric(problem: FullProblem, rows: Array) -> Array:
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


def full_slopes(problem: FullProblem, apart: Differences) -> Bordered:
    """∂L by the values as the flow sees them, and by the logits."""
    factor = problem.token_factor
    seen = apart._replace(scores=seen_columns(factor, apart.scores))
    by_value, by_score = difference_gradient(problem.activation, problem.value, problem.seen_scores, seen)
    if factor is not None:
        by_score = factor @ by_score
    columns = problem.scores + apart.scores
    return Bordered(by_value, columns * (by_score - (columns * by_score).sum(0)))


def full_velocity(problem: FullProblem, slopes: Bordered) -> Bordered:
    """d/dt of the values as the flow sees them, and of the logits."""
    by_logit = slopes.logits if problem.gram is None else problem.gram @ slopes.logits @ problem.gram
    return Bordered(-feature_metric(problem, slopes.values), -(problem.logit_scale**2) * by_logit)


def _field(log_time: Array, state: Bordered, problem: FullProblem) -> Bordered:
    clock = _clock(problem)
    time = clock.time(log_time)
    velocity = full_velocity(problem, full_slopes(problem, full_differences(problem, state, time)))
    grow, fading = jnp.exp(-clock.log_scale(time)), clock.fading(time)
    logits = velocity.logits - (problem.scores * velocity.logits).sum(0)
    inside = grow * logits + fading * state.logits
    pace = clock.pace(time)
    return Bordered(
        pace * (grow * velocity.values + fading * state.values),
        pace * jnp.where(problem.support, inside, logits + fading),
    )


def _factorise(problem: FullProblem) -> Factorise:
    return arrow if problem.gram is None else dense


def full_exponent(problem: FullProblem, state: Bordered, time: Array, rtol: Array) -> Float[Array, ""]:
    """d log L/d log t at time t, from the gradient at the settled state."""
    there, then = settled(_field, _factorise(problem), _clock(problem), state, problem, time, rtol)
    return then * _slope(problem, there, then) / full_excess(problem, there, then)


def integrate_full(
    problem: FullProblem, state: Bordered, begin: Array, times: Array, rtol: Array, stride: Array
) -> tuple[Bordered, Array]:
    """The states at increasing `times` from the one at `begin`, and the mean step in s."""
    return integrate(
        _field, Rodas5P(_factorise(problem)), _clock(problem), state, problem, begin, times, rtol, stride, MOST_STEPS
    )


def full_excess(problem: FullProblem, state: Bordered, time: Array) -> Float[Array, ""]:
    """The excess loss, from differences."""
    apart = full_differences(problem, state, time)
    seen = apart._replace(scores=seen_columns(problem.token_factor, apart.scores))
    return difference_excess(problem.activation, problem.value, problem.seen_scores, seen)


def _slope(problem: FullProblem, state: Bordered, time: Array) -> Float[Array, ""]:
    """dL/dt, minus the squared length of the gradient."""
    slopes = full_slopes(problem, full_differences(problem, state, time))
    velocity = full_velocity(problem, slopes)
    return (slopes.values * velocity.values).sum() + (slopes.logits * velocity.logits).sum()


def full_logits(problem: FullProblem, state: Bordered, time: Array) -> Float[Array, "D D"]:
    """ℓ = τ Pᵀ W_KQ P."""
    log_scale = _clock(problem).log_scale(time)
    inside = jnp.exp(log_scale) * state.logits + log_scores(problem)
    known = jnp.where(problem.support, inside, state.logits + log_scale)
    return known + problem.anchor @ (problem.start_logits - known)


def full_values(problem: FullProblem, state: Bordered, time: Array) -> Float[Array, "M d"]:
    """W_V − V*."""
    apart = jnp.exp(_clock(problem).log_scale(time)) * state.values
    if problem.frames is not None:
        return jnp.einsum("mrd,mr->md", problem.frames, apart)
    factor: Any = problem.feature_factor
    return jax.scipy.linalg.solve_triangular(factor, apart.T, lower=True, trans=1).T
