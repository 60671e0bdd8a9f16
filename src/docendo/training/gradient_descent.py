"""Plain gradient descent on the exact population loss (arXiv 2603.22801, equations (3.3) and (3.4)).

θ ← θ − η ∂L/∂θ for θ = (W_V, W_KQ) together. Where P is orthonormal it is trained in the position basis: descent on
W_KQ is then descent on Pᵀ W_KQ P, and a step costs O(Md + MD + D²) without any product with P; under white inputs
`docendo.training.plane` takes it. Every other student and law goes through its own map and jax.grad. The loop is
compiled once per shape: how many steps to make is an argument of the compiled program, not a part of it.
"""

import warnings
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.checks import check_positive
from docendo.population.loss import check_compatible, has_exact_loss, unchecked_excess
from docendo.population.stability import stable_learning_rate
from docendo.precision import as_array
from docendo.students.base import Parameters, Student
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.training import plane
from docendo.training.base import Clock, Dynamics, Measures, Problem, Reading, State
from docendo.training.measures import growth_exponent, measures

__all__ = ["GradientDescent"]


class GradientDescent(Dynamics):
    """Plain gradient descent on the exact population loss.

    Args:
        learning_rate: η, positive. One above `docendo.stable_learning_rate` warns, runs, and ends in a status.

    Raises:
        ValueError: η is not positive and finite.
    """

    clock: ClassVar[Clock] = "steps"
    sampled: ClassVar[bool] = False
    needs_key: ClassVar[bool] = False

    learning_rate: Float[Array, ""]

    def __init__(self, learning_rate: Any):
        check_positive("learning_rate", learning_rate, 0.1)
        self.learning_rate = as_array(learning_rate)

    def check(self, problem: Problem) -> None:
        teacher, student, law = problem.teacher, problem.student, problem.inputs
        check_compatible(teacher, student, law)
        if not has_exact_loss(teacher, student, law):
            raise ValueError(
                f"GradientDescent needs an exact loss, and there is none for {student!r} under {law!r}. "
                "Train by sampling: dc.Online(0.1, batch_size=100)."
            )
        limit = _limit(problem)
        if limit is not None and self.learning_rate >= limit:
            warnings.warn(
                f"learning_rate={float(self.learning_rate):.6g} is at or above the stability limit {limit:.6g} near "
                "the teacher, so the run cannot settle there. See dc.stable_learning_rate(teacher).",
                stacklevel=4,
            )

    def start(self, problem: Problem) -> State:
        student = _basis_student(problem)
        return plane.place(problem.teacher, student) if plane.fits(problem) else student.parameters()

    def advance(self, problem: Problem, state: State, begin: Reading | Array, end: Reading | Array) -> State:
        student, steps = _basis_student(problem), jnp.asarray(end - begin, dtype=int)
        if isinstance(state, plane.PlaneState):
            return plane.descend(problem.teacher, student.logit_scale, self.learning_rate, state, steps)
        return _descend(problem.teacher, student, problem.inputs, self.learning_rate, state, steps)

    def student(self, problem: Problem, state: State) -> Student:
        trained = _trained(problem, state)
        if isinstance(problem.student, PositionOnly) and isinstance(trained, PositionOnly):
            return problem.student.from_position_basis(trained) if _moves_basis(problem) else trained
        return trained

    def loss(self, problem: Problem, state: State) -> Array:
        return _loss(problem.teacher, _trained(problem, state), problem.inputs)

    def measure(self, problem: Problem, state: State, at: Reading | Array) -> Measures:
        """The student's measures, and d log L / d log T from one further step: no fit is needed."""
        recorded = measures(problem, _trained(problem, state))
        here, ahead = recorded["excess_loss"], self.loss(problem, self.advance(problem, state, 0, 1))
        return recorded | {"local_exponent": growth_exponent(here, ahead, at)}

    def time(self, at: Reading) -> float:
        return float(self.learning_rate) * at

    def settings(self, problem: Problem) -> dict[str, Any]:
        return {"kind": "GradientDescent", "learning_rate": float(self.learning_rate)}

    def advice(self, problem: Problem) -> str:
        limit = _limit(problem)
        if limit is None:
            return "try a smaller learning_rate"
        if self.learning_rate >= limit:
            return f"the stability limit near the teacher is {limit:.6g}: try dc.GradientDescent({0.8 * limit:.3g})"
        return f"the stability limit near the teacher is {limit:.6g}; try a smaller learning_rate or another start"

    def __repr__(self) -> str:
        return f"GradientDescent(learning_rate={float(self.learning_rate):g})"


def _moves_basis(problem: Problem) -> bool:
    student = problem.student
    return isinstance(student, PositionOnly) and student.positions is not None and student.trains_in_position_basis


def _basis_student(problem: Problem) -> Any:
    """The student as it is trained: in the position basis where P is orthonormal."""
    student: Any = problem.student
    return student.in_position_basis() if _moves_basis(problem) else student


def _trained(problem: Problem, state: State) -> Any:
    """The student that the state stands for, as it is trained."""
    parameters = plane.parameters(problem.teacher, state) if isinstance(state, plane.PlaneState) else state
    return _basis_student(problem).with_parameters(parameters)


def _limit(problem: Problem) -> float | None:
    student = problem.student
    if not isinstance(student, PositionOnly):
        return None
    law: Any = problem.inputs
    return stable_learning_rate(problem.teacher, student.positions, student.logit_scale, law)


@eqx.filter_jit
def _loss(teacher: Teacher, student: Any, law: Any) -> Array:
    return unchecked_excess(teacher, student, law)


@eqx.filter_jit
def _descend(
    teacher: Teacher, student: Any, law: Any, learning_rate: Array, state: Parameters, steps: Any
) -> Parameters:
    def step(_: Array, parameters: Parameters) -> Parameters:
        slopes = jax.grad(lambda moved: unchecked_excess(teacher, student.with_parameters(moved), law))(parameters)
        return jax.tree.map(lambda parameter, slope: parameter - learning_rate * slope, parameters, slopes)

    return jax.lax.fori_loop(0, steps, step, state)
