"""A quantity along one run, as the judge sees it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curve", "Families", "Family"]


@dataclass(frozen=True, eq=False)
class Curve:
    """A quantity along one run.

    Attributes:
        variables: the run's D, K, M, d, eta, tau, V and kappa, as far as they are defined.
        steps: T at the saves, increasing, positive.
        values: the quantity at each.
        exponents: its local exponent d log q / d log T, where it is known exactly.
        source: the dynamics it comes from, in a few words.
    """

    variables: Mapping[str, float]
    steps: NDArray[np.float64]
    values: NDArray[np.float64]
    exponents: NDArray[np.float64] | None = None
    source: str = "run"


# Curves of one sweep; and sweeps that are judged apart, since their T or their dynamics differ.
Family = list[Curve]
Families = list[Family]
