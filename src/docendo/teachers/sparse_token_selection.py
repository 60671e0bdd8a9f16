"""Sparse token selection: every output averages the same K tokens."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from docendo.activations import Activation, identity
from docendo.checks import check_count, check_memory
from docendo.randomness import as_key, stream
from docendo.teachers.base import Teacher

__all__ = ["selection_scores", "sparse_token_selection"]


def sparse_token_selection(
    tokens: int,
    *,
    sparsity: int | None = None,
    features: int | None = None,
    selected: Sequence[int] | None = None,
    value: Any = None,
    activation: Activation = identity,
    seed: Any = None,
) -> Teacher:
    """The average of K fixed tokens, at every output (arXiv 2603.22801, Section 2).

    Args:
        tokens: D.
        sparsity: K, how many tokens to draw; not needed when `selected` is given.
        features: d; V* is then the unit matrix of that size, as in the paper.
        selected: the tokens averaged, 0-based; left out, K of them are drawn.
        value: V* (M, d) in place of the unit matrix.
        activation: σ.
        seed: int or JAX key for drawing the tokens.

    Raises:
        ValueError: K > D, a token out of range or repeated, or neither `features` nor `value` given.
    """
    if value is None:
        if features is None:
            raise ValueError("without value= the teacher's V* is a unit matrix and needs features. Pass features=8.")
        value = jnp.eye(check_count("features", features))
    return Teacher(value, selection_scores(tokens, sparsity, selected, seed), activation)


def selection_scores(tokens: int, sparsity: int | None, selected: Sequence[int] | None, seed: Any) -> np.ndarray:
    """S* (D, D) whose every column is uniform on the same tokens, given or drawn."""
    tokens = check_count("tokens", tokens)
    if selected is None:
        sparsity = check_count("sparsity", sparsity)
        if sparsity > tokens:
            raise ValueError(
                f"sparsity must not exceed tokens, got sparsity={sparsity} > tokens={tokens}. Try sparsity={tokens}."
            )
        key = stream(as_key(seed), "selected")
        selected = np.asarray(jax.random.choice(key, tokens, (sparsity,), replace=False)).tolist()
    chosen = np.unique(selected)
    if not len(chosen) or len(chosen) != len(selected) or chosen[0] < 0 or chosen[-1] >= tokens:
        raise ValueError(
            f"selected holds different tokens between 0 and {tokens - 1}, got {list(selected)}. Try selected=[0, 1]."
        )
    if sparsity is not None and sparsity != len(chosen):
        raise ValueError(f"selected names {len(chosen)} tokens but sparsity={sparsity}. Leave sparsity out.")
    check_memory(tokens)
    scores = np.zeros((tokens, tokens))
    scores[chosen] = 1 / len(chosen)
    return scores
