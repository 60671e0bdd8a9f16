"""The exact scalar recursion of gradient descent, for symmetric problems of any size.

Where every column of S* is uniform on its support and training starts from zero, plain gradient descent (arXiv
2603.22801, equations (3.3) and (3.4)) moves C1 and one gap per distinct support size (Lemma D.2) and nothing else:

    C1 ← C1 − η Σ_columns ∂e/∂C1,      g ← g − η τ² ‖V*‖² (∂e/∂ℓ inside − outside)

with the derivatives of `docendo.training.scalars`. A step costs as many operations as there are distinct support
sizes, whatever D, d and M. That it agrees with full gradient descent, which it does not use, is a test.
"""

import warnings
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.checks import check_positive
from docendo.precision import as_array
from docendo.students.base import Student
from docendo.training.base import Dynamics, Measures, Problem, Reading
from docendo.training.measures import growth_exponent
from docendo.training.scalars import Profile, Scalars, excess, pull
from docendo.training.symmetry import asymmetry, profile_of, scalar_measures, scalar_start, scalar_student

__all__ = ["Reduced", "descend"]


class _State(NamedTuple):
    profile: Profile
    scalars: Scalars


class Reduced(Dynamics):
    """Gradient descent as a recursion of scalars: for uniform columns, from zero; D up to a million and beyond.

    Args:
        learning_rate: η, positive. One at or above 2 / ((α+β) Σ_i 1/K_i), the stability limit of C1 near the teacher,
            warns, runs, and ends in a status.

    Raises:
        ValueError: η is not positive and finite.
    """

    clock: ClassVar[Any] = "steps"
    sampled: ClassVar[bool] = False
    needs_key: ClassVar[bool] = False

    learning_rate: Float[Array, ""]

    def __init__(self, learning_rate: Any):
        check_positive("learning_rate", learning_rate, 0.1)
        self.learning_rate = as_array(learning_rate)

    def check(self, problem: Problem) -> None:
        reason = asymmetry(problem)
        if reason is not None:
            raise ValueError(
                "Reduced needs uniform columns, a start at zero, an orthonormal P and white inputs, but of this "
                f"problem {reason}. Train it in full: dc.GradientDescent({float(self.learning_rate):g})."
            )
        limit = _limit(profile_of(problem))
        if self.learning_rate >= limit:
            warnings.warn(
                f"learning_rate={float(self.learning_rate):.6g} is at or above the stability limit {limit:.6g} of C1 "
                "near the teacher, so the run cannot settle there.",
                stacklevel=4,
            )

    def start(self, problem: Problem) -> _State:
        profile = profile_of(problem)
        return _State(profile, scalar_start(problem, profile))

    def advance(self, problem: Problem, state: _State, begin: Reading | Array, end: Reading | Array) -> _State:
        steps = jnp.asarray(end - begin, dtype=int)
        return state._replace(scalars=descend(state.profile, state.scalars, self.learning_rate, steps))

    def student(self, problem: Problem, state: _State) -> Student:
        return scalar_student(problem, *state)

    def loss(self, problem: Problem, state: _State) -> Array:
        return _loss(*state)

    def measure(self, problem: Problem, state: _State, at: Reading | Array) -> Measures:
        """The measures, and d log L / d log T from one further step: no fit is needed."""
        recorded = scalar_measures(problem, *state)
        here, ahead = recorded["excess_loss"], self.loss(problem, self.advance(problem, state, 0, 1))
        return recorded | {"local_exponent": growth_exponent(here, ahead, at)}

    def time(self, at: Reading) -> float:
        return float(self.learning_rate) * at

    def settings(self, problem: Problem) -> dict[str, Any]:
        return {"kind": "Reduced", "learning_rate": float(self.learning_rate)}

    def advice(self, problem: Problem) -> str:
        limit = _limit(profile_of(problem))
        smaller = "try a smaller learning_rate" if self.learning_rate < limit else f"try dc.Reduced({0.8 * limit:.3g})"
        return f"the stability limit of C1 near the teacher is {limit:.6g}: {smaller}"

    def __repr__(self) -> str:
        return f"Reduced(learning_rate={float(self.learning_rate):g})"


@eqx.filter_jit
def descend(profile: Profile, scalars: Scalars, learning_rate: Array, steps: Any) -> Scalars:
    """So many steps of the recursion; the number may be traced."""
    push = learning_rate * (profile.logit_scale * profile.value_norm) ** 2

    def step(_: Array, state: Scalars) -> Scalars:
        slopes = pull(profile, state)
        move = -learning_rate * slopes.value
        return Scalars(state.c1 + move, state.shift + move, state.gaps - push * slopes.gaps)

    return jax.lax.fori_loop(0, steps, step, scalars)


_loss = jax.jit(excess)


def _limit(profile: Profile) -> float:
    """2 over the curvature of the loss in W_V at the teacher; that in the logits vanishes off the supports."""
    return float(2 / (profile.activation.second_moment * (profile.counts / profile.sizes).sum()))
