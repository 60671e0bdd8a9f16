"""Patch association: a partition of the patches, each output averaging its own block (Jelassi et al. 2022)."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from docendo.activations import Activation, relu
from docendo.checks import check_count
from docendo.randomness import as_key, stream
from docendo.teachers.base import Teacher, draw_value, scores_from_groups

__all__ = ["patch_association"]


def patch_association(
    tokens: int | None = None,
    *,
    sparsity: int | None = None,
    partition: Sequence[Sequence[int]] | None = None,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any = None,
) -> Teacher:
    """Every token averages the block of the partition it belongs to (arXiv 2603.22801, Section 2).

    Args:
        tokens: D; not needed when `partition` is given.
        sparsity: K, the size of every block of a partition to be drawn; must divide D.
        partition: the blocks, disjoint lists of tokens that together hold 0 … D − 1; sizes may differ.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        seed: int or JAX key for the partition and V*.

    Raises:
        ValueError: K does not divide D, or the blocks are no partition (the token at fault is named).
    """
    labels = _drawn(tokens, sparsity, seed) if partition is None else _labels(partition, tokens)
    return Teacher(draw_value(value, channels, features, seed), scores_from_groups(labels), activation)


def _drawn(tokens: int | None, sparsity: int | None, seed: Any) -> np.ndarray:
    tokens, sparsity = check_count("tokens", tokens), check_count("sparsity", sparsity)
    if tokens % sparsity:
        raise ValueError(
            f"blocks of equal size must tile the tokens, but sparsity={sparsity} does not divide tokens={tokens}. "
            "Give blocks of different sizes by partition=[[0, 1], [2]]."
        )
    order = np.asarray(jax.random.permutation(stream(as_key(seed), "partition"), tokens))
    labels = np.empty(tokens, dtype=int)
    labels[order] = np.arange(tokens) // sparsity
    return labels


def _labels(partition: Sequence[Sequence[int]], tokens: int | None) -> np.ndarray:
    members = [token for block in partition for token in block]
    total = len(members) if tokens is None else tokens
    for token in range(total):
        if members.count(token) != 1:
            raise ValueError(
                f"a partition holds every token from 0 to {total - 1} once, but token {token} appears "
                f"{members.count(token)} times. For example partition=[[0, 1], [2, 3]]."
            )
    if len(members) != total:
        raise ValueError(
            f"partition holds {len(members)} entries for tokens={total}; leave out those beyond {total - 1}."
        )
    labels = np.empty(total, dtype=int)
    for label, block in enumerate(partition):
        labels[list(block)] = label
    return labels
