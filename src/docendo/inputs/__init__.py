"""Laws of the input X, a matrix of `features` × `tokens`.

- `Gaussian`: white, or with a feature and a token covariance, or with a mean;
- `Exponential`, `Gumbel`, `Laplace`, `Uniform`, `Rademacher`, `StudentT`: independent entries of one law;
- `Mixture`: one of several laws, chosen anew for every input;
- `Empirical`: given inputs, equally likely.

An input law can be sampled, and knows its first and second moments and those that exact losses need. Laws whose
covariance factorises, Cov(X_aj, X_bk) = (Σ_d)_ab (Σ_D)_jk, hand out Cholesky factors: with Σ_d = L_d L_dᵀ and
Σ_D = L_D L_Dᵀ, a loss under the law is the white loss of the whitened vectors L_dᵀ w and L_Dᵀ s.
"""

from docendo.inputs.base import Factored, Inputs
from docendo.inputs.empirical import Empirical
from docendo.inputs.entries import Exponential, Gumbel, Laplace, Rademacher, StudentT, Uniform
from docendo.inputs.gaussian import Gaussian, white
from docendo.inputs.mixture import Mixture

__all__ = [
    "Empirical",
    "Exponential",
    "Factored",
    "Gaussian",
    "Gumbel",
    "Inputs",
    "Laplace",
    "Mixture",
    "Rademacher",
    "StudentT",
    "Uniform",
    "white",
]
