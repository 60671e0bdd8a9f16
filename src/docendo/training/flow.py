"""The gradient flow: gradient descent with η → 0 at fixed t = ηT.

d(W_V, W_KQ)/dt = −∇L from the start, integrated in log t to any time, 10¹⁵ and beyond (`docendo.training.log_time`).
A problem whose symmetry the scalars keep (`docendo.training.symmetry`) is integrated as a handful of numbers, any other
as values and logits. Where both apply they agree, and descent at learning rate η differs from the flow by O(η).
"""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.checks import check_positive
from docendo.inputs import Factored
from docendo.population.loss import check_compatible
from docendo.precision import as_array
from docendo.students.base import Student
from docendo.students.position_only import PositionOnly
from docendo.students.symmetric import SymmetricStudent
from docendo.training.arrow import Bordered
from docendo.training.base import Clock, Dynamics, Measures, Problem, Reading
from docendo.training.flow_full import (
    FullProblem,
    full_differences,
    full_excess,
    full_exponent,
    full_logits,
    full_values,
    integrate_full,
)
from docendo.training.flow_scalars import (
    FlowScalars,
    decay_scalars,
    flow_exponent,
    flow_slope,
    from_flow,
    integrate_scalars,
    to_flow,
)
from docendo.training.flow_start import full_start
from docendo.training.log_time import FIRST_STRIDE
from docendo.training.measures import measures
from docendo.training.scalars import Profile, Scalars, excess
from docendo.training.symmetry import asymmetry, profile_of, scalar_measures, scalar_start, scalar_student

__all__ = ["GradientFlow"]

LEAST_RTOL = 1e-13
# Steps of a tolerance this near to rounding fail their own test, and shrink for ever.
_ROUNDINGS = 100
# A dense Jacobian of this many unknowns takes most of a second to factorise, some hundred times a run.
MOST_DENSE = 2500


class GradientFlow(Dynamics):
    """Gradient descent with infinitely small steps; `train` takes `time=`, which is ηT, in place of `steps=`.

    Args:
        rtol: bound on the local error of each step of the integration, relative to 1 + the size of the scaled state.
            The relative error of the loss is of the same order, up to a hundred times as much where ‖V*‖² is of order
            1e5; a second run with a tenth of rtol shows it for a given problem.
        reduce: integrate symmetric problems as scalars. False integrates values and logits always.

    Raises:
        ValueError: rtol is not between 1e-13 and 0.01, or is below what the precision of the process can reach.
    """

    clock: ClassVar[Clock] = "time"
    sampled: ClassVar[bool] = False
    needs_key: ClassVar[bool] = False

    rtol: Float[Array, ""]
    reduce: bool = eqx.field(static=True)

    def __init__(self, rtol: Any = 1e-9, reduce: bool = True):
        check_positive("rtol", rtol, 1e-9)
        if not LEAST_RTOL <= rtol <= 1e-2:
            raise ValueError(f"rtol lies between {LEAST_RTOL:g} and 0.01, got rtol={rtol}. For example rtol=1e-9.")
        self.rtol = as_array(rtol)
        finest = _ROUNDINGS * float(jnp.finfo(self.rtol.dtype).eps)
        if rtol < finest:
            raise ValueError(
                f"rtol={rtol:g} is out of reach in {self.rtol.dtype}, which DOCENDO_X64=0 asks for: at least "
                f"{finest:.1g}. Unset DOCENDO_X64, or take dc.GradientFlow(rtol=1e-4)."
            )
        self.reduce = bool(reduce)

    def form(self, problem: Problem) -> str:
        """What is integrated: "scalars", or "values and logits"."""
        return "scalars" if self.reduce and asymmetry(problem) is None else "values and logits"

    def check(self, problem: Problem) -> None:
        if self.form(problem) == "scalars":
            return
        student, law = problem.student, problem.inputs
        if not isinstance(student, PositionOnly):
            scalar = isinstance(student, SymmetricStudent)
            reason = asymmetry(problem) if scalar else f"its student is a {type(student).__name__}"
            raise ValueError(
                "GradientFlow moves a PositionOnly student, or the scalars of a symmetric problem, but of this problem "
                f"{reason}. Take dc.PositionOnly.zeros(teacher), or dc.GradientDescent(0.1)."
            )
        check_compatible(problem.teacher, student, law)
        _check_law(problem)
        unknowns = student.tokens**2 + problem.teacher.value.size
        if unknowns > MOST_DENSE and not student.trains_in_position_basis:
            raise ValueError(
                f"the flow couples all logits where positions are not orthonormal, and {unknowns} unknowns are too "
                f"many (at most {MOST_DENSE}). Take fewer tokens, dc.positions.orthogonal, or dc.GradientDescent(0.1)."
            )

    def start(self, problem: Problem) -> "_ScalarFlow | _FullFlow":
        stride, zero = jnp.asarray(FIRST_STRIDE), jnp.zeros(())
        if self.form(problem) == "scalars":
            profile = profile_of(problem)
            start = scalar_start(problem, profile)
            saturated = bool((profile.sizes == profile.tokens).all() & (start.c1 >= 0))
            return _ScalarFlow(profile, to_flow(start), zero, stride, saturated)
        law: Any = problem.inputs
        student: Any = problem.student
        constants, state = full_start(problem.teacher, student, law)
        return _FullFlow(constants, state, zero, stride)

    def advance(self, problem: Problem, state: Any, begin: Reading | Array, end: Reading | Array) -> Any:
        return _advance(state, jnp.asarray(end, dtype=float), self.rtol)

    def student(self, problem: Problem, state: Any) -> Student:
        return state.student(problem)

    def loss(self, problem: Problem, state: Any) -> Array:
        return _loss(state)

    def measure(self, problem: Problem, state: Any, at: Reading | Array) -> Measures:
        """The measures, and d log L / d log t = t (dL/dt)/L, exact from the gradient."""
        return state.measures(problem) | {"local_exponent": _exponent(state, self.rtol)}

    def time(self, at: Reading) -> float:
        return float(at)

    def settings(self, problem: Problem) -> dict[str, Any]:
        return {"kind": "GradientFlow", "rtol": float(self.rtol), "reduce": self.reduce}

    def advice(self, problem: Problem) -> str:
        return "descent with small steps does what the flow does: try another start, or another rtol"

    def __repr__(self) -> str:
        return f"GradientFlow(rtol={float(self.rtol):g}{'' if self.reduce else ', reduce=False'})"


