"""Teachers whose columns are not uniform: weights inside a support, decay with distance, softmax of noise.

    weighted          S*_ji = w_k for the k-th of K tokens drawn for column i
    decaying          S*_ji ∝ ratio^|i−j|, or (1 + |i−j|)^(−power), on a line or a ring
    softmax_random    S*_ji = exp(spread · N_ji) / Σ_k exp(spread · N_ki), N of independent standard Gaussians

The last two are dense, K = D: finite logits reach such an S*, so that the excess loss falls exponentially instead of
like 1/T (`docendo.universal_law` then gives the rate), once it is below what the smallest weights leave to learn.
Teachers with K < D and unequal weights follow the same 1/T law as uniform ones.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from docendo.activations import Activation, relu
from docendo.checks import check_count, check_finite, check_memory, check_positive
from docendo.randomness import as_key, stream
from docendo.teachers.base import Teacher, draw_value

__all__ = ["decaying", "softmax_random", "weighted"]


def weighted(
    tokens: int,
    *,
    weights: Sequence[float] | np.ndarray,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any,
) -> Teacher:
    """A teacher whose columns hold the same weights on independent, uniformly random supports, in random order.

    Args:
        tokens: D.
        weights: the K weights of a column, positive; they are divided by their sum.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        seed: int or JAX key.

    Raises:
        ValueError: a weight is not positive, or there are more of them than tokens.
    """
    count, given = check_count("tokens", tokens), np.asarray(weights, dtype=float)
    if given.ndim != 1 or not given.size or given.size > count:
        raise ValueError(
            f"weights are between 1 and tokens={count} numbers, got shape {given.shape}. Try weights=[0.7, 0.3]."
        )
    check_finite("weights", given)
    if given.min() <= 0:
        raise ValueError(
            f"weights must be positive, but weights[{given.argmin()}] = {given.min():g}. Leave out those that are zero."
        )
    check_memory(count)
    ranks = np.asarray(jax.random.uniform(stream(as_key(seed), "supports"), (count, count))).argsort(axis=0)
    column = np.pad(given / given.sum(), (0, count - given.size))
    scores = np.zeros((count, count))
    np.put_along_axis(scores, ranks, np.broadcast_to(column[:, None], scores.shape), axis=0)
    return Teacher(draw_value(value, channels, features, seed), scores, activation)


def decaying(
    tokens: int,
    *,
    ratio: float | None = None,
    power: float | None = None,
    reach: int | None = None,
    ring: bool = False,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any = None,
) -> Teacher:
    """A teacher whose weights decay with the distance of tokens i and j, geometrically or like a power.

    Args:
        tokens: D.
        ratio: weights ∝ ratio^distance, 0 < ratio ≤ 1; give this or `power`.
        power: weights ∝ (1 + distance)^(−power), power > 0.
        reach: the distance beyond which weights are zero; left out, S* is dense.
        ring: measure distances around a ring instead of along a line, so that all columns hold the same weights.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        seed: int or JAX key for V*.

    Raises:
        ValueError: not exactly one of `ratio` and `power`, or one out of its range.
    """
    count = check_count("tokens", tokens)
    if (ratio is None) == (power is None):
        raise ValueError(f"a decay has either a ratio or a power, got ratio={ratio}, power={power}. Try ratio=0.5.")
    check_memory(count)
    distance = np.abs(np.arange(count)[:, None] - np.arange(count))
    if ring:
        distance = np.minimum(distance, count - distance)
    weights = _geometric(ratio, distance) if ratio is not None else _power(power, distance)
    if reach is not None:
        weights = np.where(distance <= check_count("reach", reach, 0), weights, 0.0)
    return Teacher(draw_value(value, channels, features, seed), weights / weights.sum(axis=0), activation)


def softmax_random(
    tokens: int,
    *,
    spread: float = 1.0,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any,
) -> Teacher:
    """A teacher whose columns are the softmax of a random matrix: dense, and no two weights equal.

    Args:
        tokens: D.
        spread: the standard deviation of the matrix's independent Gaussian entries.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        seed: int or JAX key.

    Raises:
        ValueError: `spread` is not positive.
    """
    count = check_count("tokens", tokens)
    check_positive("spread", spread, 1.0)
    check_memory(count)
    logits = spread * jax.random.normal(stream(as_key(seed), "logits"), (count, count), dtype=float)
    return Teacher(draw_value(value, channels, features, seed), jax.nn.softmax(logits, axis=0), activation)


def _geometric(ratio: float, distance: np.ndarray) -> np.ndarray:
    check_positive("ratio", ratio, 0.5)
    if ratio > 1:
        raise ValueError(f"weights decay by a ratio of at most 1, got ratio={ratio}. Try ratio={1 / ratio:g}.")
    return float(ratio) ** distance


def _power(power: float | None, distance: np.ndarray) -> np.ndarray:
    check_positive("power", power, 1.0)
    return (1.0 + distance) ** -float(power or 0.0)
