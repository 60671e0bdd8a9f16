"""The teacher f*(X) = σ(V* X S*) (arXiv 2603.22801, equation (2.1)).

V* (`value`) has one row per output channel, S* (`scores`) one column per token, each column a probability vector
over the tokens it averages. The support G^i of column i is where it is positive, K_i its size.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from docendo.activations import Activation, identity
from docendo.checks import check_axes, check_count, check_finite, check_memory, is_concrete
from docendo.precision import AnyArray, as_array
from docendo.randomness import as_key, stream

__all__ = ["Teacher", "draw_value", "scores_from_groups"]

COLUMN_SUM_TOLERANCE = 1e-9


class Teacher(eqx.Module):
    """A teacher from arrays.

    Args:
        value: V* (M, d), no row zero.
        scores: S* (D, D), non-negative, every column summing to one within 1e-9.
        activation: σ.

    Raises:
        ValueError: an array breaks one of these rules; the message names the entry, row or column.
    """

    value: Float[Array, "M d"]
    scores: Float[Array, "D D"]
    activation: Activation

    def __init__(self, value: Any, scores: Any, activation: Activation = identity):
        self.value = as_array(value)
        self.scores = as_array(scores)
        self.activation = activation
        check_axes("value", self.value, "channels features", {})
        check_finite("value", self.value)
        check_axes("scores", self.scores, "tokens tokens", {"tokens": self.scores.shape[-1]})
        check_finite("scores", self.scores)
        if not isinstance(activation, Activation):
            raise ValueError(f"activation is a docendo activation, got {activation!r}. For example dc.relu.")
        if is_concrete(self.value):
            _check_value(np.asarray(self.value))
        if is_concrete(self.scores):
            _check_scores(np.asarray(self.scores))

    @property
    def channels(self) -> int:
        """M, the number of output channels."""
        return self.value.shape[0]

    @property
    def features(self) -> int:
        """d, the number of features of a token."""
        return self.value.shape[1]

    @property
    def tokens(self) -> int:
        """D, the number of tokens."""
        return self.scores.shape[0]

    @property
    def support(self) -> Bool[Array, "D D"]:
        """Entry (j, i): whether token j is in the support of column i."""
        return self.scores > 0

    @property
    def support_sizes(self) -> np.ndarray:
        """K_i, the number of tokens in the support of each column; (D,) ints."""
        return np.asarray(self.support.sum(axis=0))

    @property
    def sparsity(self) -> int | None:
        """K when all columns have the same support size, else None."""
        sizes = set(self.support_sizes.tolist())
        return sizes.pop() if len(sizes) == 1 else None

    @property
    def value_norm(self) -> Float[Array, ""]:
        """‖V*‖_F."""
        return jnp.linalg.norm(self.value)

    def __call__(self, x: Float[AnyArray, "*batch d D"]) -> Float[Array, "*batch M D"]:
        """f*(X) for one input or a batch of them."""
        return self.activation(self.value @ x @ self.scores)

    def __repr__(self) -> str:
        channels, features = self.value.shape
        parts = f"tokens={self.tokens}, features={features}, channels={channels}, activation={self.activation!r}"
        return f"Teacher({parts}, {self._support_text()})"

    def _support_text(self) -> str:
        if not is_concrete(self.scores):
            return "scores=traced"
        low, high = self.support_sizes.min(), self.support_sizes.max()
        return f"sparsity={low}" if low == high else f"sparsity={low}..{high}"


def draw_value(value: Any, channels: int | None, features: int | None, seed: Any) -> Float[Array, "M d"]:
    """The V* given, or one with independent standard Gaussian entries.

    Raises:
        ValueError: V* is left out and one of `channels`, `features`, `seed` is missing; or V* is given and
            disagrees with the sizes asked for.
    """
    if value is not None:
        given = as_array(value)
        wanted = {"channels": channels, "features": features}
        check_axes("value", given, "channels features", {k: v for k, v in wanted.items() if v is not None})
        return given
    if channels is None or features is None or seed is None:
        raise ValueError(
            f"without value= a teacher draws one and needs channels, features and seed, got channels={channels}, "
            f"features={features}, seed={seed}. For example channels=4, features=8, seed=0."
        )
    shape = check_count("channels", channels), check_count("features", features)
    return jax.random.normal(stream(as_key(seed), "value"), shape, dtype=float)


def scores_from_groups(group_of: np.ndarray) -> np.ndarray:
    """S* in which every token averages the tokens of its own group; `group_of` (D,) labels the groups."""
    check_memory(len(group_of))
    same = (group_of[:, None] == group_of[None, :]).astype(float)
    return same / same.sum(axis=0)


def _check_value(value: np.ndarray) -> None:
    zero = np.flatnonzero(~value.any(axis=1))
    if zero.size:
        raise ValueError(
            f"every row of value must have a non-zero entry, but row {zero[0]} is zero: that channel teaches nothing. "
            f"Leave it out: np.delete(value, {zero[0]}, axis=0)."
        )


def _check_scores(scores: np.ndarray) -> None:
    negative = np.argwhere(scores < 0)
    if negative.size:
        j, i = negative[0]
        raise ValueError(
            f"scores must not be negative, but scores[{j}, {i}] = {scores[j, i]:g}. "
            "Columns are probability vectors: np.maximum(scores, 0), then divide by scores.sum(axis=0)."
        )
    sums = scores.sum(axis=0)
    wrong = np.flatnonzero(np.abs(sums - 1) > COLUMN_SUM_TOLERANCE)
    if wrong.size:
        i = wrong[0]
        turned = np.abs(scores.sum(axis=1) - 1).max() <= COLUMN_SUM_TOLERANCE
        hint = "scores.T, whose columns do" if turned else "scores / scores.sum(axis=0), in float64"
        raise ValueError(f"every column of scores must sum to 1, but column {i} sums to {sums[i]:.12g}. Try {hint}.")
