"""The few numbers that training from zero comes down to when every column of S* is uniform on its support.

By symmetry W_V = C1 V* throughout, and a column with support size K has two logit values, g apart (arXiv 2603.22801,
Lemma D.2; g = τ (C2 + C3)); columns with equal K move alike. So the state is C1 and one gap per distinct K, whatever
the number of tokens, features and channels. With R = (D − K)/K write

    i = K s_in = 1 / (1 + R e^(−g))      mass on the support
    o = K s_out = 1 / (e^g + R)          mass of one token off the support, in units of 1/K
    x = C1 − 1,  ς = sign C1,  tan ϑ = √R o / i,  ϑ in [0, π/2): the angle of the columns (θ = ϑ, or π − ϑ if C1 < 0)

With α, β of `docendo.activations`, and every term written so that nothing cancels near the optimum (x, o → 0), the
excess loss is ‖V*‖² Σ_columns e and its derivatives are, per column and in units of ‖V*‖²,

    e       = (1/K) { (α+β)/2 [ (x i − R o)² + R C1² o² ] + β (C1 − |C1|) i − (2β/π) |C1| i (tan ϑ − ϑ) }
    ∂e/∂C1  = (1/K) { (α+β) [ (x i − R o) i + R C1 o² ] + β (1 − ς) i − (2β/π) ς i (tan ϑ − ϑ) }
    ∂e/∂ℓ   : its inside minus its outside value is D i o C1 / K³ times
              (α+β) (x i − R o − C1 o) + β (1 − ς) + (2β/π) ς [ ϑ − sin ϑ cos ϑ + √R o² / (i² + R o²) ].

Where K = D nothing is outside, and the gap, which means nothing, stays put. At C1 = 0, ς = 0 is the convention
σ'(0) = (1+κ)/2: the first step from zero is C1 = η α Σ s_in.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation

__all__ = ["Profile", "Pull", "Scalars", "angle_parts", "excess", "pull", "start_scalars"]

ANGLE_SERIES_BELOW = 0.3
ANGLE_SERIES_TERMS = 14


class Profile(eqx.Module):
    """All that the scalars depend on; arrays, so that whole sweeps of problems can be traced.

    Attributes:
        tokens: D.
        sizes: the distinct support sizes K.
        counts: how many columns have each.
        value_norm: ‖V*‖_F.
        logit_scale: τ.
        activation: σ.
    """

    tokens: Float[Array, ""]
    sizes: Float[Array, " k"]
    counts: Float[Array, " k"]
    value_norm: Float[Array, ""]
    logit_scale: Float[Array, ""]
    activation: Activation

    @property
    def odds(self) -> Float[Array, " k"]:
        """R = (D − K)/K."""
        return (self.tokens - self.sizes) / self.sizes


class Scalars(NamedTuple):
    """The state: C1, its distance x = C1 − 1 from the optimum, and the gaps g.

    C1 and x are carried side by side, because each is precise where the other is not.
    """

    c1: Float[Array, ""]
    shift: Float[Array, ""]
    gaps: Float[Array, " k"]


class Pull(NamedTuple):
    """The gradient in units of ‖V*‖²: by C1, and by the logits of a column, inside minus outside."""

    value: Float[Array, ""]
    gaps: Float[Array, " k"]


def start_scalars(profile: Profile) -> Scalars:
    """The zero start."""
    return Scalars(jnp.zeros(()), -jnp.ones(()), jnp.zeros_like(profile.sizes))


class _Column(NamedTuple):
    """i, o, x i − R o, i (tan ϑ − ϑ) and ϑ − sin ϑ cos ϑ + √R o²/(i² + R o²) of a column; the last two 0 for κ = 1."""

    inside: Array
    outside: Array
    miss: Array
    bend: Array
    turn: Array


def _columns(profile: Profile, scalars: Scalars) -> _Column:
    odds = profile.odds
    inside = 1 / (1 + odds * jnp.exp(-scalars.gaps))
    outside = 1 / (jnp.exp(scalars.gaps) + odds)
    miss = scalars.shift * inside - odds * outside
    if profile.activation.is_linear:
        return _Column(inside, outside, miss, jnp.zeros_like(miss), jnp.zeros_like(miss))
    bend, turn = angle_parts(inside, jnp.sqrt(odds) * outside)
    square = inside**2 + odds * outside**2
    return _Column(inside, outside, miss, bend, turn + jnp.sqrt(odds) * outside**2 / square)


def angle_parts(along: Float[Array, "*n"], across: Float[Array, "*n"]) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
    """along · (tan ϑ − ϑ) and ϑ − sin ϑ cos ϑ for tan ϑ = across/along, both to full relative precision.

    Below a tangent of 0.3 the differences cancel and the series of t − arctan t is summed instead.
    """
    small = across < ANGLE_SERIES_BELOW * along
    tangent = jnp.where(small, across / jnp.where(small, along, 1), 0)
    square = tangent**2
    series = jnp.polyval(jnp.array([(-1) ** n / (2 * n + 3) for n in reversed(range(ANGLE_SERIES_TERMS))]), square)
    difference = tangent * square * series
    angle = jnp.arctan2(across, along)
    bend = jnp.where(small, along * difference, across - along * angle)
    norm = along**2 + across**2
    turn = jnp.where(small, tangent * square / (1 + square) - difference, angle - along * across / norm)
    return bend, turn


def pull(profile: Profile, scalars: Scalars) -> Pull:
    """The gradient that moves the scalars."""
    sigma, c1, sizes = profile.activation, scalars.c1, profile.sizes
    column, sign = _columns(profile, scalars), jnp.sign(scalars.c1)
    inside, outside, miss = column.inside, column.outside, column.miss
    value = sigma.second_moment * (miss * inside + profile.odds * c1 * outside**2)
    gap = sigma.second_moment * (miss - c1 * outside)
    if not sigma.is_linear:
        angular = 2 * sigma.beta / jnp.pi * sign
        value = value + sigma.beta * (1 - sign) * inside - angular * column.bend
        gap = gap + sigma.beta * (1 - sign) + angular * column.turn
    gap = profile.tokens * inside * outside * c1 * gap / sizes**3
    return Pull((profile.counts * value / sizes).sum(), jnp.where(profile.odds > 0, gap, 0))


def excess(profile: Profile, scalars: Scalars) -> Float[Array, ""]:
    """The excess loss L − L_opt."""
    sigma, c1 = profile.activation, scalars.c1
    column = _columns(profile, scalars)
    each = sigma.second_moment / 2 * (column.miss**2 + profile.odds * (c1 * column.outside) ** 2)
    if not sigma.is_linear:
        lost = sigma.beta * (c1 - jnp.abs(c1)) * column.inside
        each = each + lost - 2 * sigma.beta / jnp.pi * jnp.abs(c1) * column.bend
    return profile.value_norm**2 * (profile.counts * each / profile.sizes).sum()
