"""A certificate for any test law: the excess over the teacher, bounded from second moments alone.

For |κ| ≤ 1, |σ(z) − σ(z*)| ≤ |z − z*|. With B² = E‖Σ_h W_V,h X̃ S_h − V* X̃ S*‖_F² and any labels Ỹ,

    ½E‖Ỹ − TF‖² − ½E‖Ỹ − f*(X̃)‖² ≤ ½B² + B √(E‖Ỹ − f*(X̃)‖²),

with equality for the identity at Ỹ = f*(X̃) − λ (TF − f*(X̃)), λ ≥ 0. Labels f*(X̃) + independent noise make the cross
term vanish: then ½B² alone bounds the excess. B depends on the law through second moments only, so it is the square
root of twice the identity's excess loss.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import identity
from docendo.checks import is_concrete
from docendo.inputs import Inputs
from docendo.population.loss import excess_loss
from docendo.precision import as_array
from docendo.students.base import Student
from docendo.teachers.base import Teacher

__all__ = ["certificate", "preactivation_gap"]


def preactivation_gap(teacher: Teacher, student: Student, inputs: Inputs | None = None) -> Float[Array, ""]:
    """B, the root mean square of the difference of pre-activations under the test law.

    Raises:
        ValueError: the law's second moments are not known, or shapes disagree.
    """
    linear = Teacher(teacher.value, teacher.scores, identity)
    return jnp.sqrt(2 * excess_loss(linear, student.without_activation(), inputs))


def certificate(
    teacher: Teacher, student: Student, inputs: Inputs | None = None, *, label_distance: Any = 0.0
) -> Float[Array, ""]:
    """An upper bound on ½E‖Ỹ − TF‖² − ½E‖Ỹ − f*(X̃)‖².

    Args:
        teacher: f*.
        student: a student with position-only attention.
        inputs: the law of X̃; left out, white Gaussian.
        label_distance: √(E‖Ỹ − f*(X̃)‖_F²); 0 for labels that are the teacher's up to independent noise.

    Raises:
        ValueError: as `preactivation_gap`, or a label distance that is negative.
    """
    distance = as_array(label_distance)
    if is_concrete(distance) and not distance >= 0:
        raise ValueError(
            f"label_distance is a root mean square, at least 0, got {float(distance)}. "
            "Leave it out for labels f*(X) + independent noise."
        )
    gap = preactivation_gap(teacher, student, inputs)
    return gap**2 / 2 + gap * distance
