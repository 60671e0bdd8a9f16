"""The excess loss by Monte Carlo, with its standard error, for any student and any law of X."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from docendo.checks import check_count
from docendo.inputs import Inputs, white
from docendo.population.loss import check_compatible, output_gap
from docendo.randomness import as_key
from docendo.students.base import Student
from docendo.teachers.base import Teacher

__all__ = ["sampled_excess_loss"]

CHUNK = 1024


def sampled_excess_loss(
    teacher: Teacher, student: Student, inputs: Inputs | None = None, *, key: Any, samples: int
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """An unbiased estimate of the excess loss and its standard error.

    Args:
        teacher: f*.
        student: any student; its output is taken through the teacher's activation.
        inputs: the law of X; left out, white Gaussian.
        key: int or JAX key.
        samples: how many inputs to draw, at least 2. They are evaluated 1024 at a time, to bound memory.

    Raises:
        ValueError: fewer than 2 samples, no key, or shapes that disagree.
    """
    law = white if inputs is None else inputs
    check_compatible(teacher, student, law)
    check_count("samples", samples, least=2)
    key = as_key(key, "key")
    sizes = [CHUNK] * (samples // CHUNK) + [samples % CHUNK] * (samples % CHUNK > 0)
    losses = jnp.concatenate(
        [_losses(teacher, student, law, jax.random.fold_in(key, i), size) for i, size in enumerate(sizes)]
    )
    return losses.mean(), losses.std(ddof=1) / jnp.sqrt(samples)


@eqx.filter_jit
def _losses(teacher: Teacher, student: Student, law: Inputs, key: PRNGKeyArray, size: int) -> Float[Array, " n"]:
    return output_gap(teacher, student, law.sample(key, size, teacher.features, teacher.tokens))
