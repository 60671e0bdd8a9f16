"""The phase portrait of training from zero: the two numbers it comes down to, C1 and the gap g between logits.

Arrows show where the flow goes, at one length wherever it goes: C1 relaxes much faster than g, so most lie flat. On
the nullclines one of the two stands still. Late in training C1 follows its nullcline, the slow manifold, while g grows
like ½ log T: that is the 1/T law. On it C1 − 1 is about R e^(−g), R = (D − K)/K, for the identity; the second panel
shows it.
"""

from collections.abc import Mapping
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array
from numpy.typing import NDArray

from docendo.figures import Curve, Curves, Figure
from docendo.inputs import white
from docendo.teachers.base import Teacher
from docendo.training.base import Problem
from docendo.training.flow_scalars import scalar_velocity
from docendo.training.run import Run
from docendo.training.scalars import Profile, Scalars
from docendo.training.symmetry import asymmetry, profile_of

__all__ = ["phase_portrait"]

Numbers = NDArray[np.float64]

ARROWS = 17
HEAD = 0.35
GAPS = 240
HALVINGS = 60
LARGEST_C1 = 4.0
DEPTH = 1e3


def phase_portrait(runs: Mapping[str, Run]) -> Figure:
    """Draw runs of one problem in the plane of C1 and g, over its flow.

    Args:
        runs: by name, for example of `docendo.Reduced` at several learning rates; all from the same start on the same
            teacher, whose columns have one support size.

    Raises:
        ValueError: no run is given, or the problem is not one of two scalars.
    """
    profile = _profile(runs)
    odds = float(profile.odds[0])
    top = float(np.log(DEPTH * odds))
    levels = np.linspace(1e-3, top, GAPS)
    values, gaps = _nullclines(profile, levels)
    width = 1.1 * max(1.0, np.nanmax(values), *(float(run.data.c1.max()) for run in runs.values()))
    still = _within(width, {"C1 stands still: the slow manifold": values, "g stands still": gaps}, levels)
    field = _field(profile, width, top)
    paths = [Curve(name, run.data.c1.values, np.minimum(run.data.gap.values, top)) for name, run in runs.items()]
    plane = Curves("Phase plane", "C1", "gap g", [field, *still, *paths], x_log=False, y_log=False)
    caption = (
        f"Training from zero in the plane of C1 and g, D = {float(profile.tokens):g}, K = {float(profile.sizes[0]):g}, "
        f"‖V*‖ = {float(profile.value_norm):.3g}. Whatever the learning rate, runs fall onto the curve where C1 stands "
        "still, and go up along it, e^g growing like √T. Right: its end, where C1 − 1 falls like (D − K)/K e^(−g)."
    )
    return Figure("phase_portrait", "The phase portrait of training", caption, [plane, _end(runs, odds)])


def _profile(runs: Mapping[str, Run]) -> Profile:
    if not runs:
        raise ValueError("a phase portrait shows at least one run, got none. Try {'η = 0.1': run}.")
    run = next(iter(runs.values()))
    problem = Problem(cast(Teacher, run.teacher), run.start, white, None, None)
    reason = asymmetry(problem) or ("its columns differ in K" if run.teacher.sparsity is None else None)
    if reason:
        raise ValueError(f"a phase portrait needs a problem of two scalars, but of this one {reason}. Try run.plot().")
    return profile_of(problem)


def _velocity(profile: Profile, c1: Array, gap: Array) -> tuple[Array, Array]:
    velocity = scalar_velocity(profile, Scalars(c1, c1 - 1, gap[None]))
    return velocity.value, velocity.gaps[0]


def _field(profile: Profile, width: float, top: float) -> Curve:
    """Arrows of one length on a grid, each a shaft and two strokes of a head, parted by missing points."""
    x, y = np.meshgrid(np.linspace(0.03, 0.97, ARROWS), np.linspace(0.03, 0.97, ARROWS), indexing="ij")
    there = jax.vmap(lambda a, b: _velocity(profile, a, b))(
        jnp.asarray(x.ravel() * width), jnp.asarray(y.ravel() * top)
    )
    along = np.stack([np.asarray(there[0]) / width, np.asarray(there[1]) / top])
    along = along / np.maximum(np.linalg.norm(along, axis=0), 1e-300) * 0.6 / ARROWS
    start = np.stack([x.ravel(), y.ravel()]) - along / 2
    tip, across = start + along, np.stack([-along[1], along[0]])
    barbs = [tip - HEAD * along + side * HEAD * across for side in (1, -1)]
    missing = np.stack([tip[0], np.full_like(tip[1], np.nan)])
    strokes = np.stack([start, tip, barbs[0], tip, barbs[1], missing], axis=2).reshape(2, -1)
    return Curve("the flow", strokes[0] * width, strokes[1] * top, "reference")


def _nullclines(profile: Profile, gaps: Numbers) -> tuple[Numbers, Numbers]:
    """C1 at which it stands still, and at which g does, for each g; NaN where there is none up to `LARGEST_C1`."""
    which = jax.vmap(lambda gap: jnp.stack([_root(profile, gap, 0), _root(profile, gap, 1)]))(jnp.asarray(gaps))
    return np.asarray(which[:, 0]), np.asarray(which[:, 1])


def _root(profile: Profile, gap: Array, component: int) -> Array:
    def falling(c1: Array) -> Array:
        return _velocity(profile, c1, gap)[component]

    def halve(_: Array, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        middle = (ends[0] + ends[1]) / 2
        rises = falling(middle) > 0
        return jnp.where(rises, middle, ends[0]), jnp.where(rises, ends[1], middle)

    low, high = jnp.asarray(1e-6), jnp.asarray(LARGEST_C1)
    found = jax.lax.fori_loop(0, HALVINGS, halve, (low, high))[0]
    return jnp.where((falling(low) > 0) & (falling(high) < 0), found, jnp.nan)


def _within(width: float, still: Mapping[str, Numbers], gaps: Numbers) -> list[Curve]:
    kept = {name: np.isfinite(c1) & (c1 < width) for name, c1 in still.items()}
    return [Curve(name, c1[kept[name]], gaps[kept[name]], "dashed") for name, c1 in still.items()]


def _end(runs: Mapping[str, Run], odds: float) -> Curves:
    """|C1 − 1| against e^g."""
    curves = []
    for name, run in runs.items():
        late = run.data.gap.values > np.log(odds)
        shift = run.data.value_error.values / float(run.teacher.value_norm)
        curves.append(Curve(name, np.exp(run.data.gap.values[late]), shift[late]))
    end = max(float(np.asarray(curve.x)[-1]) for curve in curves)
    reach = np.geomspace(odds, end, 30)
    curves.append(Curve("(D − K)/K e^(−g)", reach, odds / reach, "dashed"))
    return Curves("The slow manifold", "e^g", "|C1 − 1|", curves)
