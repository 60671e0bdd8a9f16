"""Training on a sample drawn once: the same n pairs (X, Y) at every step, in full or in batches.

Y = f*(X) + E with E of independent N(0, noise²) entries, drawn once as well; the loss is ½ times the mean of
‖Y − TF(X)‖_F² over the sample, or over the batch. What is recorded is this training loss beside the exact excess loss
of the population, so that a run shows what the sample costs.

Batches go through a random order of the sample, anew in every epoch: none repeats an input before all had their turn,
but for the last n mod batch_size of an order, which it leaves out. The order of epoch e comes from fold_in(key, e). The
sample and the order are part of the state, so a run that is stopped and resumed sees the same batches.
"""

from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from docendo.checks import check_count, check_noise
from docendo.files import content_hash
from docendo.inputs import Empirical
from docendo.population.loss import check_compatible
from docendo.randomness import stream
from docendo.students.base import Student
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

__all__ = ["FiniteSample"]


class Sample(NamedTuple):
    """n inputs and their labels."""

    x: Float[Array, "n d D"]
    y: Float[Array, "n M D"]


class _State(NamedTuple):
    """What is trained, the sample, and the order in which this epoch goes through it."""

    trained: Trained
    sample: Sample
    order: Int[Array, " n"]


class FiniteSample(Dynamics):
    """Training on n pairs drawn once.

    Args:
        n: how many inputs to draw, from the law that `train` is given as `inputs`; or the inputs themselves, an array
            (n, d, D) or `docendo.inputs.Empirical`. Their labels come from the teacher either way, and the excess loss
            is that under the law.
        optimizer: an optax optimizer, or a number for plain gradient descent with that learning rate.
        batch_size: inputs per step; left out, all n.
        noise: standard deviation of the label noise.

    Raises:
        ValueError: n < 1, batch_size < 1 or above n, a negative noise, a rate that is not positive, something that is
            no optimizer, or inputs that are not finite.
    """

    clock: ClassVar[Clock] = "steps"
    sampled: ClassVar[bool] = True

    given: Empirical | None
    n: int = eqx.field(static=True)
    optimizer: optax.GradientTransformationExtraArgs = eqx.field(static=True)
    batch_size: int | None = eqx.field(static=True)
    noise: float = eqx.field(static=True)

    def __init__(self, n: Any, optimizer: Any, *, batch_size: int | None = None, noise: float = 0.0):
        self.given = _given(n)
        self.n = check_count("n", n) if self.given is None else self.given.array.shape[0]
        self.optimizer = as_optimizer(optimizer)
        self.batch_size = None if batch_size is None else check_count("batch_size", batch_size)
        if self.batch_size is not None and self.batch_size > self.n:
            raise ValueError(
                f"batch_size must not exceed the sample, got batch_size={batch_size} > n={self.n}. "
                f"Leave it out to take all of them, or try batch_size={max(1, self.n // 2)}."
            )
        self.noise = check_noise(noise)

    @property
    def needs_key(self) -> bool:
        return self.given is None or self.noise > 0 or self._in_batches

    @property
    def _in_batches(self) -> bool:
        return self.batch_size not in (None, self.n)

    def check(self, problem: Problem) -> None:
        check_compatible(problem.teacher, problem.student, problem.inputs)
        check_optimizer(self.optimizer, problem.student.parameters())
        if self.given is not None:
            self.given.check_sizes(problem.teacher.features, problem.teacher.tokens)

    def start(self, problem: Problem) -> _State:
        return _State(fresh(self.optimizer, problem.student.parameters()), _draw(self, problem), jnp.arange(self.n))

    def advance(self, problem: Problem, state: _State, begin: Reading | Array, end: Reading | Array) -> _State:
        return _train(self, problem, state, jnp.asarray(int(begin)), jnp.asarray(int(end)))

    def student(self, problem: Problem, state: _State) -> Student:
        return problem.student.with_parameters(state.trained[0])

    def loss(self, problem: Problem, state: _State) -> Array:
        """The training loss."""
        return _training_loss(problem, state)

    def measure(self, problem: Problem, state: _State, at: Reading | Array) -> Measures:
        return measures(problem, self.student(problem, state)) | {"training_loss": self.loss(problem, state)}

    def time(self, at: Reading) -> float:
        """ηT, with η the size of the first update per unit of gradient; NaN where there is no such number."""
        return first_rate(self.optimizer) * at

    def settings(self, problem: Problem) -> dict[str, Any]:
        return {
            "kind": "FiniteSample",
            "n": self.n,
            "inputs": "drawn" if self.given is None else content_hash(self.given.array),
            "optimizer": describe_optimizer(self.optimizer),
            "program": fingerprint(self.optimizer, problem.student.parameters()),
            "batch_size": self.batch_size,
            "noise": self.noise,
        }

    def advice(self, problem: Problem) -> str:
        return "try a smaller learning rate or a larger batch_size"

    def __repr__(self) -> str:
        batch = "all" if self.batch_size is None else self.batch_size
        return (
            f"FiniteSample(n={self.n}, {describe_optimizer(self.optimizer)}, batch_size={batch}, noise={self.noise:g})"
        )


def _given(n: Any) -> Empirical | None:
    """The inputs, where they are given instead of their number."""
    if isinstance(n, Empirical):
        return n
    return Empirical(n) if getattr(n, "ndim", 0) or isinstance(n, (list, tuple)) else None


@eqx.filter_jit
def _draw(dynamics: FiniteSample, problem: Problem) -> Sample:
    teacher = problem.teacher
    if dynamics.given is not None:
        x = dynamics.given.array
    else:
        x = problem.inputs.sample(stream(problem.key, "sample"), dynamics.n, teacher.features, teacher.tokens)
    y = teacher(x)
    if dynamics.noise:
        y = y + dynamics.noise * jax.random.normal(stream(problem.key, "labels"), y.shape)
    return Sample(x, y)


def _loss(problem: Problem, sample: Sample, parameters: Any) -> Float[Array, ""]:
    output = problem.teacher.activation(problem.student.with_parameters(parameters).preactivation(sample.x))
    return 0.5 * ((sample.y - output) ** 2).sum((-2, -1)).mean()


@eqx.filter_jit
def _training_loss(problem: Problem, state: _State) -> Float[Array, ""]:
    return _loss(problem, state.sample, state.trained[0])


@eqx.filter_jit
def _train(dynamics: FiniteSample, problem: Problem, state: _State, begin: Array, end: Array) -> _State:
    def once(at: Array, state: _State) -> _State:
        sample = state.sample
        if dynamics._in_batches:
            state, batch = _next_batch(dynamics, problem, state, at)
            sample = Sample(sample.x[batch], sample.y[batch])
        return state._replace(
            trained=step(dynamics.optimizer, lambda moved: _loss(problem, sample, moved), state.trained)
        )

    return jax.lax.fori_loop(begin, end, once, state)


def _next_batch(
    dynamics: FiniteSample, problem: Problem, state: _State, at: Array
) -> tuple[_State, Int[Array, " batch"]]:
    """The inputs of step `at`, and the state with a new order where an epoch begins."""
    size = dynamics.batch_size or dynamics.n
    epoch, place = jnp.divmod(at, dynamics.n // size)
    key: PRNGKeyArray = jax.random.fold_in(stream(problem.key, "batches"), epoch)
    order = jax.lax.cond(place == 0, lambda: jax.random.permutation(key, dynamics.n), lambda: state.order)
    return state._replace(order=order), jax.lax.dynamic_slice_in_dim(order, place * size, size)
