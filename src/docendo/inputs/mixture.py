"""Mixtures of laws, such as Gaussian mixtures."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from docendo.checks import check_axes, check_finite
from docendo.inputs.base import Inputs
from docendo.precision import as_array

__all__ = ["Mixture"]


class Mixture(Inputs):
    """X is drawn from one of several laws, chosen anew for every input.

    Every expectation, and so the loss, is the weighted mean over the parts: exact where it is exact under each of them.
    Gaussians with different covariances keep the closed form for every activation; Gaussians with different means, a
    Gaussian mixture with centres, for the identity.

    Args:
        laws: at least one.
        weights: how likely each is, not negative, with sum 1; left out, all alike.

    Raises:
        ValueError: no laws, something that is no law, or weights that are no probabilities.
    """

    laws: tuple[Inputs, ...]
    weights: tuple[float, ...] = eqx.field(static=True)

    def __init__(self, laws: Any, weights: Any = None):
        self.laws = _laws(laws)
        self.weights = _weights(weights, len(self.laws))

    def check_sizes(self, features: int, tokens: int) -> None:
        for law in self.laws:
            law.check_sizes(features, tokens)

    def check_moments(self) -> None:
        for law in self.laws:
            law.check_moments()

    def first_moment(self, features: int, tokens: int) -> Float[Array, "d D"]:
        return self.mean_over([law.first_moment(features, tokens) for law in self.laws])

    def second_moment(self, features: int, tokens: int) -> Float[Array, "d D d D"]:
        return self.mean_over([law.second_moment(features, tokens) for law in self.laws])

    def mean_over(self, parts: Sequence[Array]) -> Array:
        """The weighted mean of one number, or array, for each law."""
        return sum((weight * part for weight, part in zip(self.weights, parts, strict=True)), jnp.zeros(()))

    def sample(self, key: PRNGKeyArray, count: int, features: int, tokens: int) -> Float[Array, "n d D"]:
        of_choice, *keys = jax.random.split(key, len(self.laws) + 1)
        chosen = jax.random.choice(of_choice, len(self.laws), (count,), p=jnp.asarray(self.weights))
        drawn = [law.sample(each, count, features, tokens) for law, each in zip(self.laws, keys, strict=True)]
        return jnp.select([(chosen == i)[:, None, None] for i in range(len(drawn))], drawn)

    def __repr__(self) -> str:
        parts = (f"{weight:g} × {law!r}" for weight, law in zip(self.weights, self.laws, strict=True))
        return f"Mixture({', '.join(parts)})"


def _laws(given: Any) -> tuple[Inputs, ...]:
    laws = tuple(given) if isinstance(given, (list, tuple)) else ()
    if not laws or not all(isinstance(law, Inputs) for law in laws):
        raise ValueError(
            f"laws is a list of at least one law of inputs, got {given!r:.80}. For example "
            "laws=[dc.inputs.Gaussian(), dc.inputs.Laplace()]."
        )
    return laws


def _weights(given: Any, count: int) -> tuple[float, ...]:
    weights = np.full(count, 1 / count) if given is None else np.asarray(as_array(given))
    check_axes("weights", weights, "laws", {"laws": count})
    check_finite("weights", weights)
    if weights.min() < 0 or abs(weights.sum() - 1) > 1e-12:
        raise ValueError(
            f"weights are probabilities, at least 0 and with sum 1, got {weights.tolist()} with sum {weights.sum():g}. "
            "Try weights / weights.sum()."
        )
    return tuple(float(weight) for weight in weights)