class _ScalarFlow(eqx.Module):
    """A symmetric problem on its way; `saturated` where every column selects all tokens, so that C1 alone moves."""

    profile: Profile
    state: FlowScalars
    time: Array
    stride: Array
    saturated: bool = eqx.field(static=True)

    @property
    def scalars(self) -> Scalars:
        return from_flow(self.profile, self.state, self.time)

    def integrate(self, end: Array, rtol: Array) -> tuple[FlowScalars, Array]:
        if self.saturated:
            decayed = decay_scalars(self.profile, self.state, self.time, end)
            return jax.tree.map(lambda leaf: leaf[None], decayed), self.stride
        return integrate_scalars(self.profile, self.state, self.time, end[None], rtol, self.stride)

    def loss(self) -> Array:
        return excess(self.profile, self.scalars)

    def exponent(self, rtol: Array) -> Array:
        if self.saturated:
            return self.time * flow_slope(self.profile, self.scalars) / self.loss()
        return flow_exponent(self.profile, self.state, self.time, rtol)

    def student(self, problem: Problem) -> Student:
        return scalar_student(problem, self.profile, self.scalars)

    def measures(self, problem: Problem) -> Measures:
        return scalar_measures(problem, self.profile, self.scalars)


class _FullFlow(eqx.Module):
    """Any other problem on its way."""

    problem: FullProblem
    state: Bordered
    time: Array
    stride: Array

    def integrate(self, end: Array, rtol: Array) -> tuple[Bordered, Array]:
        return integrate_full(self.problem, self.state, self.time, end[None], rtol, self.stride)

    def loss(self) -> Array:
        return full_excess(self.problem, self.state, self.time)

    def exponent(self, rtol: Array) -> Array:
        return full_exponent(self.problem, self.state, self.time, rtol)

    def student(self, problem: Problem) -> Student:
        start: Any = problem.student
        logits = full_logits(self.problem, self.state, self.time)
        value = problem.teacher.value + full_values(self.problem, self.state, self.time)
        moved = (logits - self.problem.start_logits) / self.problem.logit_scale
        if start.positions is not None:
            back = jnp.linalg.pinv(start.positions)
            moved = back.T @ moved @ back
        return start.with_parameters({"value": value, "key_query": start.key_query + moved})

    def measures(self, problem: Problem) -> Measures:
        """As for any student, with what is small taken from differences."""
        return measures(problem, self.student(problem)) | _precise(self)


@eqx.filter_jit
def _advance(flow: Any, end: Array, rtol: Array) -> Any:
    reached, stride = flow.integrate(end, rtol)
    state = jax.tree.map(lambda leaf: leaf[0], reached)
    return eqx.tree_at(lambda each: (each.state, each.time, each.stride), flow, (state, end, stride))


@eqx.filter_jit
def _loss(flow: Any) -> Array:
    return flow.loss()


@eqx.filter_jit
def _exponent(flow: Any, rtol: Array) -> Array:
    # log t has no meaning at time 0.
    return jnp.where(flow.time > 0, flow.exponent(rtol), jnp.nan)


@eqx.filter_jit
def _precise(flow: _FullFlow) -> Measures:
    values = full_values(flow.problem, flow.state, flow.time)
    scores = full_differences(flow.problem, flow.state, flow.time).scores
    return {
        "excess_loss": flow.loss(),
        "value_error": jnp.linalg.norm(values),
        "score_error": jnp.linalg.norm(scores),
    }


def _check_law(problem: Problem) -> None:
    law, teacher = problem.inputs, problem.teacher
    known = (
        isinstance(law, Factored)
        and (teacher.activation.is_linear or law.is_gaussian)
        and law.mean_matrix(teacher.features, teacher.tokens) is None
    )
    if not known:
        raise ValueError(
            "GradientFlow knows the loss under Gaussian inputs of mean zero (under any centred ones for the identity), "
            f"got {law!r} with {teacher.activation!r}. Take dc.GradientDescent(0.1) or dc.Online."
        )
