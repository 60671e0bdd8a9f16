"""Curves whose powers are known, for judges to be tested on."""

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from docendo.theory.curve import Curve, Family

__all__ = ["STEPS", "family"]

STEPS = np.geomspace(1e2, 1e8, 60)


def family(over: Mapping[str, Sequence[float]], quantity: Callable[..., np.ndarray], source: str = "formula") -> Family:
    """One curve for each combination of the variables; `quantity` takes T and the variables by name."""
    points = [dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())]
    return [Curve(point, STEPS, np.asarray(quantity(STEPS, **point)), None, source) for point in points]
