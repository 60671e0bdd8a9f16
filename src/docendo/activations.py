"""The activations σ_κ and the Gaussian integrals the population loss is made of.

One family holds every activation of the paper (arXiv 2603.22801, Section 2): σ_κ(z) = z for z > 0 and κ z
otherwise, that is σ_κ(z) = (1+κ)/2 · z + (1−κ)/2 · |z|. κ = 1 is the identity, κ = 0 ReLU, 0 < κ < 1 Leaky ReLU.

With α = ((1+κ)/2)² and β = ((1−κ)/2)², and (z, z*) jointly Gaussian with mean zero, standard deviations a, b and
correlation cos θ,

    ½ E(σ(z) − σ(z*))² = ½ [ (α+β) E(z − z*)² − (4β/π) a b (sin θ − θ cos θ) ].

The second term is of third order in θ: nothing cancels as z → z*, provided that E(z − z*)² and θ are themselves
made from differences, as `docendo.population.overlaps` makes them.
"""

import abc
import math
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.checks import check_finite, is_concrete
from docendo.precision import AnyArray, as_array

__all__ = ["Activation", "Identity", "LeakyReLU", "identity", "leaky_relu", "relu", "sine_minus_angle_cosine"]

Scalar = Float[Array, ""] | float


class Activation(eqx.Module):
    """A piecewise linear function σ_κ, applied entry by entry."""

    @property
    @abc.abstractmethod
    def slope(self) -> Scalar:
        """κ, the slope for negative arguments."""

    @property
    @abc.abstractmethod
    def is_linear(self) -> bool:
        """Whether σ is the identity by construction, so that no angle is ever needed."""

    @abc.abstractmethod
    def __call__(self, z: Float[AnyArray, "*shape"]) -> Float[Array, "*shape"]:
        """σ(z), entry by entry. Its derivative at 0 is the symmetric one, (1+κ)/2, which lets a zero start move."""

    @property
    def alpha(self) -> Scalar:
        """α = ((1+κ)/2)²."""
        return ((1 + self.slope) / 2) ** 2

    @property
    def beta(self) -> Scalar:
        """β = ((1−κ)/2)²."""
        return ((1 - self.slope) / 2) ** 2

    @property
    def second_moment(self) -> Scalar:
        """α + β = (1+κ²)/2, which is E σ(z)² for a standard Gaussian z."""
        return (1 + self.slope**2) / 2


class Identity(Activation):
    """σ(z) = z."""

    @property
    def slope(self) -> Scalar:
        return 1.0

    @property
    def is_linear(self) -> bool:
        return True

    def __call__(self, z: Float[AnyArray, "*shape"]) -> Float[Array, "*shape"]:
        return as_array(z)

    def __repr__(self) -> str:
        return "identity"


class LeakyReLU(Activation):
    """σ(z) = z for z > 0 and κ z otherwise, with κ = `negative_slope`."""

    negative_slope: Float[Array, ""]

    def __init__(self, negative_slope: Any):
        self.negative_slope = as_array(negative_slope)

    @property
    def slope(self) -> Scalar:
        return self.negative_slope

    @property
    def is_linear(self) -> bool:
        return False

    def __call__(self, z: Float[AnyArray, "*shape"]) -> Float[Array, "*shape"]:
        # jax.numpy.abs has derivative 1 at 0; z sign(z) has 0 there, which is the symmetric choice.
        z = as_array(z)
        return z * ((1 + self.slope) / 2 + (1 - self.slope) / 2 * jnp.sign(z))

    def __repr__(self) -> str:
        if not is_concrete(self.negative_slope):
            return "leaky_relu(traced)"
        return "relu" if self.negative_slope == 0 else f"leaky_relu({float(self.negative_slope):g})"


def leaky_relu(negative_slope: Any) -> Activation:
    """The activation with slope κ = `negative_slope` for negative arguments.

    Args:
        negative_slope: κ in (−1, 1]. κ = 1 gives the identity itself.

    Raises:
        ValueError: κ is not finite or outside (−1, 1]. At κ = −1 (the absolute value) the loss is even in W_V, so
            the zero start never moves.
    """
    check_finite("negative_slope", negative_slope)
    if is_concrete(negative_slope):
        if not -1 < negative_slope <= 1:
            raise ValueError(f"negative_slope lies in (-1, 1], got {negative_slope}. For example dc.leaky_relu(0.1).")
        if negative_slope == 1:
            return identity
    return LeakyReLU(negative_slope)


def sine_minus_angle_cosine(angle: Float[AnyArray, "*shape"]) -> Float[Array, "*shape"]:
    """sin θ − θ cos θ for θ in [0, π], to full relative precision.

    Below 0.5 the difference cancels, so its series Σ_k (−1)^(k+1) 2k θ^(2k+1) / (2k+1)! is summed instead.
    """
    square = angle * angle
    coefficients = [(-1) ** (k + 1) * 2 * k / math.factorial(2 * k + 1) for k in range(9, 0, -1)]
    series = jnp.polyval(jnp.array(coefficients), jnp.where(angle < 0.5, square, 0.0))
    return jnp.where(angle < 0.5, angle * square * series, jnp.sin(angle) - angle * jnp.cos(angle))


identity = Identity()
relu = LeakyReLU(0.0)
