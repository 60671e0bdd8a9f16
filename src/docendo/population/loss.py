"""The excess loss L − L_opt = ½ E‖σ(Σ_h W_V,h X S_h) − σ(V* X S*)‖_F² under a law of X, and its gradient.

(arXiv 2603.22801, equation (3.2); label noise, independent of X, adds the constant L_opt.) Exact wherever a closed
form or a finite sum exists:

- Gaussian inputs of mean zero, any Kronecker covariance, every activation: the closed form of
  `docendo.population.gaussian`, on whitened arrays L_dᵀ w and L_Dᵀ s;
- the identity, any law with a Kronecker covariance: only second moments matter, so the same closed form plus the
  mean's contribution ½ ‖Σ_h W_V,h μ S_h − V* μ S*‖_F²;
- data (`Empirical`): the average over the data;
- mixtures of such laws: the mean over their parts.

Elsewhere `docendo.sampled_excess_loss` estimates it, with a standard error.
"""

from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import is_concrete
from docendo.inputs import Empirical, Factored, Inputs, Mixture, white
from docendo.population.gaussian import Arrays, gaussian_excess
from docendo.precision import AnyArray, require_float64
from docendo.students.base import PositionStudent, Student
from docendo.teachers.base import Teacher

__all__ = [
    "ExactLaw",
    "check_compatible",
    "exact_pair",
    "excess_loss",
    "gradient",
    "has_exact_loss",
    "output_gap",
    "unchecked_excess",
    "whitened",
]

ExactLaw = Factored | Empirical | Mixture


def excess_loss(teacher: Teacher, student: Student, inputs: Inputs | None = None) -> Float[Array, ""]:
    """The exact excess population loss, a 0-d float64 array.

    Args:
        teacher: f*; both sides use its activation.
        student: a student with position-only attention, of matching shape.
        inputs: the law of X; left out, white Gaussian.

    Raises:
        ValueError: shapes disagree, or no exact loss is known for this student and law.
    """
    return unchecked_excess(teacher, *exact_pair(teacher, student, white if inputs is None else inputs))


def gradient(teacher: Teacher, student: Student, inputs: Inputs | None = None) -> Any:
    """The exact gradient of `excess_loss`, in the structure of the student.

    Fields that training moves hold their derivative (`.value`, `.key_query`); the fixed ones hold zeros, so that
    `jax.tree.map(lambda p, g: p - lr * g, student, gradient)` is a step of gradient descent.

    Raises:
        ValueError: as `excess_loss`.
    """
    known, law = exact_pair(teacher, student, white if inputs is None else inputs)
    slopes = jax.grad(lambda moved: unchecked_excess(teacher, known.with_parameters(moved), law))(known.parameters())
    return known.with_frozen_zeros(slopes)


def has_exact_loss(teacher: Teacher, student: Student, inputs: Inputs) -> bool:
    """Whether `excess_loss` applies: position-only attention, and a law it can integrate."""
    if not isinstance(student, PositionStudent):
        return False
    if isinstance(inputs, Factored):
        return teacher.activation.is_linear or (
            inputs.is_gaussian and inputs.mean_matrix(teacher.features, teacher.tokens) is None
        )
    if isinstance(inputs, Mixture):
        return all(has_exact_loss(teacher, student, law) for law in inputs.laws)
    return isinstance(inputs, Empirical)


def unchecked_excess(teacher: Teacher, student: PositionStudent, inputs: ExactLaw) -> Float[Array, ""]:
    """`excess_loss` for arguments known to fit, as loops call it."""
    values, scores = student.heads()
    if isinstance(inputs, Empirical):
        return output_gap(teacher, student, inputs.array).mean()
    if isinstance(inputs, Mixture):
        return inputs.mean_over([unchecked_excess(teacher, student, cast(ExactLaw, law)) for law in inputs.laws])
    white_loss = gaussian_excess(
        teacher.activation,
        whitened(inputs, teacher.value, teacher.scores),
        whitened(inputs, values, scores),
    )
    mean = inputs.mean_matrix(teacher.features, teacher.tokens)
    return white_loss if mean is None else white_loss + _mean_excess(teacher, values, scores, mean)


def output_gap(teacher: Teacher, student: Student, x: Float[AnyArray, "n d D"]) -> Float[Array, " n"]:
    """½‖σ(z) − f*(X)‖_F² for each input, the student's output taken through the teacher's activation."""
    gap = teacher.activation(student.preactivation(x)) - teacher(x)
    return 0.5 * (gap**2).sum((-2, -1))


def whitened(inputs: Factored, values: Array, scores: Array) -> Arrays:
    """The rows L_dᵀ w and the columns L_Dᵀ s, for which white inputs stand in for the given ones."""
    features = inputs.feature_factor(values.shape[-1])
    if features is not None:
        values = values @ features
    if inputs.token_factor is not None:
        scores = inputs.token_factor.T @ scores
    return Arrays(values, scores)


def _mean_excess(teacher: Teacher, values: Array, scores: Array, mean: Array) -> Float[Array, ""]:
    """½‖E(z − z*)‖² over all entries, from differences."""
    from_scores = jnp.einsum("hma,aj,hji->mi", values, mean, scores - teacher.scores)
    gap = from_scores + (values.sum(0) - teacher.value) @ mean @ teacher.scores
    return 0.5 * (gap**2).sum()


def check_compatible(teacher: Teacher, student: Student, inputs: Inputs) -> None:
    """Raise ValueError unless student and law have the teacher's sizes and the student its activation."""
    require_float64()
    inputs.check_sizes(teacher.features, teacher.tokens)
    inputs.check_moments()
    for axis in ("channels", "features", "tokens"):
        theirs, ours = getattr(teacher, axis), getattr(student, axis)
        if theirs != ours:
            raise ValueError(
                f"teacher and student must share their {axis}, got {axis}={theirs} and {axis}={ours}. "
                f"A matching start: dc.{type(student).__name__}.{_start(student)}."
            )
    if student.activation is not None and _differ(student.activation, teacher.activation):
        raise ValueError(
            f"student and teacher must share their activation, got {student.activation!r} and {teacher.activation!r}. "
            f"Leave the student's out to use the teacher's."
        )


def _start(student: Student) -> str:
    """How a start of the student's kind is made: factors and heads need a random one."""
    return "zeros(teacher)" if hasattr(student, "zeros") else "random(teacher, seed=0)"


def _differ(one: Activation, other: Activation) -> bool:
    # NumPy's comparison: under jit even constants become traced by JAX's own.
    return is_concrete(one.slope, other.slope) and bool(np.any(np.asarray(one.slope) != np.asarray(other.slope)))


def exact_pair(teacher: Teacher, student: Student, law: Inputs) -> tuple[PositionStudent, ExactLaw]:
    """The student and the law, once it is known that their loss has a closed form or is a finite sum.

    Raises:
        ValueError: it is neither, or shapes disagree.
    """
    check_compatible(teacher, student, law)
    if isinstance(student, PositionStudent) and isinstance(law, ExactLaw) and has_exact_loss(teacher, student, law):
        return student, law
    if not isinstance(student, PositionStudent):
        reason = f"the scores of a {type(student).__name__} depend on X"
    else:
        reason = f"no closed form is known for {teacher.activation!r} under {law!r}"
    raise ValueError(
        f"{reason}, so there is no exact loss. "
        "Estimate it: dc.sampled_excess_loss(teacher, student, inputs, key=0, samples=100_000)."
    )
