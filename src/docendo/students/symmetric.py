"""The student of a symmetric problem, known by C1 and the gaps between its logits.

It stands for W_V = C1 V* and columns of S that hold two values, by Lemma D.2 of arXiv 2603.22801 the only form that
training from zero takes for a `docendo.teachers.symmetric` teacher.
"""

from typing import Any, ClassVar, NoReturn, Protocol, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from docendo.activations import Activation
from docendo.checks import check_positive
from docendo.precision import AnyArray, as_array
from docendo.students.base import Student, legible

__all__ = ["SymmetricStudent"]


@runtime_checkable
class Sized(Protocol):
    """What a zero start is sized and activated like: a symmetric teacher, without importing one."""

    @property
    def tokens(self) -> int:
        """D."""

    @property
    def sizes(self) -> Any:
        """The distinct support sizes."""

    @property
    def activation(self) -> Activation | None:
        """σ."""


class SymmetricStudent(Student):
    """C1 and one gap for each support size.

    Args:
        tokens: D.
        sizes: (k,) the distinct support sizes K.
        value_scale: C1.
        gaps: (k,) τ(C2 + C3), the logit inside minus the logit outside, by support size.
        logit_scale: τ; left out, 1/√D.
        shift: C1 − 1 where it is known more precisely than by subtraction.
        activation: σ.
    """

    trained: ClassVar[tuple[str, ...]] = ("value_scale", "gaps")

    _tokens: int = eqx.field(static=True)
    sizes: Int[AnyArray, " k"]
    value_scale: Float[Array, ""]
    gaps: Float[Array, " k"]
    logit_scale: Float[Array, ""]
    shift: Float[Array, ""]
    activation: Activation | None

    def __init__(
        self,
        tokens: int,
        sizes: Any,
        value_scale: Any,
        gaps: Any,
        logit_scale: Any = None,
        shift: Any = None,
        activation: Activation | None = None,
    ):
        self._tokens = int(tokens)
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.value_scale, self.gaps = as_array(value_scale), as_array(gaps)
        self.logit_scale = as_array(1 / self._tokens**0.5 if logit_scale is None else logit_scale)
        check_positive("logit_scale", self.logit_scale, 1 / self._tokens**0.5)
        self.shift = self.value_scale - 1 if shift is None else as_array(shift)
        self.activation = activation

    @classmethod
    def zeros(cls, teacher: Sized, logit_scale: Any = None) -> "SymmetricStudent":
        """The paper's start, C1 = 0 and all logits equal."""
        gaps = jnp.zeros(len(teacher.sizes))
        return cls(teacher.tokens, teacher.sizes, 0.0, gaps, logit_scale, activation=teacher.activation)

    @property
    def tokens(self) -> int:
        """D."""
        return self._tokens

    @property
    def inside(self) -> Float[Array, " k"]:
        """The score of a token on the support, by support size."""
        sizes = jnp.asarray(self.sizes)
        return 1 / (sizes + (self.tokens - sizes) * jnp.exp(-self.gaps))

    @property
    def outside(self) -> Float[Array, " k"]:
        """The score of a token off the support, by support size."""
        sizes = jnp.asarray(self.sizes)
        return 1 / (sizes * jnp.exp(self.gaps) + self.tokens - sizes)

    @property
    def features(self) -> NoReturn:
        """Not known."""
        raise self._no("number of features")

    @property
    def channels(self) -> NoReturn:
        """Not known."""
        raise self._no("number of channels")

    def preactivation(self, x: Any) -> NoReturn:
        """Not known."""
        raise self._no("arrays to apply to an input")

    def _no(self, what: str) -> ValueError:
        return ValueError(
            f"{self!r} is known by C1 and its gaps alone and has no {what}. "
            "Train on a teacher with arrays: dc.teachers.random(tokens=16, sparsity=4, ...)."
        )

    @legible
    def __repr__(self) -> str:
        gaps = ", ".join(f"{size}: {gap:.6g}" for size, gap in zip(self.sizes, np.asarray(self.gaps), strict=True))
        return f"SymmetricStudent(tokens={self.tokens}, value_scale={float(self.value_scale):.6g}, gaps={{{gaps}}})"
