"""Where a flow of values and logits starts: from teacher, student and input law to its constants and state.

With white features a row of W_V stays in the plane of v_m and of its own start, so it is described by two numbers, or
one where all start on the lines of V*, in frames fixed at the start.

A row of W_V that starts at zero does so at a kink of the loss (unless σ is the identity): what direction it leaves in
is not in the gradient there. Descent with small steps leaves along −∂L/∂w at zero and then turns, while it still is
tiny, to a direction along which ∂L/∂w itself points; both are v_m for white features. So the row is put 1e-12 ‖v_m‖
from zero along that direction.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from docendo.inputs import Factored
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.training.arrow import Bordered
from docendo.training.flow_field import Differences
from docendo.training.flow_full import (
    FullProblem,
    feature_metric,
    full_differences,
    full_slopes,
    log_scores,
    seen_columns,
)

__all__ = ["full_start"]

NUDGE = 1e-12
# Small enough that the loss is a cone there, large enough that a direction keeps half its digits.
CONE = 1e-8
# Each doubles the row, which shrinks what is left to turn by a factor: to rounding for factors down to 0.7.
TURNS = 100


def full_start(teacher: Teacher, student: PositionOnly, inputs: Factored) -> tuple[FullProblem, Bordered]:
    """The constants of the flow from `student`, and its state at t = 0."""
    feature_factor = inputs.feature_factor(teacher.features)
    value, apart, frames = _seen_values(teacher, student, feature_factor)
    gram = None
    if student.positions is not None and not student.trains_in_position_basis:
        gram = student.positions.T @ student.positions
    problem = FullProblem(
        value,
        teacher.scores,
        student.logits,
        _anchor(gram, teacher.tokens),
        frames,
        feature_factor,
        inputs.token_factor,
        gram,
        student.logit_scale,
        teacher.activation,
    )
    ratios = problem.start_logits - log_scores(problem)
    logits = ratios - jnp.where(problem.support, problem.scores * ratios, 0).sum(0)
    return problem, Bordered(apart + _nudge(problem, apart, logits), logits)


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


def _nudge(problem: FullProblem, apart: Array, logits: Array) -> Float[Array, "M r"]:
    """What is added to rows of W_V that start at zero."""
    if problem.activation.is_linear:
        return jnp.zeros_like(apart)
    scores = full_differences(problem, Bordered(apart, logits), jnp.zeros(())).scores
    columns = seen_columns(problem.token_factor, problem.scores + scores)
    first = (columns * problem.seen_scores).sum() * feature_metric(problem, problem.value)
    size = jnp.linalg.norm(problem.value, axis=1, keepdims=True)
    zero = (problem.value + apart == 0).all(1, keepdims=True) & (first != 0).any(1, keepdims=True)

    def turn(_: Array, direction: Array) -> Array:
        tiny = jnp.where(zero, CONE * size * direction - problem.value, apart)
        by_value = full_slopes(problem, Differences(tiny, scores)).values
        return _unit(direction + _unit(-feature_metric(problem, by_value)))

    turned = _unit(first) if problem.feature_factor is None else jax.lax.fori_loop(0, TURNS, turn, _unit(first))
    return jnp.where(zero, NUDGE * size * turned, 0)


def _unit(rows: Array) -> Array:
    norm = jnp.linalg.norm(rows, axis=1, keepdims=True)
    return rows / jnp.where(norm > 0, norm, 1)
