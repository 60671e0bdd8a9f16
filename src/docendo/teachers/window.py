"""A sliding window: every token averages its neighbours, at any length."""

from typing import Any

import numpy as np

from docendo.activations import Activation, relu
from docendo.checks import check_count, check_memory
from docendo.teachers.base import Teacher, draw_value

__all__ = ["window"]


def window(
    tokens: int,
    *,
    before: int = 1,
    after: int = 1,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any = None,
) -> Teacher:
    """A one-dimensional average pooling with stride 1: token i averages tokens i − before … i + after.

    The window is cut off at the ends of the sequence. Its rule knows no length, so the same V* at another `tokens`
    is the same teacher there; `after=0` makes it causal.

    Args:
        tokens: D.
        before: how many earlier tokens belong to the window.
        after: how many later ones.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        seed: int or JAX key for V*.

    Raises:
        ValueError: a count is not a whole number or is negative, or V* cannot be drawn.
    """
    count = check_count("tokens", tokens)
    earlier, later = check_count("before", before, least=0), check_count("after", after, least=0)
    check_memory(count)
    place = np.arange(count)
    back = place[None, :] - place[:, None]
    inside = ((-later <= back) & (back <= earlier)).astype(float)
    return Teacher(draw_value(value, channels, features, seed), inside / inside.sum(axis=0), activation)
