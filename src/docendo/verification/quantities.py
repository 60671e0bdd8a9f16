"""What can be claimed, and the quantities that only claims know, as functions of the scalars.

With o the mass of one token outside a support in units of 1/K, R = (D−K)/K, as in `docendo.training.scalars`.
"""

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.training.scalars import Profile, Scalars
from docendo.training.symmetry import scalar_quantities

__all__ = ["DERIVED", "FULL", "REDUCED", "all_quantities"]

Quantity = Callable[[Profile, Scalars], Float[Array, ""]]


def _worst_case_excess(profile: Profile, scalars: Scalars) -> Array:
    """An upper bound on the excess over every law and label with second moments at most 1 (see theorem_3_2)."""
    outside = profile.odds / (jnp.exp(scalars.gaps) + profile.odds)
    miss = jnp.abs(scalars.shift * (1 - outside) - outside)
    moved = miss + jnp.abs(scalars.c1) * outside
    gap = profile.value_norm * jnp.sqrt((profile.counts * moved**2).sum())
    labels = jnp.sqrt(profile.tokens) * (1 + profile.value_norm)
    return gap**2 / 2 + gap * labels


DERIVED: dict[str, Quantity] = {
    "c1_error": lambda profile, scalars: jnp.abs(scalars.shift),
    "squared_odds": lambda profile, scalars: (profile.counts * jnp.exp(2 * scalars.gaps)).sum() / profile.counts.sum(),
    "worst_case_excess": _worst_case_excess,
}

# What the scalars of the reduced dynamics know.
RECORDED = ("excess_loss", "value_error", "score_error", "leakage", "largest_leakage", "value_cosine")
SCALARS = ("c1", "c2", "c3", "gap")
REDUCED = (*RECORDED, *DERIVED, *SCALARS)

# What only full descent can show: in the reduced dynamics it is so by construction.
FULL = ("value_off_line", "logit_spread_inside", "logit_spread_outside", "certified_share")


def all_quantities(profile: Profile, scalars: Scalars) -> dict[str, Array]:
    """Every quantity of `REDUCED`."""
    recorded = scalar_quantities(profile, scalars)
    derived = {name: quantity(profile, scalars) for name, quantity in DERIVED.items()}
    return {name: recorded[name] for name in (*RECORDED, *SCALARS)} | derived
