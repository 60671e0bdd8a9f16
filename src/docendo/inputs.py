"""Laws of the input X, a matrix of `features` × `tokens`.

An input law can be sampled, and knows the moments that exact losses need. Laws whose covariance factorises,
Cov(X_aj, X_bk) = (Σ_d)_ab (Σ_D)_jk, hand out Cholesky factors: with Σ_d = L_d L_dᵀ and Σ_D = L_D L_Dᵀ, a loss
under the law is the white loss of the whitened vectors L_dᵀ w and L_Dᵀ s.
"""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from docendo.checks import check_axes, check_finite, is_concrete
from docendo.precision import as_array

__all__ = ["Empirical", "Exponential", "Gaussian", "Inputs", "white"]


class Inputs(eqx.Module):
    """A law of X."""

    @abc.abstractmethod
    def sample(self, key: PRNGKeyArray, count: int, features: int, tokens: int) -> Float[Array, "n d D"]:
        """Draw `count` independent inputs."""

    @abc.abstractmethod
    def check_sizes(self, features: int, tokens: int) -> None:
        """Raise ValueError when the law cannot produce inputs of this size."""


class Factored(Inputs):
    """A law with Cov(X) = Σ_d ⊗ Σ_D and some mean."""

    @property
    @abc.abstractmethod
    def is_gaussian(self) -> bool:
        """Whether X − E X is Gaussian."""

    @property
    @abc.abstractmethod
    def feature_factor(self) -> Float[Array, "d d"] | None:
        """L_d with Σ_d = L_d L_dᵀ; None stands for the unit matrix."""

    @property
    @abc.abstractmethod
    def token_factor(self) -> Float[Array, "D D"] | None:
        """L_D with Σ_D = L_D L_Dᵀ; None stands for the unit matrix."""

    @abc.abstractmethod
    def mean_matrix(self, features: int, tokens: int) -> Float[Array, "d D"] | None:
        """E X; None stands for zero."""


class Gaussian(Factored):
    """X = mean + L_d G L_Dᵀ with G standard Gaussian; all arguments left out give white inputs.

    Args:
        feature_covariance: Σ_d (d, d), symmetric positive definite.
        token_covariance: Σ_D (D, D), symmetric positive definite.
        mean: E X (d, D).

    Raises:
        ValueError: a covariance is not square, not symmetric, or has an eigenvalue that is not positive (named).
    """

    feature_covariance: Float[Array, "d d"] | None
    token_covariance: Float[Array, "D D"] | None
    mean: Float[Array, "d D"] | None
    feature_cholesky: Float[Array, "d d"] | None
    token_cholesky: Float[Array, "D D"] | None

    def __init__(self, feature_covariance: Any = None, token_covariance: Any = None, mean: Any = None):
        self.feature_covariance, self.feature_cholesky = _factorised("feature_covariance", feature_covariance)
        self.token_covariance, self.token_cholesky = _factorised("token_covariance", token_covariance)
        self.mean = None if mean is None else as_array(mean)
        if self.mean is not None:
            check_axes("mean", self.mean, "features tokens", {})
            check_finite("mean", self.mean)

    @property
    def is_gaussian(self) -> bool:
        return True

    @property
    def feature_factor(self) -> Float[Array, "d d"] | None:
        return self.feature_cholesky

    @property
    def token_factor(self) -> Float[Array, "D D"] | None:
        return self.token_cholesky

    def mean_matrix(self, features: int, tokens: int) -> Float[Array, "d D"] | None:
        return self.mean

    def check_sizes(self, features: int, tokens: int) -> None:
        sizes = {"features": features, "tokens": tokens}
        if self.feature_covariance is not None:
            check_axes("feature_covariance", self.feature_covariance, "features features", sizes)
        if self.token_covariance is not None:
            check_axes("token_covariance", self.token_covariance, "tokens tokens", sizes)
        if self.mean is not None:
            check_axes("mean", self.mean, "features tokens", sizes)

    def sample(self, key: PRNGKeyArray, count: int, features: int, tokens: int) -> Float[Array, "n d D"]:
        x = jax.random.normal(key, (count, features, tokens))
        if self.feature_factor is not None:
            x = jnp.einsum("ab,nbj->naj", self.feature_factor, x)
        if self.token_factor is not None:
            x = jnp.einsum("naj,kj->nak", x, self.token_factor)
        return x if self.mean is None else x + self.mean

    def __repr__(self) -> str:
        given = [
            f"{name}={tuple(part.shape)}"
            for name in ("feature_covariance", "token_covariance", "mean")
            if (part := getattr(self, name)) is not None
        ]
        return f"Gaussian({', '.join(given)})"


