"""Whether the 1/T law applies to an instance: its conditions, each checked, with the numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from docendo.inputs import Factored, Inputs
from docendo.population import gradient, has_exact_loss
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.teachers.symmetric import SymmetricTeacher
from docendo.theory.kinds import AnyTeacher, Kinds
from docendo.theory.margin import Margin
from docendo.theory.verdicts import Hypothesis

__all__ = ["applies", "conditions", "first_step", "is_white", "solvable"]

Reals = NDArray[np.float64]


def applies(checked: Sequence[Hypothesis]) -> bool | None:
    """False where a condition is violated, None where one cannot be checked and none is violated."""
    answers = {condition.holds for condition in checked}
    return False if False in answers else None if None in answers else True


def conditions(
    teacher: AnyTeacher, kinds: Kinds, inputs: Inputs, positions: Reals | None, margin: Margin | None
) -> tuple[Hypothesis, ...]:
    """Every condition of the law on this instance; `margin` is given where P is not orthonormal up to a factor."""
    return (
        _slope(teacher),
        _columns(kinds),
        _positions(positions, margin),
        _quadratic(teacher, inputs),
        _first_step(teacher, inputs),
        Hypothesis("the run converges to the teacher", None, "known after a run only; see dc.why_not(run)"),
    )


def is_white(inputs: Inputs) -> bool:
    """Whether the covariance is the unit matrix and the mean zero."""
    if not isinstance(inputs, Factored):
        return False
    return inputs.feature_factor(1) is None and inputs.token_factor is None and inputs.mean_matrix(1, 1) is None


def solvable(teacher: AnyTeacher, inputs: Inputs) -> str | None:
    """Why the loss near the teacher is not known from two covariances; None where it is."""
    if not isinstance(inputs, Factored):
        return f"of {inputs!r} no Kronecker covariance is known"
    if inputs.mean_matrix(1, teacher.tokens) is not None:
        return "the inputs have a mean, which couples the columns by more than one number"
    if not (inputs.is_gaussian or teacher.activation.is_linear):
        return f"of {teacher.activation!r} under {inputs!r} no exact loss is known"
    return None


def _slope(teacher: AnyTeacher) -> Hypothesis:
    slope = float(teacher.activation.slope)
    detail = f"κ = {slope:g}" if slope != -1 else "κ = −1: the loss is even in W_V, so the zero start never moves"
    return Hypothesis("κ ≠ −1", slope != -1, detail)


def _columns(kinds: Kinds) -> Hypothesis:
    sizes, dense = kinds.sizes, float(kinds.counts[kinds.sizes == kinds.tokens].sum())
    detail = f"columns are stochastic, K = {sizes.min():g} … {sizes.max():g} of D = {kinds.tokens}"
    if dense:
        detail += f"; {dense:g} columns with K = D add nothing: they converge exponentially"
    return Hypothesis("a column has K < D", bool((sizes < kinds.tokens).any()), detail)


def _positions(positions: Reals | None, margin: Margin | None) -> Hypothesis:
    name = "W_KQ can select the supports"
    if positions is None:
        return Hypothesis(name, True, "P is the unit matrix")
    gram = positions.T @ positions
    apart = float(np.abs(gram - np.eye(len(gram))).max())
    if margin is None:
        return Hypothesis(name, True, f"P is orthonormal up to a factor: |PᵀP − 1| ≤ {apart:.3g}")
    detail = f"P is not orthonormal: |PᵀP − 1| up to {apart:.3g}, rank {margin.rank} of D = {len(gram)}"
    if margin.multipliers is None:
        return Hypothesis(name, False, f"{detail}; no W_KQ makes logits equal on every support and larger than off it")
    outside = int((margin.multipliers > 0).sum())
    return Hypothesis(name, True, f"{detail}; {outside} masses fall like (ηT)^(−1/2), the others faster")


def _quadratic(teacher: AnyTeacher, inputs: Inputs) -> Hypothesis:
    name = "the loss is a positive quadratic form near the teacher"
    if isinstance(inputs, Factored) and (inputs.is_gaussian or teacher.activation.is_linear):
        return Hypothesis(name, True, "the covariance of the inputs is positive definite")
    return Hypothesis(name, None, f"not checked for {inputs!r}")


def first_step(teacher: AnyTeacher, inputs: Inputs) -> tuple[str, float]:
    """How far the first step from zero moves W_V along V*, as a number whose sign matters, and what number it is."""
    if isinstance(teacher, SymmetricTeacher) or is_white(inputs):
        return "Σ_i 1·s*_i", float(teacher.tokens)
    if solvable(teacher, inputs) is None and isinstance(inputs, Factored):
        factor = np.eye(teacher.tokens) if inputs.token_factor is None else np.asarray(inputs.token_factor)
        return "Σ_i 1ᵀΣ_D s*_i", float((factor @ factor.T @ np.asarray(teacher.scores)).sum())
    slopes = gradient(teacher, PositionOnly.zeros(teacher), inputs)
    return "−⟨∂L/∂W_V, V*⟩ at zero", -float((np.asarray(slopes.value) * np.asarray(teacher.value)).sum())


def _first_step(teacher: AnyTeacher, inputs: Inputs) -> Hypothesis:
    name = "the first step moves W_V towards V*"
    if isinstance(teacher, Teacher) and not has_exact_loss(teacher, PositionOnly.zeros(teacher), inputs):
        return Hypothesis(name, None, "no exact gradient is known here")
    what, size = first_step(teacher, inputs)
    detail = f"{what} = {size:.6g}"
    if size < 0:
        detail += ": W_V starts along −V*, where every such run tried was trapped at a positive loss"
    return Hypothesis(name, size > 0, detail)
