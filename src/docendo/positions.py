"""Positional encodings P, a matrix whose D columns p_i are the encodings of the tokens; shape (E, D).

The paper takes P orthogonal (Section 2): then gradient descent on W_KQ is gradient descent on Pᵀ W_KQ P, and P
leaves the dynamics. `positions=None` stands for the unit matrix throughout docendo.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from docendo.checks import check_count
from docendo.precision import AnyArray, as_array
from docendo.randomness import as_key, stream

__all__ = ["gaussian", "is_orthonormal", "orthogonal", "sinusoidal"]


def orthogonal(tokens: int, *, seed: Any) -> Float[Array, "D D"]:
    """A uniformly random orthogonal matrix."""
    key = stream(as_key(seed), "positions")
    return jax.random.orthogonal(key, check_count("tokens", tokens), dtype=float)


def gaussian(tokens: int, width: int, *, seed: Any) -> Float[Array, "E D"]:
    """Independent N(0, 1/width) entries: columns of about unit norm, nearly orthogonal when width ≫ tokens."""
    shape = check_count("width", width), check_count("tokens", tokens)
    return jax.random.normal(stream(as_key(seed), "positions"), shape, dtype=float) / jnp.sqrt(width)


def sinusoidal(tokens: int, width: int) -> Float[Array, "E D"]:
    """The sines and cosines of Vaswani et al. 2017, scaled to columns of unit norm; not orthogonal.

    Rows come in pairs sin(i ω_k), cos(i ω_k) with ω_k = 10000^(−2k/width), for token i = 0 … tokens − 1.

    Raises:
        ValueError: `width` is odd or below 2.
    """
    if check_count("width", width, least=2) % 2:
        raise ValueError(f"sinusoidal encodings come in pairs, so width must be even, got {width}. Try {width + 1}.")
    frequency = 10000.0 ** (-2 * np.arange(width // 2) / width)
    angle = np.outer(frequency, np.arange(check_count("tokens", tokens)))
    rows = np.stack([np.sin(angle), np.cos(angle)], axis=1).reshape(width, tokens)
    return as_array(rows / np.sqrt(width / 2))


def is_orthonormal(positions: Float[AnyArray, "E D"]) -> bool:
    """Whether PᵀP is the unit matrix to rounding, so that training may happen in the position basis."""
    columns = np.asarray(positions)
    gram = columns.T @ columns
    return bool(np.abs(gram - np.eye(gram.shape[0])).max() < 1e-13 * max(gram.shape[0], 8))
