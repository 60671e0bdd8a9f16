"""Which problems the scalars of `docendo.training.scalars` describe, and what the scalars say about a student.

The symmetry needs: every column of S* uniform on its support; a start at zero; an orthonormal P; white inputs of mean
zero (Gaussian, or any for the identity). Then all logits on a support stay equal, all off it too, and W_V = C1 V*.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from docendo.inputs import Factored, Inputs
from docendo.precision import as_array
from docendo.students.base import Student
from docendo.students.position_only import PositionOnly
from docendo.students.symmetric import SymmetricStudent
from docendo.teachers.base import Teacher
from docendo.teachers.symmetric import AnyTeacher, SymmetricTeacher
from docendo.training.base import Measures, Problem
from docendo.training.measures import losses
from docendo.training.scalars import Profile, Scalars, excess, start_scalars

__all__ = ["asymmetry", "profile_of", "scalar_measures", "scalar_quantities", "scalar_start", "scalar_student"]

# How far from 1/K an entry of S* may be and still count as rounding.
UNIFORM_TOLERANCE = 1e-14


def asymmetry(problem: Problem) -> str | None:
    """What breaks the symmetry, with its size; None where nothing does."""
    return _law_reason(problem.inputs, problem.teacher) or _teacher_reason(problem) or _start_reason(problem)


def profile_of(problem: Problem) -> Profile:
    """What the scalars of a symmetric problem depend on."""
    teacher: AnyTeacher = problem.teacher
    if isinstance(teacher, SymmetricTeacher):
        sizes, counts = teacher.sizes, teacher.counts
    else:
        sizes, counts = np.unique(teacher.support_sizes, return_counts=True)
    student: Any = problem.student
    tokens, columns = as_array(teacher.tokens), as_array(counts)
    return Profile(tokens, as_array(sizes), columns, teacher.value_norm, student.logit_scale, teacher.activation)


def scalar_start(problem: Problem, profile: Profile) -> Scalars:
    """The scalars of the problem's start."""
    student = problem.student
    if isinstance(student, SymmetricStudent):
        return Scalars(student.value_scale, student.shift, student.gaps)
    return start_scalars(profile)


def scalar_student(problem: Problem, profile: Profile, scalars: Scalars) -> Student:
    """The student that the scalars stand for: with arrays where the teacher has them.

    Training conserves the sum of a column's logits, so a gap g puts (D − K) g/D on the support and −K g/D off it.
    """
    teacher, start = problem.teacher, problem.student
    if not isinstance(start, PositionOnly):
        c1, shift, gaps = scalars
        sizes, scale = np.asarray(profile.sizes), profile.logit_scale
        return SymmetricStudent(int(profile.tokens), sizes, c1, gaps, scale, shift, profile.activation)
    column = jnp.asarray(np.searchsorted(np.asarray(profile.sizes), teacher.support_sizes))
    size, gap = profile.sizes[column], scalars.gaps[column] / profile.logit_scale
    pattern = jnp.where(teacher.support, profile.tokens - size, -size) * gap / profile.tokens
    flat = start if start.positions is None else start.in_position_basis()
    trained = flat.with_parameters({"value": scalars.c1 * teacher.value, "key_query": pattern})
    return trained if start.positions is None else start.from_position_basis(trained)


def scalar_measures(problem: Problem, profile: Profile, scalars: Scalars) -> Measures:
    """What is recorded at a save: as for any student, from the scalars."""
    recorded = scalar_quantities(profile, scalars)
    teacher: AnyTeacher = problem.teacher
    if isinstance(teacher, Teacher):
        recorded["channel_cosine"] = jnp.full(teacher.channels, recorded["value_cosine"])
    if problem.test_inputs is not None:
        recorded = losses(problem, scalar_student(problem, profile, scalars)) | recorded
    return recorded


