"""Figures 2 and 3: what every synthetic task does with its teacher (arXiv 2603.22801, Section 5).

Three runs from the same zero start: exact gradient descent on the population loss, the truth; the paper's online
descent, each step on a fresh noisy batch; and the exact gradient flow, which carries the out-of-distribution question
further than any number of steps.

Out of distribution X̃ is exponential. The *population* excess is ½E‖f*(X̃) − TF‖², exact for the identity and taken on
one fixed large sample otherwise. The paper's is *sampled*: the student's loss minus the teacher's on the same N pairs
with noisy labels f*(X̃) + E, which is the pairs' own excess plus the cross term (1/N) Σ_n ⟨E_n, f*(X̃_n) − TF_n⟩. That
one is of random sign and of root mean square σ_E √(2 · excess / N), hence of order T^(−1/2), and the larger one once
the excess is below about 2σ_E²/N.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jaxtyping import Array, Float

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.sizes import Synthetic
from docendo.experiments.synthetic_figures import figures
from docendo.experiments.synthetic_findings import findings, numbers, summary
from docendo.experiments.task import Task
from docendo.inputs import Exponential
from docendo.population.loss import has_exact_loss
from docendo.positions import orthogonal
from docendo.students.base import Student
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.training import GradientDescent, GradientFlow, Online

__all__ = ["train_task"]

Observer = Callable[[Student], Any]


class Batches(NamedTuple):
    """Out-of-distribution pairs: X̃ (batches, N, d, D), and the labels' noise E (batches, N, M, D)."""

    x: Float[Array, "b n d D"]
    noise: Float[Array, "b n M D"]


def train_task(name: str, teacher: Teacher, sizes: Synthetic, bench: Bench) -> Outcome:
    """Train on one task and look at it as the paper does.

    Args:
        name: the task's name, for its figures.
        teacher: f*.
        sizes: rates, steps and sample sizes.
        bench: where to train.
    """
    law = Exponential()
    start = PositionOnly.zeros(teacher, orthogonal(teacher.tokens, seed=bench.key("positions")))
    exact_law = has_exact_loss(teacher, start, law)
    watched: dict[str, Any] = {"saves": sizes.saves, "test_inputs": law if exact_law else None}
    watched |= {"observe": _observers(teacher, _draw(teacher, sizes, bench), exact_law)}
    descent = GradientDescent(sizes.learning_rate)
    online = Online(sizes.learning_rate, batch_size=sizes.batch_size, noise=sizes.noise)
    task = Task(
        name,
        teacher,
        sizes,
        bench.train("exact", 0.3, teacher, start, descent, steps=sizes.steps, saves=sizes.saves),
        bench.train(
            "online", 0.5, teacher, start, online, steps=sizes.online_steps, key=bench.key("training"), **watched
        ),
        bench.train("flow", 0.2, teacher, start, GradientFlow(), time=sizes.time, **watched),
    )
    return Outcome(
        summary=summary(task),
        settings=vars(sizes) | {"activation": repr(teacher.activation), "value_norm": float(teacher.value_norm)},
        findings=findings(task),
        figures=figures(task),
        runs={"exact": task.exact, "online": task.online, "flow": task.flow},
        numbers=numbers(task),
    )


def _draw(teacher: Teacher, sizes: Synthetic, bench: Bench) -> Batches:
    of_inputs, of_noise = jax.random.split(bench.key("out of distribution"))
    shape = (sizes.batches, sizes.batch_size)
    x = Exponential().sample(of_inputs, sizes.batches * sizes.batch_size, teacher.features, teacher.tokens)
    noise = sizes.noise * jax.random.normal(of_noise, (*shape, teacher.channels, teacher.tokens))
    return Batches(x.reshape(*shape, *x.shape[1:]), noise)


def _observers(teacher: Teacher, batches: Batches, exact_law: bool) -> dict[str, Observer]:
    sampled = {"sampled_ood_excess": _sampled_excess(teacher, batches)}
    return sampled if exact_law else sampled | {"ood_excess": _own_excess(teacher, batches)}


def _sampled_excess(teacher: Teacher, batches: Batches) -> Observer:
    """The paper's excess for each batch: the student's loss minus the teacher's on the same N noisy pairs."""

    @jax.jit
    def excess(student: Student) -> Float[Array, " b"]:
        def of_batch(batch: Batches) -> Float[Array, ""]:
            gap = _gap(teacher, student, batch)
            return (0.5 * gap**2 + batch.noise * gap).sum((-2, -1)).mean()

        # One batch after the other: all at once they would take a gigabyte.
        return jax.lax.map(of_batch, batches)

    return excess


def _own_excess(teacher: Teacher, batches: Batches) -> Observer:
    """½‖f*(X̃) − TF‖², averaged over each batch: what the labels' noise does not enter."""

    @jax.jit
    def excess(student: Student) -> Float[Array, " b"]:
        return jax.lax.map(lambda batch: 0.5 * (_gap(teacher, student, batch) ** 2).sum((-2, -1)).mean(), batches)

    return excess


def _gap(teacher: Teacher, student: Student, batch: Batches) -> Float[Array, "n M D"]:
    return teacher(batch.x) - teacher.activation(student.preactivation(batch.x))
