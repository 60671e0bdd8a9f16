"""Keys and named streams of randomness.

A seed is an int or a JAX key. Independent uses draw from streams named by what they are for, so that adding a
use never shifts the numbers of another: stream(key, name) = fold_in(key, crc32(name)).
"""

import zlib
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

__all__ = ["as_key", "describe_key", "stream"]


def as_key(seed: Any, what: str = "seed") -> PRNGKeyArray:
    """Turn an int or a JAX key (typed, or the raw uint32 form) into a typed key.

    Raises:
        ValueError: `seed` is None, or neither an int nor a key; the message calls it `what`.
    """
    if isinstance(seed, int) and not isinstance(seed, bool):
        return jax.random.key(seed)
    dtype = getattr(seed, "dtype", None)
    if dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return seed
    if dtype == jnp.uint32:
        return jax.random.wrap_key_data(jnp.asarray(seed))
    raise ValueError(f"{what} must be an int or a JAX key, got {seed!r}. Pass for example {what}=0.")


def stream(key: PRNGKeyArray | None, name: str) -> PRNGKeyArray:
    """The stream of randomness called `name` that belongs to `key`.

    Raises:
        ValueError: there is no key, although something is to be sampled.
    """
    if key is None:
        raise ValueError(f"a key is required to sample the {name}. Pass key=0.")
    return jax.random.fold_in(key, zlib.crc32(name.encode()))


def describe_key(key: PRNGKeyArray) -> list[int]:
    """The key's raw words, fit for storing beside a result."""
    return [int(word) for word in jax.random.key_data(key).ravel()]