@jax.jit
def scalar_quantities(profile: Profile, scalars: Scalars) -> Measures:
    """What of `scalar_measures` needs no arrays; a function to vmap over profiles and times."""
    sizes, counts, tokens, odds = profile.sizes, profile.counts, profile.tokens, profile.odds
    others = tokens - sizes
    outside = 1 / (jnp.exp(scalars.gaps) + odds)
    leakage = odds * outside
    logit_in, logit_out = others * scalars.gaps / tokens, -sizes * scalars.gaps / tokens
    is_open = jnp.where(others > 0, counts, 0)
    zero = jnp.zeros(())
    return {
        "excess_loss": excess(profile, scalars),
        "value_error": jnp.abs(scalars.shift) * profile.value_norm,
        "value_cosine": jnp.where(scalars.c1 == 0, jnp.nan, jnp.sign(scalars.c1)),
        "c1": scalars.c1,
        "value_off_line": zero,
        "score_error": jnp.sqrt((counts * odds * (1 + odds) * outside**2 / sizes).sum()),
        "leakage": (counts * leakage).sum() / tokens,
        "largest_leakage": leakage.max(),
        "c2": _mean(counts * sizes, logit_in) / profile.logit_scale,
        "c3": -_mean(counts * others, logit_out) / profile.logit_scale,
        "gap": _mean(is_open, scalars.gaps),
        "logit_spread_inside": zero,
        "logit_spread_outside": zero,
    }


def _mean(weights: Array, values: Array) -> Array:
    total = weights.sum()
    return (weights * values).sum() / jnp.where(total > 0, total, 1)


def _law_reason(law: Inputs, teacher: AnyTeacher) -> str | None:
    if not isinstance(law, Factored):
        return f"its inputs are {law!r}"
    for name, factor in (("feature", law.feature_factor(1)), ("token", law.token_factor)):
        if factor is not None:
            spread = float(jnp.abs(factor @ factor.T - jnp.eye(factor.shape[0])).max())
            if spread > 0:
                return f"its inputs are not white: {name}_covariance differs from the unit matrix by up to {spread:.3g}"
    mean = law.mean_matrix(1, teacher.tokens)
    if mean is not None and float(jnp.abs(mean).max()) > 0:
        return f"its inputs have a mean, of size up to {float(jnp.abs(mean).max()):.3g}"
    if not (law.is_gaussian or teacher.activation.is_linear):
        return f"its inputs are not Gaussian ({law!r}) and {teacher.activation!r} is not linear"
    return None


def _teacher_reason(problem: Problem) -> str | None:
    teacher: AnyTeacher = problem.teacher
    if isinstance(teacher, SymmetricTeacher):
        return "test_inputs need a teacher with arrays" if problem.test_inputs is not None else None
    scores = np.asarray(teacher.scores)
    apart = np.where(scores > 0, np.abs(scores - 1 / teacher.support_sizes), 0).max(0)
    worst = int(apart.argmax())
    if apart[worst] <= UNIFORM_TOLERANCE:
        return None
    return (
        f"column {worst} of its scores is not uniform on its support: an entry differs by {apart[worst]:.3g} "
        f"from 1/{teacher.support_sizes[worst]}"
    )


def _start_reason(problem: Problem) -> str | None:
    student = problem.student
    if isinstance(student, SymmetricStudent):
        teacher: AnyTeacher = problem.teacher
        fits = isinstance(teacher, SymmetricTeacher) and np.array_equal(student.sizes, teacher.sizes)
        return None if fits and student.tokens == teacher.tokens else f"its start {student!r} has other sizes"
    if not isinstance(student, PositionOnly):
        return f"its student is a {type(student).__name__}, not a PositionOnly"
    for name in ("value", "key_query"):
        largest = float(jnp.abs(getattr(student, name)).max())
        if largest > 0:
            return f"its start is not zero: {name} has an entry of size {largest:.3g}"
    if student.positions is not None and not student.trains_in_position_basis:
        gram = student.positions.T @ student.positions
        apart = float(jnp.abs(gram - jnp.eye(gram.shape[0])).max())
        return f"its positions are not orthonormal: PᵀP differs from the unit matrix by up to {apart:.3g}"
    return None
