"""A convolution layer with average pooling: tokens are patches, pooled over the blocks of a grid."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from docendo.activations import Activation, relu
from docendo.checks import check_count
from docendo.teachers.base import Teacher, draw_value, scores_from_groups

__all__ = ["convolution"]


def convolution(
    *,
    grid: Sequence[int],
    pool: Sequence[int],
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any = None,
) -> Teacher:
    """A convolution whose stride equals its kernel, then average pooling (arXiv 2603.22801, Section 2).

    Token r·width + c is the patch in row r and column c of the grid; the output at a patch is its block's average,
    so K = pool height × pool width.

    Args:
        grid: (height, width) of the patch grid; D is their product.
        pool: (height, width) of a pooling block; must divide the grid.
        features: d, the entries of a patch, when V* is to be drawn.
        channels: M, the number of kernels, when V* is to be drawn.
        activation: σ.
        value: the kernels V* (M, d); left out, their entries are standard Gaussian.
        seed: int or JAX key for V*.

    Raises:
        ValueError: a block does not divide the grid.
    """
    (height, width), (pool_height, pool_width) = _pair("grid", grid), _pair("pool", pool)
    if height % pool_height or width % pool_width:
        raise ValueError(
            f"pooling blocks must tile the grid, but pool={tuple(pool)} does not divide grid={tuple(grid)}. "
            f"For example grid=({pool_height * 3}, {pool_width * 3})."
        )
    rows, columns = np.divmod(np.arange(height * width), width)
    block = rows // pool_height * (width // pool_width) + columns // pool_width
    return Teacher(draw_value(value, channels, features, seed), scores_from_groups(block), activation)


def _pair(name: str, size: Sequence[int]) -> tuple[int, int]:
    if np.shape(size) != (2,):
        raise ValueError(f"{name} is a pair (height, width), got {size!r}. For example {name}=(2, 2).")
    return check_count(f"{name}[0]", size[0]), check_count(f"{name}[1]", size[1])
