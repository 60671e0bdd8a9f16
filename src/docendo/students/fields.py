"""What several students hold in common: encodings, a logit scale, and starts drawn at random."""

from collections.abc import Mapping
from typing import Any

import jax
from jaxtyping import Array, Float

from docendo.checks import check_axes, check_finite, check_positive
from docendo.precision import as_array
from docendo.randomness import as_key, stream

__all__ = ["as_positions", "as_scale", "drawn"]


def as_positions(positions: Any, width: int) -> Float[Array, "E D"] | None:
    """P (E, D) as an array; None stands for the unit matrix.

    Raises:
        ValueError: its width is not `width` (both named), or an entry is not finite.
    """
    if positions is None:
        return None
    encodings = as_array(positions)
    check_axes("positions", encodings, "width tokens", {"width": width})
    check_finite("positions", encodings)
    return encodings


def as_scale(logit_scale: Any, tokens: int) -> Float[Array, ""]:
    """τ as an array; left out, 1/√D.

    Raises:
        ValueError: it is not positive and finite.
    """
    usual = 1 / tokens**0.5
    scale = as_array(usual if logit_scale is None else logit_scale)
    check_positive("logit_scale", scale, usual)
    return scale


def drawn(shapes: Mapping[str, tuple[int, ...]], scale: Any, seed: Any) -> dict[str, Array]:
    """Arrays of independent N(0, scale²) entries, each from the stream of its name.

    Raises:
        ValueError: the scale is not positive and finite, or the seed is none.
    """
    check_positive("scale", scale, 0.1)
    key = as_key(seed)
    return {
        name: scale * jax.random.normal(stream(key, f"start {name}"), shape, dtype=float)
        for name, shape in shapes.items()
    }
