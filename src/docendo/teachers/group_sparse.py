"""The group-sparse linear predictor: one group of features, among D, decides the label."""

from typing import Any

from docendo.activations import Activation, identity
from docendo.checks import check_count
from docendo.teachers.base import Teacher, draw_value
from docendo.teachers.sparse_token_selection import selection_scores

__all__ = ["group_sparse"]


def group_sparse(
    tokens: int,
    *,
    features: int | None = None,
    group: int | None = None,
    value: Any = None,
    activation: Activation = identity,
    seed: Any = None,
) -> Teacher:
    """The label ⟨v*, x_group⟩ (arXiv 2603.22801, Section 2): K = 1, every column selects the group, M = 1.

    Args:
        tokens: D, the number of feature groups.
        features: d, the size of a group, when v* is to be drawn.
        group: the deciding group, 0-based; left out, it is drawn.
        value: v* as a (1, d) array; left out, its entries are standard Gaussian.
        activation: σ.
        seed: int or JAX key for the group and v*.

    Raises:
        ValueError: the group is not one of 0 … D − 1.
    """
    if group is not None and not 0 <= group < check_count("tokens", tokens):
        raise ValueError(f"group is one of 0 to {tokens - 1}, got group={group}. Try group={tokens - 1}.")
    selected = None if group is None else [group]
    scores = selection_scores(tokens, 1, selected, seed)
    return Teacher(draw_value(value, 1, features, seed), scores, activation)
