"""Given inputs."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from docendo.checks import check_axes, check_finite
from docendo.inputs.base import Inputs
from docendo.precision import as_array

__all__ = ["Empirical"]


class Empirical(Inputs):
    """The uniform law on given inputs: every expectation under it is a finite average, hence exact.

    Args:
        array: (n, d, D), n inputs.

    Raises:
        ValueError: the array has other axes, is empty, or holds a non-finite entry.
    """

    array: Float[Array, "n d D"]

    def __init__(self, array: Any):
        self.array = as_array(array)
        check_axes("array", self.array, "inputs features tokens", {})
        check_finite("array", self.array)

    def check_sizes(self, features: int, tokens: int) -> None:
        check_axes("array", self.array, "inputs features tokens", {"features": features, "tokens": tokens})

    def first_moment(self, features: int, tokens: int) -> Float[Array, "d D"]:
        self.check_sizes(features, tokens)
        return self.array.mean(0)

    def second_moment(self, features: int, tokens: int) -> Float[Array, "d D d D"]:
        self.check_sizes(features, tokens)
        return jnp.einsum("naj,nbk->ajbk", self.array, self.array) / self.array.shape[0]

    def sample(self, key: PRNGKeyArray, count: int, features: int, tokens: int) -> Float[Array, "n d D"]:
        chosen = jax.random.randint(key, (count,), 0, self.array.shape[0])
        return self.array[chosen]

    def __repr__(self) -> str:
        n, features, tokens = self.array.shape
        return f"Empirical(inputs={n}, features={features}, tokens={tokens})"
