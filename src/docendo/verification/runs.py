"""The runs of one sweep, each made once, however many claims are judged on it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from docendo.activations import LeakyReLU, leaky_relu
from docendo.inputs import Gaussian
from docendo.population.certificate import certificate
from docendo.population.loss import excess_loss
from docendo.steps import log_spaced
from docendo.students.base import Student
from docendo.students.position_only import PositionOnly
from docendo.students.symmetric import SymmetricStudent
from docendo.teachers.base import Teacher
from docendo.teachers.random import random
from docendo.teachers.symmetric import symmetric
from docendo.theory.curve import Curve, Family
from docendo.training.flow_scalars import flow_curve
from docendo.training.gradient_descent import GradientDescent
from docendo.training.reduced import Reduced
from docendo.training.run import Run, train
from docendo.training.scalars import Profile, Scalars
from docendo.verification.planning import (
    Variables,
    base_point,
    descent_steps,
    flow_rate,
    flow_times,
    full_point,
    grid,
    onset,
    structure_points,
)
from docendo.verification.quantities import DERIVED, all_quantities
from docendo.verification.settings import Settings

__all__ = ["Report", "Runs", "reduced_flows"]

MOST_REDUCED_STEPS = 10**8
MOST_FULL_STEPS = 10**6
STRUCTURE_STEPS = 10**5
SAVES = 100
STRUCTURE_SAVES = 60
# So many flows run at once; the last batch is filled up, so that sweeps of all sizes share one compiled program.
BATCH = 36

Report = Callable[[], None]
Values = Mapping[str, np.ndarray]


class Recorded(NamedTuple):
    """What one run recorded; `onset` is the first T that counts for limits, `begin` the first that counts at all."""

    variables: Variables
    steps: np.ndarray
    values: Values
    exponents: np.ndarray | None
    onset: float
    begin: float
    source: str

    def curve(self, name: str, early: bool) -> Curve:
        """One quantity, from the beginning or from the onset on."""
        kept = self.steps >= (self.begin if early else max(self.begin, self.onset)) * (1 - 1e-12)
        exponents = self.exponents[kept] if self.exponents is not None and name == "excess_loss" else None
        return Curve(self.variables, self.steps[kept], self.values[name][kept], exponents, self.source)


class Runs:
    """Runs over the sweep of some settings.

    Args:
        settings: the sweep.
        report: called whenever a run is done; all flows are one.
    """

    def __init__(self, settings: Settings, report: Report):
        self.settings, self._report = settings, report

    def family(self, kind: str, name: str, early: bool) -> Family:
        """The curves of one quantity along the runs of one kind: flows, rates, shapes or structure."""
        recorded: Sequence[Recorded] = getattr(self, kind)
        return [each.curve(name, early) for each in recorded]

    @cached_property
    def flows(self) -> list[Recorded]:
        """Reduced flows over D, K, V, tau and kappa, all at once."""
        points = grid(self.settings, ("D", "K", "V", "kappa", "tau"))
        made = reduced_flows(points, flow_times(self.settings, points), flow_rate(self.settings))
        self._report()
        return made

    @cached_property
    def rates(self) -> list[Recorded]:
        """Reduced descent at each learning rate."""
        etas = self.settings.values("eta")
        point = base_point(self.settings, max(etas))
        plans = [(eta, descent_steps(self.settings, point, eta, MOST_REDUCED_STEPS, "descent")) for eta in etas]
        return [self._reduced(point | {"eta": eta}, *plan) for eta, plan in plans]

    @cached_property
    def shapes(self) -> list[Recorded]:
        """Full descent over M and d at one ‖V*‖_F."""
        point = full_point(self.settings)
        first, last = descent_steps(self.settings, point, point["eta"], MOST_FULL_STEPS, "full descent")
        shapes = [{"M": m, "d": d} for m in self.settings.values("M") for d in self.settings.values("d")]
        return [self._full(point | shape, seed, first, last) for seed, shape in enumerate(shapes)]

    @cached_property
    def structure(self) -> list[Recorded]:
        """Full descent over small D and K, and kappa, with what only it can show."""
        points = structure_points(self.settings)
        return [self._full(point, seed, 1, STRUCTURE_STEPS, closely=True) for seed, point in enumerate(points)]

    def _reduced(self, point: Variables, first: int, last: int) -> Recorded:
        activation = leaky_relu(point["kappa"])
        teacher = symmetric(int(point["D"]), int(point["K"]), point["V"], activation)
        student = SymmetricStudent.zeros(teacher, logit_scale=point["tau"])
        run = train(teacher, student, Reduced(point["eta"]), last, save_at=log_spaced(SAVES))
        return self._recorded(point, run, first, "reduced descent")

    def _full(self, point: Variables, seed: int, first: int, last: int, closely: bool = False) -> Recorded:
        teacher = _teacher(point, seed)
        student = PositionOnly.zeros(teacher, logit_scale=point["tau"])
        saves = log_spaced(STRUCTURE_SAVES if closely else SAVES)
        observe = _certified_share(teacher) if closely else None
        run = train(teacher, student, GradientDescent(point["eta"]), last, save_at=saves, observe=observe)
        return self._recorded(point, run, first, "full descent")

    def _recorded(self, point: Variables, run: Run, first: int, source: str) -> Recorded:
        if run.status == "interrupted":
            raise KeyboardInterrupt
        if run.status in ("diverged", "non_finite"):
            raise ValueError(f"a {source} at eta={point['eta']:g} ended: {run.status.message}")
        self._report()
        data = run.data.isel(step=run.data.step > 0)
        known = {str(name): np.asarray(each, dtype=float) for name, each in data.items() if each.dims == ("step",)}
        values = known | _derived(point, known["c1"], known["gap"])
        begin = 1 if self.settings.window is None else self.settings.window[0]
        steps = np.asarray(data.step, dtype=float)
        return Recorded(point, steps, values, known["local_exponent"], first, begin, source)


def reduced_flows(points: Sequence[Variables], times: np.ndarray, eta: float) -> list[Recorded]:
    """Flows of symmetric problems from zero, compiled and run as one.

    Args:
        points: D, K, V, tau and kappa of each.
        times: (points, saves) ηT.
        eta: what turns time into steps.
    """
    columns = {name: np.array([float(point[name]) for point in points]) for name in ("D", "K", "V", "tau", "kappa")}
    values = _in_batches(columns, times)
    return [
        Recorded(
            {"eta": eta} | point,
            times[i] / eta,
            {name: each[i] for name, each in values.items()},
            None,
            onset(point) / eta,
            0.0,
            "flow",
        )
        for i, point in enumerate(points)
    ]


def _in_batches(columns: Mapping[str, np.ndarray], times: np.ndarray) -> Values:
    count = len(times)
    rows = np.minimum(np.arange(-(-count // BATCH) * BATCH), count - 1).reshape(-1, BATCH)
    batches = [
        _flow_values({name: jnp.asarray(column[some]) for name, column in columns.items()}, jnp.asarray(times[some]))
        for some in rows
    ]
    return jax.tree.map(lambda *parts: np.concatenate(parts)[:count], *batches)


@jax.jit
def _flow_values(columns: dict[str, Array], times: Array) -> dict[str, Array]:
    def along(point: dict[str, Array], moments: Array) -> dict[str, Array]:
        profile = _profile(point)
        return jax.vmap(lambda state: all_quantities(profile, state))(flow_curve(profile, moments))

    return jax.vmap(along)(columns, times)


def _profile(point: Mapping[str, Any]) -> Profile:
    tokens, size, norm, scale = (jnp.asarray(point[name], dtype=float) for name in ("D", "K", "V", "tau"))
    return Profile(tokens, size[None], tokens[None], norm, scale, LeakyReLU(point["kappa"]))


def _derived(point: Variables, c1: np.ndarray, gaps: np.ndarray) -> dict[str, np.ndarray]:
    profile = _profile(point)
    scalars = Scalars(jnp.asarray(c1), jnp.asarray(c1 - 1), jnp.asarray(gaps)[:, None])
    derive = {name: jax.vmap(lambda state, each=each: each(profile, state)) for name, each in DERIVED.items()}
    return {name: np.asarray(along(scalars)) for name, along in derive.items()}


def _teacher(point: Variables, seed: int) -> Teacher:
    """A random teacher of the sizes and the ‖V*‖_F of a point."""
    sizes = {"features": int(point["d"]), "channels": int(point["M"])}
    activation = leaky_relu(point["kappa"])
    drawn = random(int(point["D"]), sparsity=int(point["K"]), activation=activation, seed=seed, **sizes)
    return Teacher(drawn.value * (point["V"] / drawn.value_norm), drawn.scores, activation)


def _certified_share(teacher: Teacher) -> Mapping[str, Callable[[Student], Any]]:
    """The exact excess loss under a law with correlated tokens, over its certificate; 1 for the identity."""
    law = Gaussian(token_covariance=(np.eye(teacher.tokens) + 1) / 2)
    return {"certified_share": lambda student: _share(teacher, student, law)}


@eqx.filter_jit
def _share(teacher: Teacher, student: Student, law: Gaussian) -> Array:
    return excess_loss(teacher, student, law) / certificate(teacher, student, law)
