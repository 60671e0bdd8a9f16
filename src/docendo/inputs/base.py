"""What a law of X is, and what the laws with a Kronecker covariance have in common."""

import abc

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

__all__ = ["Factored", "Inputs"]


class Inputs(eqx.Module):
    """A law of X."""

    @abc.abstractmethod
    def sample(self, key: PRNGKeyArray, count: int, features: int, tokens: int) -> Float[Array, "n d D"]:
        """Draw `count` independent inputs."""

    @abc.abstractmethod
    def check_sizes(self, features: int, tokens: int) -> None:
        """Raise ValueError when the law cannot produce inputs of this size."""

    def check_moments(self) -> None:
        """Raise ValueError when the second moments, and with them every loss, are infinite."""

    @abc.abstractmethod
    def first_moment(self, features: int, tokens: int) -> Float[Array, "d D"]:
        """E X.

        Raises:
            ValueError: it does not exist, or the law has other sizes.
        """

    @abc.abstractmethod
    def second_moment(self, features: int, tokens: int) -> Float[Array, "d D d D"]:
        """E X_aj X_bk, as an array with axes a, j, b, k.

        Raises:
            ValueError: it is infinite, or the law has other sizes.
        """


class Factored(Inputs):
    """A law with Cov(X_aj, X_bk) = (Σ_d)_ab (Σ_D)_jk and some mean."""

    @property
    @abc.abstractmethod
    def is_gaussian(self) -> bool:
        """Whether X − E X is Gaussian."""

    @abc.abstractmethod
    def feature_factor(self, features: int) -> Float[Array, "d d"] | None:
        """L_d with Σ_d = L_d L_dᵀ; None stands for the unit matrix."""

    @property
    @abc.abstractmethod
    def token_factor(self) -> Float[Array, "D D"] | None:
        """L_D with Σ_D = L_D L_Dᵀ; None stands for the unit matrix."""

    @abc.abstractmethod
    def mean_matrix(self, features: int, tokens: int) -> Float[Array, "d D"] | None:
        """E X; None stands for zero."""

    def first_moment(self, features: int, tokens: int) -> Float[Array, "d D"]:
        self.check_sizes(features, tokens)
        mean = self.mean_matrix(features, tokens)
        return jnp.zeros((features, tokens)) if mean is None else mean

    def second_moment(self, features: int, tokens: int) -> Float[Array, "d D d D"]:
        self.check_moments()
        mean = self.first_moment(features, tokens)
        covariances = _square(self.feature_factor(features), features), _square(self.token_factor, tokens)
        return jnp.einsum("ab,jk->ajbk", *covariances) + jnp.einsum("aj,bk->ajbk", mean, mean)


def _square(factor: Float[Array, "n n"] | None, size: int) -> Float[Array, "n n"]:
    return jnp.eye(size) if factor is None else factor @ factor.T
