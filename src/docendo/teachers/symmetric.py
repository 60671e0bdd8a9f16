"""A teacher known by its support sizes alone.

Where every column of S* is uniform on its support, training from zero depends on the teacher only through D, how many
columns have which support size K, ‖V*‖_F and σ (arXiv 2603.22801, Lemma D.2). Such a teacher needs no D × D array, so
D may be a million. `docendo.Reduced` and `docendo.GradientFlow` train on it, and claims are judged on it; whatever
needs V* or S* themselves refuses it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float, Int

from docendo.activations import Activation, identity
from docendo.checks import check_count, check_positive
from docendo.precision import AnyArray, as_array
from docendo.teachers.base import Teacher

__all__ = ["AnyTeacher", "SymmetricTeacher", "symmetric"]


class SymmetricTeacher(eqx.Module):
    """A teacher with uniform columns; `docendo.teachers.symmetric` makes one from friendlier arguments.

    Args:
        tokens: D.
        sizes: (k,) the distinct support sizes K.
        counts: (k,) how many columns have each; they sum to D.
        value_norm: ‖V*‖_F.
        activation: σ.

    Raises:
        ValueError: a size is not between 1 and D, the counts do not sum to D, or ‖V*‖_F is not positive.
    """

    tokens: int = eqx.field(static=True)
    sizes: Int[AnyArray, " k"]
    counts: Int[AnyArray, " k"]
    value_norm: Float[Array, ""]
    activation: Activation

    def __init__(self, tokens: int, sizes: Any, counts: Any, value_norm: Any, activation: Activation = identity):
        self.tokens = check_count("tokens", tokens)
        self.sizes, self.counts = np.asarray(sizes, dtype=np.int64), np.asarray(counts, dtype=np.int64)
        check_positive("value_norm", value_norm, 1.0)
        self.value_norm = as_array(value_norm)
        self.activation = activation
        _check_sizes(self.tokens, self.sizes, self.counts)

    @property
    def support_sizes(self) -> np.ndarray:
        """K_i of each column, ascending; (D,) ints."""
        return np.sort(np.repeat(self.sizes, self.counts))

    @property
    def sparsity(self) -> int | None:
        """K when all columns have the same support size, else None."""
        return int(self.sizes[0]) if len(self.sizes) == 1 else None

    @property
    def value(self) -> NoReturn:
        """Not known."""
        raise self._no("V*")

    @property
    def scores(self) -> NoReturn:
        """Not known."""
        raise self._no("S*")

    @property
    def features(self) -> NoReturn:
        """Not known."""
        raise self._no("number of features")

    @property
    def channels(self) -> NoReturn:
        """Not known."""
        raise self._no("number of channels")

    def _no(self, what: str) -> ValueError:
        return ValueError(
            f"{self!r} is known by its support sizes alone and has no {what}. Train it by dc.Reduced or "
            "dc.GradientFlow, or make a teacher with arrays: dc.teachers.random(tokens=16, sparsity=4, ...)."
        )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{size}: {count}" for size, count in zip(self.sizes, self.counts, strict=True))
        sparsity = self.sparsity if self.sparsity is not None else f"{{{sizes}}}"
        parts = f"tokens={self.tokens}, sparsity={sparsity}, value_norm={float(self.value_norm):.6g}"
        return f"SymmetricTeacher({parts}, activation={self.activation!r})"


AnyTeacher = Teacher | SymmetricTeacher


def symmetric(
    tokens: int,
    sparsity: int | Mapping[int, int] | Sequence[int] | np.ndarray,
    value_norm: Any,
    activation: Activation = identity,
) -> SymmetricTeacher:
    """A teacher with uniform columns, from its support sizes.

    Args:
        tokens: D, up to a million and beyond: no array of its size is kept.
        sparsity: K for every column; or one K for each column; or a mapping from K to how many columns have it.
        value_norm: ‖V*‖_F. How it is spread over channels and features makes no difference.
        activation: σ.

    Raises:
        ValueError: a support size is not between 1 and D, the columns are not D in number, or ‖V*‖_F is not positive.

    Example:
        >>> dc.teachers.symmetric(tokens=10**6, sparsity={1: 500_000, 4: 500_000}, value_norm=10.0)
    """
    count = check_count("tokens", tokens)
    if isinstance(sparsity, Mapping):
        return SymmetricTeacher(count, list(sparsity), list(sparsity.values()), value_norm, activation)
    if np.ndim(sparsity) == 0:
        return SymmetricTeacher(count, [check_count("sparsity", sparsity)], [count], value_norm, activation)
    sizes, counts = np.unique(np.asarray(sparsity), return_counts=True)
    if (sizes != np.floor(sizes)).any():
        raise ValueError(f"support sizes are whole numbers, got sparsity {sizes[sizes != np.floor(sizes)][0]}. Try 1.")
    return SymmetricTeacher(count, sizes, counts, value_norm, activation)


def _check_sizes(tokens: int, sizes: np.ndarray, counts: np.ndarray) -> None:
    wrong = sizes[(sizes < 1) | (sizes > tokens)]
    if wrong.size:
        raise ValueError(
            f"a support has between 1 and tokens={tokens} tokens, got sparsity {wrong[0]}. For example sparsity=1."
        )
    if (counts < 1).any() or counts.sum() != tokens:
        raise ValueError(
            f"the columns must be tokens={tokens} in number, but sparsity speaks of {counts.sum()}. "
            f"For example sparsity={int(sizes[0]) if sizes.size else 1} for all of them."
        )
