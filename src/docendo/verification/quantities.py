"""What can be claimed about the reduced flow: quantities as functions of its scalars.

With i and o the masses inside and (one token) outside in units of 1/K, R = (D−K)/K, as in `docendo.training.scalars`.
"""

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.training.scalars import Profile, Scalars, excess

__all__ = ["QUANTITIES"]

Quantity = Callable[[Profile, Scalars], Float[Array, ""]]


def _outside(profile: Profile, scalars: Scalars) -> Array:
    return 1 / (jnp.exp(scalars.gaps) + profile.odds)


def value_error(profile: Profile, scalars: Scalars) -> Array:
    """‖W_V − V*‖_F = ‖V*‖_F |C1 − 1|."""
    return profile.value_norm * jnp.abs(scalars.shift)


def score_error(profile: Profile, scalars: Scalars) -> Array:
    """‖S − S*‖_F; in units of 1/K the K entries inside are off by R o and the D − K outside by o."""
    outside, odds = _outside(profile, scalars), profile.odds
    square = (profile.sizes * (odds * outside) ** 2 + (profile.tokens - profile.sizes) * outside**2) / profile.sizes**2
    return jnp.sqrt((profile.counts * square).sum())


def leakage(profile: Profile, scalars: Scalars) -> Array:
    """The mean attention mass outside the supports."""
    return (profile.counts * profile.odds * _outside(profile, scalars)).sum() / profile.counts.sum()


def worst_case_excess(profile: Profile, scalars: Scalars) -> Array:
    """An upper bound on the excess over every law and label with second moments at most 1 (see theorem_3_2)."""
    outside = _outside(profile, scalars)
    inside = 1 - profile.odds * outside
    miss = jnp.abs(scalars.shift * inside - profile.odds * outside)
    moved = miss + profile.odds * jnp.abs(scalars.c1) * outside
    gap = profile.value_norm * jnp.sqrt((profile.counts * moved**2).sum())
    labels = jnp.sqrt(profile.tokens) * (1 + profile.value_norm)
    return gap**2 / 2 + gap * labels


QUANTITIES: dict[str, Quantity] = {
    "excess_loss": excess,
    "value_error": value_error,
    "score_error": score_error,
    "leakage": leakage,
    "c1_error": lambda profile, scalars: jnp.abs(scalars.shift),
    "squared_odds": lambda profile, scalars: jnp.exp(2 * scalars.gaps).mean(),
    "worst_case_excess": worst_case_excess,
}
