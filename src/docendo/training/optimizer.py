"""Any optax optimizer on the exact gradient of the population loss.

The paper proves its rates for plain descent (arXiv 2603.22801, equation (3.3)); momentum, adaptive rates, signs,
schedules and weight decay take the same exact gradient here, so that what they change is seen without any sampling
noise. Parameters are those of the student, W_KQ under its own P: an optimizer that treats entries apart, as Adam does,
is not indifferent to the basis.
"""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array

from docendo.population.loss import check_compatible, has_exact_loss, unchecked_excess
from docendo.students.base import Student
from docendo.training.base import Clock, Dynamics, Measures, Problem, Reading
from docendo.training.measures import growth_exponent, measures
from docendo.training.updates import (
    Trained,
    as_optimizer,
    check_optimizer,
    describe_optimizer,
    fingerprint,
    first_rate,
    fresh,
    step,
)

__all__ = ["PopulationOptimizer"]


class PopulationOptimizer(Dynamics):
    """An optax optimizer on the exact gradient of the population loss.

    With `optax.sgd(η)` it is `GradientDescent(η)`, to rounding.

    Args:
        optimizer: an optax optimizer, or a number for plain gradient descent with that learning rate. Labels and masks
            go by the names of the student's trained arrays, `value` and `key_query`.

    Raises:
        ValueError: a rate that is not positive and finite, or something that is no optimizer.
    """

    clock: ClassVar[Clock] = "steps"
    sampled: ClassVar[bool] = False
    needs_key: ClassVar[bool] = False

    optimizer: optax.GradientTransformationExtraArgs = eqx.field(static=True)

    def __init__(self, optimizer: Any):
        self.optimizer = as_optimizer(optimizer)

    def check(self, problem: Problem) -> None:
        teacher, student, law = problem.teacher, problem.student, problem.inputs
        check_compatible(teacher, student, law)
        if not has_exact_loss(teacher, student, law):
            raise ValueError(
                f"PopulationOptimizer needs an exact loss, and there is none for {student!r} under {law!r}. "
                "Train by sampling: dc.Online(optimizer, batch_size=100)."
            )
        check_optimizer(self.optimizer, student.parameters())

    def start(self, problem: Problem) -> Trained:
        return fresh(self.optimizer, problem.student.parameters())

    def advance(self, problem: Problem, state: Trained, begin: Reading | Array, end: Reading | Array) -> Trained:
        return _descend(self, problem, state, jnp.asarray(int(end - begin)))

    def student(self, problem: Problem, state: Trained) -> Student:
        return problem.student.with_parameters(state[0])

    def loss(self, problem: Problem, state: Trained) -> Array:
        return _loss(problem, state)

    def measure(self, problem: Problem, state: Trained, at: Reading | Array) -> Measures:
        """The student's measures, and d log L / d log T from one further step."""
        recorded = measures(problem, self.student(problem, state))
        ahead = self.loss(problem, self.advance(problem, state, 0, 1))
        return recorded | {"local_exponent": growth_exponent(recorded["excess_loss"], ahead, at)}

    def time(self, at: Reading) -> float:
        """ηT, with η the size of the first update per unit of gradient; NaN where there is no such number."""
        return first_rate(self.optimizer) * at

    def settings(self, problem: Problem) -> dict[str, Any]:
        return {
            "kind": "PopulationOptimizer",
            "optimizer": describe_optimizer(self.optimizer),
            "program": fingerprint(self.optimizer, problem.student.parameters()),
        }

    def advice(self, problem: Problem) -> str:
        return "try a smaller learning rate, or one that falls: optax.cosine_decay_schedule"

    def __repr__(self) -> str:
        return f"PopulationOptimizer({describe_optimizer(self.optimizer)})"


def _excess(problem: Problem, parameters: Any) -> Array:
    student: Any = problem.student
    law: Any = problem.inputs
    return unchecked_excess(problem.teacher, student.with_parameters(parameters), law)


@eqx.filter_jit
def _loss(problem: Problem, state: Trained) -> Array:
    return _excess(problem, state[0])


@eqx.filter_jit
def _descend(dynamics: PopulationOptimizer, problem: Problem, state: Trained, steps: Array) -> Trained:
    def once(_: Array, carry: Trained) -> Trained:
        return step(dynamics.optimizer, lambda moved: _excess(problem, moved), carry)

    return jax.lax.fori_loop(0, steps, once, state)
