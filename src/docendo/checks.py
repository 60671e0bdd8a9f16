"""The rules that constructors hold their arrays to.

A rule is checked on concrete arrays; traced ones pass, so that jit, grad and vmap work on every noun. Each message
gives the rule, the value got and something to paste.
"""

import math
import os
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

__all__ = [
    "check_axes",
    "check_count",
    "check_finite",
    "check_memory",
    "check_noise",
    "check_positive",
    "is_concrete",
    "is_real",
]

DENSE_ARRAYS = 8


def is_concrete(*arrays: Any) -> bool:
    """Whether every array has values to look at, that is, none is being traced."""
    return not any(isinstance(array, jax.core.Tracer) for array in arrays)


def check_finite(name: str, array: Any) -> None:
    """Raise unless every entry is finite, naming the first that is not."""
    if not is_concrete(array):
        return
    values = np.asarray(array)
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        place = tuple(int(i) for i in bad[0])
        raise ValueError(
            f"{name} must be finite, but {name}[{', '.join(map(str, place))}] = {values[place]}. "
            f"Look for where it comes from with np.argwhere(~np.isfinite({name}))."
        )


def check_axes(name: str, array: Any, axes: str, sizes: Mapping[str, int]) -> None:
    """Raise unless `array` has the axes named (say "channels features"), each of the size known for it.

    Axes missing from `sizes` may have any size above zero.
    """
    names = axes.split()
    shape = tuple(array.shape)
    layout = f"{name} has axes ({', '.join(names)})"
    if len(shape) != len(names):
        raise ValueError(f"{layout}, got an array of shape {shape}. Reshape it to {len(names)} axes.")
    for axis, got in zip(names, shape, strict=True):
        wanted = sizes.get(axis)
        if wanted is not None and got != wanted:
            raise ValueError(f"{layout} with {axis}={wanted}, got {axis}={got} (shape {shape}).")
        if got == 0:
            raise ValueError(f"{layout}, none of them empty, got shape {shape}.")


def check_count(name: str, value: Any, least: int = 1) -> int:
    """`value` as an int, refusing anything but a whole number of at least `least`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(
            f"{name} must be a whole number of at least {least}, got {value!r}. Try {name}={max(least, 4)}."
        )
    return int(value)


def check_positive(name: str, value: Any, example: float) -> None:
    """Raise unless the value is one real number, positive and finite."""
    if is_concrete(value) and not (is_real(value) and np.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive and finite, got {name}={value}. For example {name}={example:g}.")


def check_noise(value: Any) -> float:
    """`value` as a float, refusing anything but the standard deviation of label noise."""
    if not (is_concrete(value) and is_real(value) and 0 <= value < math.inf):
        raise ValueError(f"noise is a standard deviation, finite and not negative, got {value!r}. Try noise=1.0.")
    return float(value)


def is_real(value: Any) -> bool:
    """Whether it is a single real number, of Python, NumPy or JAX; True and False count as none."""
    kind = np.asarray(value).dtype.kind if np.ndim(value) == 0 else ""
    return kind in tuple("iuf")


def check_memory(tokens: int) -> None:
    """Raise unless teaching with dense scores fits into this machine's memory, before any of it is taken.

    S*, S, the logits, their gradient and what a step needs between them are about eight D × D arrays.
    """
    needed = DENSE_ARRAYS * 8 * tokens**2
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else math.inf
    if needed > available:
        raise ValueError(
            f"scores of {tokens} tokens need about {needed / 1e9:.0f} GB to train with, and this machine has "
            f"{available / 1e9:.0f} GB. Give the teacher by its support sizes: dc.teachers.symmetric({tokens}, …), "
            "with "
            "dc.Reduced or dc.GradientFlow."
        )
