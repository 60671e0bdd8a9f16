"""A student trained on digits, and what of its attention the figures and the findings share."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docendo.experiments.task import scores
from docendo.teachers.base import Teacher
from docendo.training import Run

__all__ = ["GRID", "POOL", "Part"]

GRID = 9
POOL = 3


@dataclass(frozen=True)
class Part:
    """What one activation gave.

    Attributes:
        name: the activation's.
        accuracy: of the network, on images held out.
        tested: how many these are.
        ink: (9, 9), the share of the student's images in which a patch is not all background.
        teacher: what of the network is f*.
        run: the student's.
    """

    name: str
    accuracy: float
    tested: int
    ink: NDArray[np.float64]
    teacher: Teacher
    run: Run

    @property
    def kept(self) -> NDArray[np.float64]:
        """By output: the attention that each one pays to its own pooling group, on the grid; the teacher's is 1."""
        return self._inside.sum(0).reshape(GRID, GRID)

    @property
    def received(self) -> NDArray[np.float64]:
        """By token: the attention that each one gets from the outputs of its own group; the teacher's is 1.

        This is the heat map's row of that token, within its block.
        """
        return self._inside.sum(1).reshape(GRID, GRID)

    @property
    def _inside(self) -> NDArray[np.float64]:
        return np.where(np.asarray(self.teacher.support), scores(self.run), 0.0)
