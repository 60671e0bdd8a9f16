"""What is measured of a student beside its teacher, for every kind of dynamics that has one.

The paper's errors (arXiv 2603.22801, Theorem 3.1), the leakage of attention, and the residuals of its decomposition
W_V = C1 V*, Pᵀ W_KQ P = C2 on the supports and −C3 off them (Lemma D.2). With several heads, W_V stands for the sum
of the values and S for the mean of the scores.
"""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.inputs import Inputs
from docendo.population.loss import has_exact_loss, unchecked_excess
from docendo.population.sampling import sampled_excess_loss
from docendo.randomness import stream
from docendo.students.base import PositionStudent, Student
from docendo.students.content_attention import ContentAttention
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.training.base import Measures, Problem, Reading

__all__ = ["EVALUATION_SAMPLES", "growth_exponent", "losses", "measures"]

EVALUATION_SAMPLES = 8192


def measures(problem: Problem, student: Student) -> Measures:
    """Everything recorded of a student at a save."""
    return losses(problem, student) | _structure(problem.teacher, student)


def losses(problem: Problem, student: Student) -> Measures:
    """The excess loss under the law trained on and under the one tested on; sampled where none is exact."""
    recorded = _loss(problem, student, problem.inputs, "")
    if problem.test_inputs is not None:
        recorded |= _loss(problem, student, problem.test_inputs, "test_")
    return recorded


def growth_exponent(here: Float[Array, ""], ahead: Float[Array, ""], at: Reading | Array) -> Float[Array, ""]:
    """d log L / d log T at step T from the loss there and one step on; log T has no meaning at step 0."""
    step = jnp.asarray(at, dtype=float)
    return jnp.where(step > 0, jnp.log1p((ahead - here) / here) / jnp.log1p(1 / step), jnp.nan)


def _loss(problem: Problem, student: Student, law: Inputs, prefix: str) -> Measures:
    if has_exact_loss(problem.teacher, student, law):
        return {f"{prefix}excess_loss": _exact(problem.teacher, student, law)}
    key = stream(problem.key, f"{prefix}evaluation")
    estimate, error = sampled_excess_loss(problem.teacher, student, law, key=key, samples=EVALUATION_SAMPLES)
    name = f"sampled_{prefix}excess_loss"
    return {name: estimate, f"{name}_stderr": error}


_exact: Any = eqx.filter_jit(unchecked_excess)


@eqx.filter_jit
def _structure(teacher: Teacher, student: Student) -> Measures:
    if isinstance(student, ContentAttention):
        norms = jnp.stack([jnp.linalg.norm(block) for block in student.blocks().values()])
        return {"block_norms": norms} | _value_measures(teacher, student.blocks()["value_content"])
    if not isinstance(student, PositionStudent):
        return {}
    values, scores = student.heads()
    recorded = _value_measures(teacher, values.sum(0)) | _score_measures(teacher, scores.mean(0))
    if isinstance(student, PositionOnly):
        recorded |= _pattern_measures(teacher, student)
    return recorded


def _value_measures(teacher: Teacher, value: Float[Array, "M d"]) -> Measures:
    inner, norm = (value * teacher.value).sum(), jnp.linalg.norm(value)
    c1 = inner / (teacher.value**2).sum()
    rows = jnp.linalg.norm(value, axis=1) * jnp.linalg.norm(teacher.value, axis=1)
    off_line = jnp.linalg.norm(value - c1 * teacher.value)
    return {
        "value_error": jnp.linalg.norm(value - teacher.value),
        "value_cosine": _cosine(inner, norm * teacher.value_norm),
        "channel_cosine": _cosine((value * teacher.value).sum(1), rows),
        "c1": c1,
        "value_off_line": jnp.where(norm > 0, off_line / jnp.where(norm > 0, norm, 1), 0),
    }


def _cosine(inner: Float[Array, "*rows"], norms: Float[Array, "*rows"]) -> Float[Array, "*rows"]:
    """Rounding would take it beyond one."""
    return jnp.clip(inner / norms, -1, 1)


def _score_measures(teacher: Teacher, scores: Float[Array, "D D"]) -> Measures:
    outside = jnp.where(teacher.support, 0, scores).sum(0)
    return {
        "score_error": jnp.linalg.norm(scores - teacher.scores),
        "leakage": outside.mean(),
        "largest_leakage": outside.max(),
    }


def _pattern_measures(teacher: Teacher, student: PositionOnly) -> Measures:
    """C2, C3, the gap, and how far the logits are from two values a column; a full support has no outside."""
    inside, pattern = teacher.support, student.pattern
    sizes = inside.sum(0)
    others = jnp.maximum(teacher.tokens - sizes, 1)
    column_in = jnp.where(inside, pattern, 0).sum(0) / sizes
    column_out = jnp.where(inside, 0, pattern).sum(0) / others
    open_columns = sizes < teacher.tokens
    count = jnp.maximum(open_columns.sum(), 1)
    gaps = jnp.where(open_columns, column_in - column_out, 0)
    return {
        "c2": jnp.where(inside, pattern, 0).sum() / sizes.sum(),
        "c3": -jnp.where(inside, 0, pattern).sum() / jnp.maximum((teacher.tokens - sizes).sum(), 1),
        "gap": student.logit_scale * gaps.sum() / count,
        "logit_spread_inside": student.logit_scale * _spread(pattern, inside).max(),
        "logit_spread_outside": student.logit_scale * jnp.where(open_columns, _spread(pattern, ~inside), 0).max(),
    }


def _spread(pattern: Float[Array, "D D"], mask: Array) -> Float[Array, " D"]:
    """Largest minus smallest entry of each column within the mask."""
    return jnp.where(mask, pattern, -jnp.inf).max(0) - jnp.where(mask, pattern, jnp.inf).min(0)
