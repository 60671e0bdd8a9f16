"""The runs a claim is judged on, as families of curves."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

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
from docendo.teachers.base import Teacher
from docendo.teachers.random import random
from docendo.theory.judge import Curve
from docendo.training.flow_scalars import flow_curve
from docendo.training.gradient_descent import GradientDescent
from docendo.training.run import Run, train
from docendo.training.scalars import Profile
from docendo.verification.quantities import QUANTITIES
from docendo.verification.settings import Settings

__all__ = ["Report", "descents", "flows", "full_descents", "onset"]

FLOW_POINTS = 120
FLOW_REACH = 1e10
DESCENT_STEPS = 10**6
FULL_STEPS = 10**5
SAVES = 160

Report = Callable[[str], None]
Variables = dict[str, float]


def flows(settings: Settings, names: Sequence[str]) -> dict[str, list[Curve]]:
    """Reduced flows over the sweep of D, K, V, tau and kappa, all at once.

    Raises:
        ValueError: the T that the user allows ends before a run of the sweep becomes asymptotic.
    """
    points = _grid(settings, ("D", "K", "V", "kappa", "tau"))
    starts = np.array([onset(point) for point in points])
    ends = starts * FLOW_REACH
    if settings.window is not None:
        starts, ends = np.maximum(starts, settings.window[0]), np.full(len(points), settings.window[1])
        _check_reach(points, starts, ends)
    times = np.geomspace(starts, ends, FLOW_POINTS, axis=1)
    values = _flow_values(_profiles(points), jnp.asarray(times))
    return {
        name: [Curve(point, times[i], np.asarray(values[name][i])) for i, point in enumerate(points)] for name in names
    }


def onset(point: Mapping[str, float]) -> float:
    """The time ηT from which the late equation of the gap, e^(2g) = 2 a t, rules: when e^g reaches D/K.

    a = τ²‖V*‖²(α+β) D/K³; the relaxation time of C1, K/((α+β) D), is added.
    """
    moment = (1 + point["kappa"] ** 2) / 2
    rate = (point["tau"] * point["V"]) ** 2 * moment * point["D"] / point["K"] ** 3
    return (point["D"] / point["K"]) ** 2 / (2 * rate) + point["K"] / (moment * point["D"])


def descents(settings: Settings, names: Sequence[str], report: Report) -> dict[str, list[Curve]]:
    """Plain descent at each learning rate, at the smallest D, K and V of the sweep."""
    base = min(_grid(settings, ("D", "K", "V", "kappa", "tau")), key=lambda point: (point["D"], point["K"], point["V"]))
    teacher = _teacher(base, 0)
    runs = []
    for eta in settings.values("eta"):
        report(f"descent at eta = {eta:g}")
        student = PositionOnly.zeros(teacher, logit_scale=base["tau"])
        run = train(teacher, student, GradientDescent(eta), steps=DESCENT_STEPS, save_at=_late(base, eta))
        runs.append((base | {"eta": eta}, run))
    return {name: [_curve(variables, run, name) for variables, run in runs] for name in names}


def full_descents(settings: Settings, names: Sequence[str], report: Report) -> dict[str, list[Curve]]:
    """Full gradient descent from random teachers over D, K, M, d, V, eta and kappa, at small sizes."""
    points = _grid(settings, ("D", "K", "M", "d", "V", "eta", "kappa", "tau"))
    runs = []
    for seed, point in enumerate(points):
        report(f"full descent {seed + 1} of {len(points)}")
        teacher = _teacher(point, seed)
        observe = {"certified_share": _share_of(teacher)} if "certified_share" in names else None
        student = PositionOnly.zeros(teacher, logit_scale=point["tau"])
        save_at = _late(point, point["eta"]) if "certified_share" not in names else log_spaced(SAVES)
        runs.append(
            (
                point,
                train(teacher, student, GradientDescent(point["eta"]), FULL_STEPS, save_at=save_at, observe=observe),
            )
        )
    return {name: [_curve(variables, run, name) for variables, run in runs] for name in names}


def _grid(settings: Settings, names: Iterable[str]) -> list[Variables]:
    """Every combination with K < D; eta is 1 unless it is asked for, since a flow's time is ηT."""
    swept = [name for name in names if name != "tau" or "tau" in settings.over]
    combinations = itertools.product(*(settings.values(name) for name in swept))
    points = [dict(zip(swept, values, strict=True)) for values in combinations]
    kept = [{"eta": 1.0} | point for point in points if point["K"] < point["D"]]
    return [point | {"tau": settings.logit_scale(point)} for point in kept]


def _check_reach(points: Sequence[Variables], starts: np.ndarray, ends: np.ndarray) -> None:
    late = ends < 100 * starts
    if late.any():
        worst = int(np.argmax(starts))
        place = ", ".join(f"{name}={points[worst][name]:g}" for name in ("D", "K", "V"))
        raise ValueError(
            f"{int(late.sum())} of {len(points)} runs do not become asymptotic by T = {ends[0]:.3g}. The slowest, {place}, "
            f"needs T ≥ {100 * starts[worst]:.3g}: leave T out, or narrow the ranges."
        )


def _profiles(points: Sequence[Variables]) -> Profile:
    column = {name: jnp.array([float(point[name]) for point in points]) for name in ("D", "K", "V", "tau", "kappa")}
    return Profile(
        tokens=column["D"],
        sizes=column["K"][:, None],
        counts=column["D"][:, None],
        value_norm=column["V"],
        logit_scale=column["tau"],
        activation=LeakyReLU(column["kappa"]),
    )


@eqx.filter_jit
def _flow_values(profiles: Profile, times: Array) -> dict[str, Array]:
    def along(profile: Profile, moments: Array) -> dict[str, Array]:
        scalars = flow_curve(profile, moments)
        return {
            name: jax.vmap(lambda state, quantity=quantity: quantity(profile, state))(scalars)
            for name, quantity in QUANTITIES.items()
        }

    return jax.vmap(along)(profiles, times)


def _teacher(point: Variables, seed: int) -> Teacher:
    """A random teacher of the sizes and the ‖V*‖_F of a point."""
    sizes = {"features": int(point.get("d", 3)), "channels": int(point.get("M", 2))}
    activation = leaky_relu(point["kappa"])
    drawn = random(int(point["D"]), sparsity=int(point["K"]), activation=activation, seed=seed, **sizes)
    return Teacher(drawn.value * (point["V"] / drawn.value_norm), drawn.scores, activation)


def _late(point: Variables, eta: float) -> Any:
    return log_spaced(SAVES, first=max(1, round(onset(point) / eta)))


def _curve(variables: Variables, run: Run, name: str) -> Curve:
    data = run.data
    known = {"c1_error": lambda: abs(data.c1 - 1), "squared_odds": lambda: np.exp(2 * data.gap)}
    values = np.asarray(known[name]() if name in known else data[name], dtype=float)
    exponents = np.asarray(data.local_exponent) if name == "excess_loss" else None
    return Curve(variables, np.asarray(data.step, dtype=float), values, exponents)


def _share_of(teacher: Teacher) -> Callable[[Student], Any]:
    """The exact excess loss under a law with correlated tokens, over its certificate; 1 for the identity."""
    law = Gaussian(token_covariance=(np.eye(teacher.tokens) + 1) / 2)
    return lambda student: excess_loss(teacher, student, law) / certificate(teacher, student, law)
