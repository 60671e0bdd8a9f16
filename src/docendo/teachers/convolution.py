"""A convolution layer with average pooling: tokens are patches, pooled over windows of a grid.

Windows are those of a pooling layer: h × w patches that lie `dilation` apart, one window every `stride` patches. Each
patch reads the window of its stride, the last patches the last window that fits:

    patch (r, c)  →  window (min(r ÷ stride, last), min(c ÷ stride, last))

so that the teacher's D outputs are the layer's, each repeated over its stride. How the convolution itself walks over an
image (its own stride and dilation) decides what a patch holds (`patches`), not which patches are averaged.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from docendo.activations import Activation, relu
from docendo.checks import check_count, check_memory
from docendo.teachers.base import Teacher, draw_value

__all__ = ["convolution", "patches"]


def convolution(
    *,
    grid: Sequence[int],
    pool: Sequence[int],
    stride: Sequence[int] | None = None,
    dilation: Sequence[int] = (1, 1),
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    seed: Any = None,
) -> Teacher:
    """A convolution, then average pooling, then σ (arXiv 2603.22801, Section 2).

    Token r·width + c is the patch in row r and column c of the grid. The paper's windows are blocks that tile the grid;
    strides smaller than the window make supports overlap. K = pool height × pool width throughout.

    Args:
        grid: (height, width) of the patch grid; D is their product.
        pool: (height, width) of a pooling window.
        stride: (rows, columns) from one window to the next; left out, the size of the window, which must then divide
            the grid unless it is dilated.
        dilation: (rows, columns) from one patch of a window to its next.
        features: d, the entries of a patch, when V* is to be drawn.
        channels: M, the number of kernels, when V* is to be drawn.
        activation: σ.
        value: the kernels V* (M, d); left out, their entries are standard Gaussian.
        seed: int or JAX key for V*.

    Raises:
        ValueError: a block does not divide the grid, or a window is larger than the grid.
    """
    size, window, spread = _pair("grid", grid), _pair("pool", pool), _pair("dilation", dilation)
    if stride is None and spread == (1, 1) and (size[0] % window[0] or size[1] % window[1]):
        raise ValueError(
            f"pooling blocks must tile the grid, but pool={tuple(pool)} does not divide grid={tuple(grid)}. "
            f"For example grid=({window[0] * 3}, {window[1] * 3}), or windows that overlap: stride=(1, 1)."
        )
    step = window if stride is None else _pair("stride", stride)
    check_memory(size[0] * size[1])
    rows, columns = (
        _windows(axis, *each) for axis, *each in zip(("rows", "columns"), size, window, step, spread, strict=True)
    )
    scores = np.kron(rows, columns) / (window[0] * window[1])
    return Teacher(draw_value(value, channels, features, seed), scores, activation)


def patches(
    images: Any, *, kernel: Sequence[int], stride: Sequence[int] | None = None, dilation: Sequence[int] = (1, 1)
) -> Float[np.ndarray, "n d D"]:
    """The patches of images that a convolution multiplies by its kernels, as tokens.

    Args:
        images: (n, channels, height, width).
        kernel: (height, width) of the convolution's kernels.
        stride: (rows, columns) from one patch to the next; left out, the size of the kernel, so that patches share
            no pixel and white images have white tokens.
        dilation: (rows, columns) from one pixel of a patch to its next.

    Returns:
        (n, d, D): features in the order (channel, row, column) of the patch, tokens row by row.

    Raises:
        ValueError: not four axes, or a patch is larger than the images.
    """
    pixels = np.asarray(images, dtype=float)
    if pixels.ndim != 4 or not pixels.size:
        raise ValueError(
            f"images have axes (n, channels, height, width), got shape {pixels.shape}. Try images[:, None]."
        )
    size, spread = _pair("kernel", kernel), _pair("dilation", dilation)
    step = size if stride is None else _pair("stride", stride)
    across: tuple[int, int] = pixels.shape[2:]
    rows, columns = (
        _starts(axis, *each)[:, None] + each[3] * np.arange(each[1])
        for axis, *each in zip(("rows", "columns"), across, size, step, spread, strict=True)
    )
    taken = pixels[:, :, rows[:, None, :, None], columns[None, :, None, :]]
    ordered = taken.transpose(0, 1, 4, 5, 2, 3)
    return ordered.reshape(len(pixels), -1, len(rows) * len(columns))


def _windows(axis: str, size: int, window: int, step: int, spread: int) -> np.ndarray:
    """Column i: ones on the window that patch i reads, along one axis."""
    starts = _starts(axis, size, window, step, spread)
    read = starts[np.minimum(np.arange(size) // step, len(starts) - 1)]
    inside = np.zeros((size, size))
    for offset in range(window):
        inside[read + offset * spread, np.arange(size)] = 1
    return inside


def _starts(axis: str, size: int, window: int, step: int, spread: int) -> np.ndarray:
    extent = (window - 1) * spread + 1
    if extent > size:
        raise ValueError(
            f"a window must fit, but {window} {axis} that lie {spread} apart span {extent}, and there are {size}. "
            f"At most {(size - 1) // spread + 1} fit with dilation {spread}."
        )
    return np.arange(0, size - extent + 1, step)


def _pair(name: str, size: Sequence[int]) -> tuple[int, int]:
    if np.shape(size) != (2,):
        raise ValueError(f"{name} is a pair (height, width), got {size!r}. For example {name}=(2, 2).")
    return check_count(f"{name}[0]", size[0]), check_count(f"{name}[1]", size[1])
