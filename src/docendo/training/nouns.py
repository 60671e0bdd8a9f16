"""Teachers, students and input laws as plain data: a JSON description beside named arrays, and back.

A noun is described by its type's name and what its constructor takes, so that reading it back goes through the
constructor and its checks. Only the types listed here are ever made; nothing stored is executed.
"""

import inspect
from typing import Any

import equinox as eqx
import jax
import numpy as np

from docendo import inputs
from docendo.activations import Identity, LeakyReLU
from docendo.students import (
    ContentAttention,
    FactoredPositionOnly,
    FreeTemperature,
    LearnedPositions,
    MultiHead,
    PositionOnly,
    RelativePositions,
    SymmetricStudent,
)
from docendo.teachers.base import Teacher
from docendo.teachers.symmetric import SymmetricTeacher

__all__ = ["describe", "restore"]

_TYPES = {
    kind.__name__: kind
    for kind in (
        Teacher,
        SymmetricTeacher,
        PositionOnly,
        SymmetricStudent,
        MultiHead,
        FactoredPositionOnly,
        LearnedPositions,
        FreeTemperature,
        RelativePositions,
        ContentAttention,
        Identity,
        LeakyReLU,
        inputs.Gaussian,
        inputs.Exponential,
        inputs.Gumbel,
        inputs.Laplace,
        inputs.Rademacher,
        inputs.StudentT,
        inputs.Uniform,
        inputs.Mixture,
        inputs.Empirical,
    )
}


def describe(noun: Any, name: str) -> tuple[Any, dict[str, np.ndarray]]:
    """A JSON-ready description of a noun, and its arrays keyed by path, beginning with `name`."""
    if isinstance(noun, eqx.Module):
        parts = {p: describe(getattr(noun, p), f"{name}.{p}") for p in _constructor_names(type(noun))}
        fields = {part: spec for part, (spec, _) in parts.items()}
        arrays = {path: array for _, found in parts.values() for path, array in found.items()}
        return {"type": type(noun).__name__, "fields": fields}, arrays
    if isinstance(noun, tuple):
        described = [describe(part, f"{name}.{place}") for place, part in enumerate(noun)]
        return [spec for spec, _ in described], {path: array for _, found in described for path, array in found.items()}
    if isinstance(noun, (jax.Array, np.ndarray)):
        return {"array": name}, {name: np.asarray(noun)}
    return noun, {}


def restore(spec: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The noun that `describe` described.

    Raises:
        ValueError: a type that is not one of docendo's, or an array that is missing.
    """
    if isinstance(spec, list):
        return [restore(part, arrays) for part in spec]
    if not isinstance(spec, dict):
        return spec
    if "array" in spec:
        if spec["array"] not in arrays:
            raise ValueError(f"the array {spec['array']!r} is missing from the file. Save the run again.")
        return arrays[spec["array"]]
    if spec.get("type") not in _TYPES:
        raise ValueError(
            f"{spec.get('type')!r} is not a type this version of docendo knows. Known: {', '.join(_TYPES)}."
        )
    return _TYPES[spec["type"]](**{part: restore(inner, arrays) for part, inner in spec["fields"].items()})


def _constructor_names(kind: type) -> list[str]:
    return list(inspect.signature(kind).parameters)
