"""The columns of S* in kinds, and in each column the tokens in kinds: those of equal weight.

Under white inputs, with orthonormal P and from zero, tokens and columns of one kind move alike, whatever their places.
So what a law or a prediction needs of a teacher is this table, D and ‖V*‖_F.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from docendo.teachers.base import Teacher
from docendo.teachers.symmetric import SymmetricTeacher

__all__ = ["AnyTeacher", "Kinds", "kinds_of"]

AnyTeacher = Teacher | SymmetricTeacher
Reals = NDArray[np.float64]


class Kinds(NamedTuple):
    """n_c columns of kind c, each with m_cl tokens of weight w_cl; where m_cl = 0 there is no such kind of token."""

    tokens: int
    counts: Reals
    copies: Reals
    weights: Reals

    @property
    def sizes(self) -> Reals:
        """K of each kind of column."""
        return np.where(self.weights > 0, self.copies, 0).sum(1)

    @property
    def squares(self) -> Reals:
        """‖s*‖²."""
        return (self.copies * self.weights**2).sum(1)

    @property
    def reciprocals(self) -> Reals:
        """Σ 1/s*_j over the support."""
        present = self.weights > 0
        return np.where(present, self.copies / np.where(present, self.weights, 1), 0).sum(1)

    @property
    def least_weight(self) -> float:
        """The smallest positive weight."""
        return float(self.weights[(self.weights > 0) & (self.copies > 0)].min())

    @property
    def is_uniform(self) -> bool:
        """Whether every column is uniform on its support."""
        return bool((((self.weights > 0) & (self.copies > 0)).sum(1) == 1).all())


def kinds_of(teacher: AnyTeacher) -> Kinds:
    """The table of a teacher."""
    if isinstance(teacher, SymmetricTeacher):
        sizes = np.asarray(teacher.sizes, dtype=float)
        copies = np.stack([teacher.tokens - sizes, sizes], axis=1)
        weights = np.stack([np.zeros_like(sizes), 1 / sizes], axis=1)
        return Kinds(teacher.tokens, np.asarray(teacher.counts, dtype=float), copies, weights)
    columns, counts = np.unique(np.sort(np.asarray(teacher.scores), axis=0), axis=1, return_counts=True)
    kinds = [np.unique(column, return_counts=True) for column in columns.T]
    widest = max(len(weights) for weights, _ in kinds)
    weights = np.stack([np.pad(weights, (0, widest - len(weights))) for weights, _ in kinds])
    copies = np.stack([np.pad(number.astype(float), (0, widest - len(number))) for _, number in kinds])
    return Kinds(teacher.tokens, counts.astype(float), copies, weights)
