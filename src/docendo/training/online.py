"""Online training: every step on a fresh batch from the input law (arXiv 2603.22801, Section 5).

The batch's labels are f*(X) + E with E of independent N(0, noise²) entries; the loss is ½ times the batch mean of
‖Y − TF(X)‖_F². The batch of step t comes from fold_in(key, t), so a run that is stopped and resumed sees the same
batches. What is recorded is the exact excess loss wherever one exists, not a test set's.
"""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from docendo.checks import check_count, check_noise
from docendo.population.loss import check_compatible
from docendo.randomness import stream
from docendo.students.base import Parameters, Student
from docendo.training.base import Clock, Dynamics, Measures, Problem, Reading
from docendo.training.measures import measures
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

__all__ = ["Online"]


class Online(Dynamics):
    """Training on a fresh batch each step.

    Args:
        optimizer: an optax optimizer, or a number for plain gradient descent with that learning rate.
        batch_size: N, inputs per step.
        noise: standard deviation of the label noise.

    Raises:
        ValueError: N < 1, a negative noise, a rate that is not positive, or something that is no optimizer.
    """

    clock: ClassVar[Clock] = "steps"
    sampled: ClassVar[bool] = True
    needs_key: ClassVar[bool] = True

    optimizer: optax.GradientTransformationExtraArgs = eqx.field(static=True)
    batch_size: int = eqx.field(static=True)
    noise: float = eqx.field(static=True)

    def __init__(self, optimizer: Any, *, batch_size: int, noise: float = 0.0):
        self.optimizer = as_optimizer(optimizer)
        self.batch_size = check_count("batch_size", batch_size)
        self.noise = check_noise(noise)

    def check(self, problem: Problem) -> None:
        check_compatible(problem.teacher, problem.student, problem.inputs)
        check_optimizer(self.optimizer, problem.student.parameters())

    def start(self, problem: Problem) -> Trained:
        return fresh(self.optimizer, problem.student.parameters())

    def advance(self, problem: Problem, state: Trained, begin: Reading | Array, end: Reading | Array) -> Trained:
        span = jnp.asarray(int(begin)), jnp.asarray(int(end))
        return _train(self, problem, state, *span)

    def student(self, problem: Problem, state: Trained) -> Student:
        return problem.student.with_parameters(state[0])

    def loss(self, problem: Problem, state: Trained) -> Array:
        """The loss of one fixed batch, drawn apart from those trained on."""
        return _batch_loss(self, problem, state[0], stream(problem.key, "watch"))

    def measure(self, problem: Problem, state: Trained, at: Reading | Array) -> Measures:
        batch = _batch_loss(self, problem, state[0], _step_key(problem, jnp.asarray(at, dtype=int)))
        return measures(problem, self.student(problem, state)) | {"batch_loss": batch}

    def time(self, at: Reading) -> float:
        """ηT, with η the size of the first update per unit of gradient; NaN where there is no such number."""
        return first_rate(self.optimizer) * at

    def settings(self, problem: Problem) -> dict[str, Any]:
        return {
            "kind": "Online",
            "optimizer": describe_optimizer(self.optimizer),
            "program": fingerprint(self.optimizer, problem.student.parameters()),
            "batch_size": self.batch_size,
            "noise": self.noise,
        }

    def advice(self, problem: Problem) -> str:
        return "try a smaller learning rate or a larger batch_size"

    def __repr__(self) -> str:
        return f"Online({describe_optimizer(self.optimizer)}, batch_size={self.batch_size}, noise={self.noise:g})"


def _step_key(problem: Problem, step: Array) -> PRNGKeyArray:
    return jax.random.fold_in(stream(problem.key, "batches"), step)


def _sampled_loss(dynamics: Online, problem: Problem, parameters: Parameters, key: PRNGKeyArray) -> Float[Array, ""]:
    teacher = problem.teacher
    of_inputs, of_noise = jax.random.split(key)
    x = problem.inputs.sample(of_inputs, dynamics.batch_size, teacher.features, teacher.tokens)
    y = teacher(x)
    if dynamics.noise:
        y = y + dynamics.noise * jax.random.normal(of_noise, y.shape)
    output = teacher.activation(problem.student.with_parameters(parameters).preactivation(x))
    return 0.5 * ((y - output) ** 2).sum((-2, -1)).mean()


_batch_loss: Any = eqx.filter_jit(_sampled_loss)


@eqx.filter_jit
def _train(dynamics: Online, problem: Problem, state: Trained, begin: Array, end: Array) -> Trained:
    def once(at: Array, carry: Trained) -> Trained:
        key = _step_key(problem, at)
        return step(dynamics.optimizer, lambda moved: _sampled_loss(dynamics, problem, moved, key), carry)

    return jax.lax.fori_loop(begin, end, once, state)