class Exponential(Factored):
    """Independent standard exponential entries (mean 1, variance 1), with the mean taken off when `centred`."""

    centred: bool = eqx.field(static=True)

    def __init__(self, centred: bool = False):
        self.centred = bool(centred)

    @property
    def is_gaussian(self) -> bool:
        return False

    @property
    def feature_factor(self) -> None:
        return None

    @property
    def token_factor(self) -> None:
        return None

    def mean_matrix(self, features: int, tokens: int) -> Float[Array, "d D"] | None:
        return None if self.centred else jnp.ones((features, tokens))

    def check_sizes(self, features: int, tokens: int) -> None:
        """Every size will do."""

    def sample(self, key: PRNGKeyArray, count: int, features: int, tokens: int) -> Float[Array, "n d D"]:
        x = jax.random.exponential(key, (count, features, tokens))
        return x - 1 if self.centred else x

    def __repr__(self) -> str:
        return f"Exponential(centred={self.centred})"


class Empirical(Inputs):
    """The uniform law on given inputs: every expectation under it is a finite average, hence exact.

    Args:
        array: (n, d, D), n inputs.

    Raises:
        ValueError: the array has other axes, is empty, or holds a non-finite entry.
    """

    array: Float[Array, "n d D"]

    def __init__(self, array: Any):
        self.array = as_array(array)
        check_axes("array", self.array, "inputs features tokens", {})
        check_finite("array", self.array)

    def check_sizes(self, features: int, tokens: int) -> None:
        check_axes("array", self.array, "inputs features tokens", {"features": features, "tokens": tokens})

    def sample(self, key: PRNGKeyArray, count: int, features: int, tokens: int) -> Float[Array, "n d D"]:
        chosen = jax.random.randint(key, (count,), 0, self.array.shape[0])
        return self.array[chosen]

    def __repr__(self) -> str:
        n, features, tokens = self.array.shape
        return f"Empirical(inputs={n}, features={features}, tokens={tokens})"


def _factorised(name: str, covariance: Any) -> tuple[Array | None, Array | None]:
    """A covariance, checked, with its lower Cholesky factor."""
    if covariance is None:
        return None, None
    matrix = as_array(covariance)
    check_axes(name, matrix, "rows columns", {"columns": matrix.shape[0]} if matrix.ndim == 2 else {})
    check_finite(name, matrix)
    if is_concrete(matrix):
        _check_positive_definite(name, np.asarray(matrix))
    return matrix, jnp.linalg.cholesky(matrix)


def _check_positive_definite(name: str, matrix: np.ndarray) -> None:
    asymmetry = np.abs(matrix - matrix.T).max()
    if asymmetry > 1e-12 * np.abs(matrix).max():
        raise ValueError(
            f"{name} must be symmetric, but differs from its transpose by {asymmetry:.3g}. "
            f"Symmetrise it: {name} = ({name} + {name}.T) / 2."
        )
    smallest = np.linalg.eigvalsh(matrix)[0]
    if smallest <= len(matrix) * np.finfo(float).eps * np.abs(matrix).max():
        raise ValueError(
            f"{name} must be positive definite, but its smallest eigenvalue is {smallest:.6g}. "
            f"Add a little to the diagonal: {name} + 1e-6 * np.eye({len(matrix)})."
        )


white = Gaussian()
