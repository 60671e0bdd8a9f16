"""A random member of the teacher class: each column averages K tokens drawn anew."""

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
    sparsity: int,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any,
) -> Teacher:
    """A teacher whose columns have independent, uniformly random supports of size K.

    Args:
        tokens: D.
        sparsity: K.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        seed: int or JAX key.

    Raises:
        ValueError: K > D.
    """
    tokens, sparsity = check_count("tokens", tokens), check_count("sparsity", sparsity)
    if sparsity > tokens:
        raise ValueError(
            f"sparsity must not exceed tokens, got sparsity={sparsity} > tokens={tokens}. Try sparsity={tokens}."
        )
    check_memory(tokens)
    ranks = np.asarray(jax.random.uniform(stream(as_key(seed), "supports"), (tokens, tokens))).argsort(axis=0)
    scores = np.zeros((tokens, tokens))
    np.put_along_axis(scores, ranks[:sparsity], 1 / sparsity, axis=0)
    return Teacher(draw_value(value, channels, features, seed), scores, activation)
