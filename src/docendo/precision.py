"""Exact work runs in float64.

JAX computes in float32 unless its `jax_enable_x64` switch is on. Every computing module of docendo makes its arrays
through this one, which turns the switch on when it is imported, unless the environment variable `DOCENDO_X64=0`
asks it to leave JAX alone. Where JAX was imported before docendo, that changes other people's later arrays too, so a
warning says so, once.
"""

import os
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import docendo

__all__ = ["AnyArray", "as_array", "require_float64"]

AnyArray = jax.Array | np.ndarray


def _left_alone() -> bool:
    return os.environ.get("DOCENDO_X64") == "0"


def require_float64() -> None:
    """Refuse to compute an exact result in float32 by accident.

    Raises:
        ValueError: `jax_enable_x64` was turned off after docendo was imported, without `DOCENDO_X64=0`.
    """
    if jax.config.read("jax_enable_x64") or _left_alone():
        return
    raise ValueError(
        "exact results need float64, but jax_enable_x64 is off. "
        'Turn it on: jax.config.update("jax_enable_x64", True), or set DOCENDO_X64=0 to accept float32.'
    )


def as_array(values: Any) -> jax.Array:
    """`values` as a JAX array of floats: float64, unless `DOCENDO_X64=0` left the process in float32.

    Raises:
        ValueError: they are not real numbers, or lists of different lengths.
    """
    require_float64()
    given = values if isinstance(values, AnyArray) else _numbers(values)
    if jnp.iscomplexobj(given):
        raise ValueError(f"real numbers are wanted, got {_short(values)}. Take its real part: np.real(array).")
    return jnp.asarray(given, dtype=float)


def _numbers(values: Any) -> Any:
    """Lists and single numbers; what JAX traces stays as it is."""
    try:
        given = np.asarray(values) if not _holds_traced(values) else jnp.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"an array of real numbers is wanted, got {_short(values)}: {error}.") from error
    if given.dtype.kind not in "biufc" and not jnp.issubdtype(given.dtype, np.floating):
        raise ValueError(f"an array of real numbers is wanted, got {_short(values)}. For example np.zeros((2, 3)).")
    return given


def _holds_traced(values: Any) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


def _short(values: Any) -> str:
    text = repr(values)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _switch_on() -> None:
    if jax.config.read("jax_enable_x64") or _left_alone():
        return
    jax.config.update("jax_enable_x64", True)
    if docendo._jax_came_first:
        warnings.warn(
            "docendo turned on jax_enable_x64 for this process: its exact results need float64. "
            "Set DOCENDO_X64=0 before importing docendo to leave JAX as it was.",
            stacklevel=2,
        )


_switch_on()
