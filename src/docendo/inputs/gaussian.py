"""Gaussian inputs, white or with a Kronecker covariance, with or without a mean."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from docendo.checks import check_axes, check_finite, is_concrete
from docendo.inputs.base import Factored
from docendo.precision import as_array

__all__ = ["Gaussian", "white"]


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

    def feature_factor(self, features: int) -> Float[Array, "d d"] | None:
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
        if self.feature_cholesky is not None:
            x = jnp.einsum("ab,nbj->naj", self.feature_cholesky, x)
        if self.token_cholesky is not None:
            x = jnp.einsum("naj,kj->nak", x, self.token_cholesky)
        return x if self.mean is None else x + self.mean

    def __repr__(self) -> str:
        given = [
            f"{name}={tuple(part.shape)}"
            for name in ("feature_covariance", "token_covariance", "mean")
            if (part := getattr(self, name)) is not None
        ]
        return f"Gaussian({', '.join(given)})"


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
