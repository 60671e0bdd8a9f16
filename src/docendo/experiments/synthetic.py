"""Figures 2 and 3: what every synthetic task does with its teacher (arXiv 2603.22801, Section 5).

Three runs from the same zero start: exact gradient descent on the population loss, the truth; the paper's online
descent, each step on a fresh noisy batch; and the exact gradient flow, which carries the out-of-distribution question
further than any number of steps.

Out of distribution X̃ is exponential. The *population* excess is ½E‖f*(X̃) − TF‖². The paper's is *sampled*: the
student's loss minus the teacher's on the same N pairs with noisy labels, which adds the cross term
(1/N) Σ_n ⟨E_n, f*(X̃_n) − TF_n⟩ to the sample's own excess: of random sign, of order T^(−1/2), and so the larger one
once the excess is below about 2/N.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jaxtyping import Array, Float

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.sizes import Synthetic
from docendo.experiments.synthetic_figures import Task, figures
from docendo.experiments.synthetic_findings import findings, numbers, summary
from docendo.inputs import Exponential
from docendo.population.loss import has_exact_loss
from docendo.positions import orthogonal
from docendo.students.base import Student
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.training import GradientDescent, GradientFlow, Online

__all__ = ["train_task"]


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
    law, key = Exponential(), bench.key("training")
    start = PositionOnly.zeros(teacher, orthogonal(teacher.tokens, seed=bench.key("positions")))
    observe = {"sampled_ood_excess": _sampled_excess(teacher, _draw(teacher, sizes, bench))}
    exact = bench.train(
        "exact", 0.3, teacher, start, GradientDescent(sizes.learning_rate), steps=sizes.steps, saves=sizes.saves
    )
    online = bench.train(
        "online",
        0.4,
        teacher,
        start,
        Online(sizes.learning_rate, batch_size=sizes.batch_size, noise=sizes.noise),
        steps=sizes.online_steps,
        saves=sizes.saves,
        key=key,
        test_inputs=law,
        observe=observe,
    )
    flow = bench.train(
        "flow",
        0.3,
        teacher,
        start,
        GradientFlow(),
        time=sizes.time,
        saves=sizes.saves,
        key=key,
        test_inputs=law,
        observe=observe,
    )
    prefix = "" if has_exact_loss(teacher, start, law) else "sampled_"
    task = Task(name, teacher, sizes, exact, online, flow, f"{prefix}test_excess_loss")
    return Outcome(
        summary=summary(task),
        settings=vars(sizes) | {"activation": repr(teacher.activation), "value_norm": float(teacher.value_norm)},
        findings=findings(task),
        figures=figures(task),
        runs={"exact": exact, "online": online, "flow": flow},
        numbers=numbers(task),
    )


def _draw(teacher: Teacher, sizes: Synthetic, bench: Bench) -> Batches:
    of_inputs, of_noise = jax.random.split(bench.key("out of distribution"))
    shape = (sizes.batches, sizes.batch_size)
    x = Exponential().sample(of_inputs, sizes.batches * sizes.batch_size, teacher.features, teacher.tokens)
    noise = sizes.noise * jax.random.normal(of_noise, (*shape, teacher.channels, teacher.tokens))
    return Batches(x.reshape(*shape, *x.shape[1:]), noise)


def _sampled_excess(teacher: Teacher, batches: Batches) -> Callable[[Student], Any]:
    """The paper's excess for each batch: the student's loss minus the teacher's on the same N noisy pairs."""
    targets = teacher(batches.x)

    @jax.jit
    def excess(student: Student) -> Float[Array, " b"]:
        gap = targets - teacher.activation(student.preactivation(batches.x))
        return (0.5 * (gap**2) + batches.noise * gap).sum((-2, -1)).mean(-1)

    return excess
