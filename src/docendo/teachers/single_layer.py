"""A single layer σ(V* X): every token is mapped by itself (S* the unit matrix, K = 1)."""

from typing import Any

import jax.numpy as jnp

from docendo.activations import Activation, relu
from docendo.checks import check_count, check_memory
from docendo.teachers.base import Teacher, draw_value

__all__ = ["single_layer"]


def single_layer(
    tokens: int,
    *,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any = None,
) -> Teacher:
    """The teacher σ(V* X) (arXiv 2603.22801, Section 2).

    Args:
        tokens: D.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        seed: int or JAX key for V*.
    """
    check_memory(check_count("tokens", tokens))
    scores = jnp.eye(tokens)
    return Teacher(draw_value(value, channels, features, seed), scores, activation)
