"""What every student shares.

A student whose scores do not depend on X is, to the population loss, two arrays per head: a value W_V (M, d) and
scores S (D, D), its output being σ(Σ_h W_V,h X S_h). It says how its parameters make them (`heads`); the loss knows
nothing else, and derivatives run through that map. A student whose scores depend on X has no such map and derives
from `Student` alone: it is trained and judged by sampling.
"""

import abc
import functools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import is_concrete
from docendo.precision import AnyArray, as_array

__all__ = ["Parameters", "PositionStudent", "Shaped", "Student", "Valued", "legible"]

Parameters = dict[str, Array]

Self = TypeVar("Self", bound="Student")


def legible(describe: Callable[[Any], str]) -> Callable[[Any], str]:
    """Make a student's `__repr__` stand for what else has its structure: gradients, and what tree maps make of it."""

    @functools.wraps(describe)
    def text(self: Any) -> str:
        try:
            words = describe(self)
        except (AttributeError, IndexError, TypeError, ValueError):  # leaves that are no arrays, or of other shapes
            return eqx.tree_pformat(self)
        scale = getattr(self, "logit_scale", None)
        # A student's τ is positive; where it is fixed, a gradient has zero in its place.
        is_gradient = isinstance(scale, AnyArray) and is_concrete(scale) and not np.asarray(scale).any()
        return f"gradient in the structure of {words}" if is_gradient else words

    return text


@runtime_checkable
class Shaped(Protocol):
    """What a zero start is shaped and activated like: a teacher, without importing one, or another student."""

    @property
    def tokens(self) -> int:
        """D."""

    @property
    def features(self) -> int:
        """d."""

    @property
    def channels(self) -> int:
        """M."""

    @property
    def activation(self) -> Activation | None:
        """σ."""


@runtime_checkable
class Valued(Shaped, Protocol):
    """What a start that knows a part of V* is made from."""

    @property
    def value(self) -> Array:
        """V* (M, d)."""


class Student(eqx.Module):
    """A map from inputs X (d, D) to outputs (M, D), with the names of the fields that training moves."""

    trained: ClassVar[tuple[str, ...]]
    activation: eqx.AbstractVar[Activation | None]

    @property
    @abc.abstractmethod
    def tokens(self) -> int:
        """D."""

    @property
    @abc.abstractmethod
    def features(self) -> int:
        """d."""

    @property
    @abc.abstractmethod
    def channels(self) -> int:
        """M."""

    @abc.abstractmethod
    def preactivation(self, x: Float[AnyArray, "*batch d D"]) -> Float[Array, "*batch M D"]:
        """The output before σ."""

    def __call__(self, x: Float[AnyArray, "*batch d D"]) -> Float[Array, "*batch M D"]:
        """The output TF for one input or a batch of them.

        Raises:
            ValueError: the student was made without an activation.
        """
        if self.activation is None:
            raise ValueError(
                "this student was made without an activation, so its output is not defined. "
                "Pass activation=dc.relu (say) when making it, or use student.preactivation(x)."
            )
        return self.activation(self.preactivation(x))

    def parameters(self) -> Parameters:
        """The trained arrays by field name."""
        return {name: getattr(self, name) for name in self.trained}

    def with_parameters(self: Self, parameters: Mapping[str, AnyArray]) -> Self:
        """This student with other trained arrays."""
        arrays = [as_array(array) for array in parameters.values()]
        return eqx.tree_at(lambda student: [getattr(student, name) for name in parameters], self, arrays)

    def without_activation(self: Self) -> Self:
        """This student with σ left open, so that a teacher of any activation may judge it."""
        return eqx.tree_at(lambda student: student.activation, self, None, is_leaf=lambda leaf: leaf is None)

    def with_frozen_zeros(self: Self, parameters: Parameters) -> Self:
        """The structure of this student holding `parameters`, and zeros where training moves nothing.

        This is the form of a gradient: p − η g over the two trees is one step of descent.
        """
        return jax.tree.map(jnp.zeros_like, self).with_parameters(parameters)


class PositionStudent(Student):
    """A student whose scores depend on positions only (arXiv 2603.22801, equation (2.4), for one head)."""

    @abc.abstractmethod
    def heads(self) -> tuple[Float[Array, "H M d"], Float[Array, "H D D"]]:
        """The values and the scores of all heads."""

    def preactivation(self, x: Float[AnyArray, "*batch d D"]) -> Float[Array, "*batch M D"]:
        values, scores = self.heads()
        return jnp.einsum("hma,...aj,hji->...mi", values, x, scores)
