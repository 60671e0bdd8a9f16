"""Stiff gradient flows that end in power laws, integrated in logarithmic time.

Along the flows of docendo whatever is still moving late falls like t^(−1/2), while the rest relaxes at constant rates:
stiff by a factor of order t. Two changes of variables make that easy. Time becomes s = log(1 + t/t₀), and what falls is
measured in units of ε(t) = (1 + 2 a t)^(−1/2), so that it tends to constants. So steps grow until a decade costs a few,
tolerances mean the same at every t, and what is small keeps its relative accuracy however small it gets. t₀ and a are
scales of the problem; results do not depend on them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import diffrax
import jax
import jax.numpy as jnp
from jaxtyping import Array

from docendo.training.rosenbrock import Factorise, Rodas5P, implicit_euler

__all__ = ["FIRST_STRIDE", "LogClock", "integrate", "settled"]

# The step in s to try where nothing is known yet.
FIRST_STRIDE = 1e-6
LONGEST_SETTLING = 1e-6
SETTLING = 1e-5


class LogClock(NamedTuple):
    """t₀ and a."""

    unit: Array
    fade: Array

    @classmethod
    def of_rates(cls, relaxation: Array, fade: Array) -> "LogClock":
        """The clock whose unit is the shorter of 1/(2a) and one relaxation time."""
        return cls(jnp.minimum(1 / relaxation, 0.5 / fade), fade)

    def log_time(self, time: Array) -> Array:
        """s."""
        return jnp.log1p(time / self.unit)

    def time(self, log_time: Array) -> Array:
        """t."""
        return self.unit * jnp.expm1(log_time)

    def pace(self, time: Array) -> Array:
        """dt/ds."""
        return self.unit + time

    def log_scale(self, time: Array) -> Array:
        """log ε."""
        return -0.5 * jnp.log1p(2 * self.fade * time)

    def fading(self, time: Array) -> Array:
        """−d log ε/dt."""
        return self.fade / (1 + 2 * self.fade * time)


def integrate(
    field: Callable[[Any, Any, Any], Any],
    solver: Rodas5P,
    clock: LogClock,
    state: Any,
    args: Any,
    begin: Array,
    times: Array,
    rtol: Array,
    stride: Array,
    most_steps: int,
) -> tuple[Any, Array]:
    """The states at increasing `times` from the one at `begin`, and the mean step in s.

    Args:
        field: (s, state, args) → d state/ds.
        solver: with the factorisation that suits the Jacobian.
        clock: what s is.
        state: at `begin`, scaled to be of order 1.
        args: passed on.
        begin: t there.
        times: t to return the state at; every one is the end of a step, nothing is interpolated.
        rtol: bound of a step's local error relative to 1 + |state|, root mean square over its entries.
        stride: the step in s to try first.
        most_steps: after how many the solver gives up, rejected ones included.

    Returns:
        The states, stacked; not numbers where the solver gave up.
    """
    first, stops = clock.log_time(begin), clock.log_time(times)
    control = diffrax.PIDController(rtol=rtol, atol=rtol)
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(field),
        solver,
        first,
        stops[-1],
        jnp.minimum(stride, stops[-1] - first),
        state,
        args=args,
        saveat=diffrax.SaveAt(ts=stops),
        stepsize_controller=diffrax.ClipStepSizeController(control, step_ts=stops),
        max_steps=most_steps,
        throw=False,
    )
    failed = solution.result != diffrax.RESULTS.successful
    reached = jax.tree.map(lambda leaf: jnp.where(failed, jnp.nan, leaf), solution.ys)
    return reached, (stops[-1] - first) / jnp.maximum(solution.stats["num_accepted_steps"], 1)


def settled(
    field: Callable[[Any, Any, Any], Any],
    factorise: Factorise,
    clock: LogClock,
    state: Any,
    args: Any,
    time: Array,
    rtol: Array,
) -> tuple[Any, Array]:
    """A state on the same path a moment later, t (1 + 1e-6) at most, from which errors in what is fast are gone.

    An integrated state may be off by rtol in what relaxes fast. The velocity there is then off by rtol times the rate,
    which late in a run is more than what is left of it, the slow part. One implicit step, short for the slow part and
    long for the fast one, restores it. Early, where nothing of the kind matters, the step is shorter still.
    """
    size = jnp.minimum(LONGEST_SETTLING, SETTLING * rtol * time / clock.unit)
    size = jnp.where(size > 0, size, LONGEST_SETTLING)
    log_time = clock.log_time(time)
    later = implicit_euler(lambda at: field(log_time, at, args), state, size, factorise)
    moved = time > 0
    kept = jax.tree.map(lambda new, old: jnp.where(moved, new, old), later, state)
    return kept, jnp.where(moved, clock.time(log_time + size), time)
