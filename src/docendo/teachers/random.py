"""A random member of the teacher class: each column averages K tokens drawn anew."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from docendo.activations import Activation, relu
from docendo.checks import check_count, check_memory
from docendo.randomness import as_key, stream
from docendo.teachers.base import Teacher, draw_value

__all__ = ["random"]


def random(
    tokens: int,
    *,
    sparsity: int | Sequence[int] | np.ndarray,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any,
) -> Teacher:
    """A teacher whose columns have independent, uniformly random supports of size K.

    Args:
        tokens: D.
        sparsity: K of every column, or one K for each.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        seed: int or JAX key.

    Raises:
        ValueError: K > D, or not one K for each column.
    """
    tokens = check_count("tokens", tokens)
    sizes = _sizes(tokens, sparsity)
    check_memory(tokens)
    ranks = np.asarray(jax.random.uniform(stream(as_key(seed), "supports"), (tokens, tokens))).argsort(axis=0)
    scores = np.zeros((tokens, tokens))
    np.put_along_axis(scores, ranks, np.where(np.arange(tokens)[:, None] < sizes, 1 / sizes, 0.0), axis=0)
    return Teacher(draw_value(value, channels, features, seed), scores, activation)


def _sizes(tokens: int, sparsity: Any) -> np.ndarray:
    """K of every column; (D,) ints, or one for all."""
    if np.ndim(sparsity) == 0:
        sizes = [check_count("sparsity", sparsity)]
    else:
        sizes = [check_count(f"sparsity[{i}]", size) for i, size in enumerate(sparsity)]
        if len(sizes) != tokens:
            raise ValueError(
                f"sparsity is one K, or one for each of tokens={tokens} columns, got {len(sizes)}. "
                f"For example sparsity=[1, 2] * {max(tokens // 2, 1)} with an even number of tokens."
            )
    if max(sizes) > tokens:
        raise ValueError(
            f"sparsity must not exceed tokens, got sparsity={max(sizes)} > tokens={tokens}. Try sparsity={tokens}."
        )
    return np.array(sizes)
