"""The gradient flow of the scalars: gradient descent with η → 0 at fixed t = ηT, for symmetric problems.

dC1/dt = −∂L/∂C1 / ‖V*‖² and dg/dt = −τ² (∂L/∂ℓ inside − outside), both from `docendo.training.scalars`. In the
variables of `docendo.training.log_time`

    x̂ = (C1 − 1)/ε,  ĝ = g + log ε,  a = τ² ‖V*‖² (α+β) D/K³     (K: harmonic mean over the columns)

since g's own late equation is dg/dt = a e^(−2g) for equal K; C1 relaxes at the rate (α+β) D/K.

The flow leaves C1 = 0 to the side that the first step of descent takes, C1 > 0, and never comes back. Measured over
problems from D = 8 to 10⁶: the relative error of the loss is of the order of `rtol`, up to a hundred times as much
where ‖V*‖² is of order 10⁵ and the gap opens within a sliver of the time that has passed.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.training.log_time import FIRST_STRIDE, LogClock, integrate, settled
from docendo.training.rosenbrock import Rodas5P, dense
from docendo.training.scalars import Profile, Pull, Scalars, excess, pull, start_scalars

__all__ = [
    "FlowScalars",
    "decay_scalars",
    "flow_curve",
    "flow_exponent",
    "flow_slope",
    "from_flow",
    "integrate_scalars",
    "scalar_velocity",
    "to_flow",
]

# Just right of zero, to rounding: the velocity has a jump at C1 = 0, where the flow starts.
LEAST_C1 = 2.0**-52
MOST_STEPS = 200_000


class FlowScalars(NamedTuple):
    """The state: x̂ and ĝ."""

    shift: Float[Array, ""]
    gaps: Float[Array, " k"]


def to_flow(scalars: Scalars) -> FlowScalars:
    """The flow's state at t = 0."""
    return FlowScalars(jnp.where(scalars.c1 == 0, LEAST_C1 - 1, scalars.shift), scalars.gaps)


def from_flow(profile: Profile, state: FlowScalars, time: Array) -> Scalars:
    """The scalars that the flow's state at time t stands for."""
    log_scale = _clock(profile).log_scale(time)
    shift = state.shift * jnp.exp(log_scale)
    return Scalars(1 + shift, shift, state.gaps - log_scale)


def scalar_velocity(profile: Profile, scalars: Scalars) -> Pull:
    """dC1/dt and dg/dt."""
    slopes = pull(profile, scalars)
    return Pull(-slopes.value, -((profile.logit_scale * profile.value_norm) ** 2) * slopes.gaps)


def flow_slope(profile: Profile, scalars: Scalars) -> Float[Array, ""]:
    """dL/dt = −‖∇L‖²: −‖V*‖² (dC1/dt)² − Σ_columns (K (D−K)/D) (dg/dt)²/τ²."""
    velocity = scalar_velocity(profile, scalars)
    metric = profile.counts * profile.sizes * (profile.tokens - profile.sizes) / profile.tokens
    by_logit = (metric * (velocity.gaps / profile.logit_scale) ** 2).sum()
    return -((profile.value_norm * velocity.value) ** 2) - by_logit


def flow_exponent(profile: Profile, state: FlowScalars, time: Array, rtol: Array) -> Float[Array, ""]:
    """d log L/d log t at time t, from the gradient at the settled state."""
    there, then = settled(_field, dense, _clock(profile), state, profile, time, rtol)
    scalars = from_flow(profile, there, then)
    return then * flow_slope(profile, scalars) / excess(profile, scalars)


def integrate_scalars(
    profile: Profile, state: FlowScalars, begin: Array, times: Array, rtol: Array, stride: Array
) -> tuple[FlowScalars, Array]:
    """The states at increasing `times` from the one at `begin`, and the mean step in s."""
    return integrate(_field, Rodas5P(), _clock(profile), state, profile, begin, times, rtol, stride, MOST_STEPS)


def decay_scalars(profile: Profile, state: FlowScalars, begin: Array, end: Array) -> FlowScalars:
    """The flow where K = D in every column and C1 ≥ 0, in closed form: x falls by e^(−(α+β) Σ_i (1/K_i) t)."""
    clock = _clock(profile)
    rate = profile.activation.second_moment * (profile.counts / profile.sizes).sum()
    rescale = clock.log_scale(end) - clock.log_scale(begin)
    return FlowScalars(state.shift * jnp.exp(-rate * (end - begin) - rescale), state.gaps + rescale)


@eqx.filter_jit
def flow_curve(profile: Profile, times: Any, rtol: Any = 1e-9) -> Scalars:
    """The scalars of the flow from zero at increasing `times` ηT; a function to vmap over profiles."""
    points, begin = jnp.asarray(times, dtype=float), jnp.zeros(())
    start = to_flow(start_scalars(profile))
    states, _ = integrate_scalars(profile, start, begin, points, jnp.asarray(rtol), jnp.asarray(FIRST_STRIDE))
    return jax.vmap(lambda state, time: from_flow(profile, state, time))(states, points)


def _clock(profile: Profile) -> LogClock:
    relaxation = profile.activation.second_moment * (profile.counts / profile.sizes).sum()
    size = profile.counts.sum() / (profile.counts / profile.sizes).sum()
    strength = (profile.logit_scale * profile.value_norm) ** 2 * profile.activation.second_moment
    return LogClock.of_rates(relaxation, strength * profile.tokens / size**3)


def _field(log_time: Array, state: FlowScalars, profile: Profile) -> FlowScalars:
    clock = _clock(profile)
    time = clock.time(log_time)
    velocity = scalar_velocity(profile, from_flow(profile, state, time))
    shift = velocity.value * jnp.exp(-clock.log_scale(time)) + clock.fading(time) * state.shift
    pace = clock.pace(time)
    return FlowScalars(pace * shift, pace * (velocity.gaps - clock.fading(time)))
