"""Laws with independent entries, all of one law on the line.

Each is its textbook form times `scale`. What an exact loss of the identity needs of them is mean and variance of
an entry; `standardised` gives the same shape with mean 0 and variance 1, which the identity cannot tell from white
Gaussian inputs.
"""

import abc
import math
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from docendo.checks import check_positive
from docendo.inputs.base import Factored

__all__ = ["Entries", "Exponential", "Gumbel", "Laplace", "Rademacher", "StudentT", "Uniform"]


class Entries(Factored):
    """X_aj = scale · Z_aj, with Z_aj independent, all of one law, from which its mean is taken off when `centred`."""

    # Whether the textbook form has a mean, and `centred` a meaning.
    _has_mean: ClassVar[bool] = False

    scale: float = eqx.field(static=True)
    centred: bool = eqx.field(static=True)

    def __init__(self, scale: Any = 1.0, centred: bool = True):
        check_positive("scale", scale, 1.0)
        self.scale, self.centred = float(scale), bool(centred)

    @abc.abstractmethod
    def draw(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
        """Independent Z."""

    @abc.abstractmethod
    def standard_mean(self) -> float:
        """E Z.

        Raises:
            ValueError: it does not exist.
        """

    @abc.abstractmethod
    def standard_variance(self) -> float:
        """Var Z.

        Raises:
            ValueError: it is infinite.
        """

    def standardised(self) -> "Entries":
        """The law of the same shape with mean 0 and variance 1.

        Raises:
            ValueError: the variance is infinite.
        """
        settings = self._settings() | {"scale": 1 / math.sqrt(self.standard_variance())}
        return type(self)(**settings | ({"centred": True} if self._has_mean else {}))

    def _settings(self) -> dict[str, Any]:
        return ({"centred": self.centred} if self._has_mean else {}) | {"scale": self.scale}

    @property
    def is_gaussian(self) -> bool:
        return False

    def check_sizes(self, features: int, tokens: int) -> None:
        """Every size will do."""

    def check_moments(self) -> None:
        self.standard_variance()

    def feature_factor(self, features: int) -> Float[Array, "d d"] | None:
        deviation = self.scale * math.sqrt(self.standard_variance())
        return None if abs(deviation - 1) <= np.finfo(float).eps else deviation * jnp.eye(features)

    @property
    def token_factor(self) -> None:
        return None

    def mean_matrix(self, features: int, tokens: int) -> Float[Array, "d D"] | None:
        mean = 0.0 if self.centred else self.scale * self.standard_mean()
        return None if mean == 0 else jnp.full((features, tokens), mean)

    def sample(self, key: PRNGKeyArray, count: int, features: int, tokens: int) -> Float[Array, "n d D"]:
        drawn = self.draw(key, (count, features, tokens))
        shift = self.standard_mean() if self.centred and self._has_mean else 0.0
        return self.scale * (drawn - shift)

    def __repr__(self) -> str:
        said = {name: value for name, value in self._settings().items() if (name, value) != ("scale", 1)}
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in said.items())})"


# Type checkers read modules as dataclasses, which do not inherit a constructor: each law below has its own.
class Skewed(Entries):
    """A law whose textbook form has a mean."""

    _has_mean: ClassVar[bool] = True


class Exponential(Skewed):
    """The exponential law, density e^(−z) for z ≥ 0: mean 1, variance 1, both for scale 1.

    Args:
        centred: take the mean off.
        scale: factor of every entry, positive.
    """

    def __init__(self, centred: bool = False, scale: Any = 1.0):
        super().__init__(scale, centred)

    def draw(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
        return jax.random.exponential(key, shape)

    def standard_mean(self) -> float:
        return 1.0

    def standard_variance(self) -> float:
        return 1.0


class Gumbel(Skewed):
    """The Gumbel law, distribution function exp(−e^(−z)): mean γ = 0.577…, variance π²/6, both for scale 1.

    Args:
        centred: take the mean off.
        scale: factor of every entry, positive.
    """

    def __init__(self, centred: bool = False, scale: Any = 1.0):
        super().__init__(scale, centred)

    def draw(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
        return jax.random.gumbel(key, shape)

    def standard_mean(self) -> float:
        return float(np.euler_gamma)

    def standard_variance(self) -> float:
        return math.pi**2 / 6


class Symmetric(Entries):
    """A law that is its own mirror image, so that its mean, where it has one, is zero."""

    def __init__(self, scale: Any = 1.0):
        super().__init__(scale, centred=True)

    def standard_mean(self) -> float:
        return 0.0


class Laplace(Symmetric):
    """The Laplace law, density e^(−|z|)/2 for scale 1: variance 2.

    Args:
        scale: factor of every entry, positive.
    """

    def __init__(self, scale: Any = 1.0):
        super().__init__(scale)

    def draw(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
        return jax.random.laplace(key, shape)

    def standard_variance(self) -> float:
        return 2.0


class Uniform(Symmetric):
    """The uniform law on [−scale, scale]: variance scale²/3.

    Args:
        scale: half its width, positive.
    """

    def __init__(self, scale: Any = 1.0):
        super().__init__(scale)

    def draw(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
        return jax.random.uniform(key, shape, minval=-1.0, maxval=1.0)

    def standard_variance(self) -> float:
        return 1 / 3


class Rademacher(Symmetric):
    """A fair sign, times scale: variance scale².

    Args:
        scale: the size of every entry, positive.
    """

    def __init__(self, scale: Any = 1.0):
        super().__init__(scale)

    def draw(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
        return jax.random.rademacher(key, shape, dtype=float)

    def standard_variance(self) -> float:
        return 1.0


class StudentT(Symmetric):
    """Student's t with ν degrees of freedom: variance ν/(ν − 2) for scale 1.

    Where ν ≤ 2 it has no second moment, and so no loss: it can be drawn from and nothing else.

    Args:
        degrees_of_freedom: ν, positive.
        scale: factor of every entry, positive.
    """

    degrees_of_freedom: float = eqx.field(static=True)

    def __init__(self, degrees_of_freedom: Any, scale: Any = 1.0):
        check_positive("degrees_of_freedom", degrees_of_freedom, 5)
        super().__init__(scale)
        self.degrees_of_freedom = float(degrees_of_freedom)

    def draw(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
        return jax.random.t(key, self.degrees_of_freedom, shape)

    def standard_mean(self) -> float:
        self._check(1, "mean")
        return 0.0

    def standard_variance(self) -> float:
        self._check(2, "variance, and so a loss,")
        return self.degrees_of_freedom / (self.degrees_of_freedom - 2)

    def mean_matrix(self, features: int, tokens: int) -> None:
        self.standard_mean()

    def _settings(self) -> dict[str, Any]:
        return {"degrees_of_freedom": self.degrees_of_freedom} | super()._settings()

    def _check(self, least: int, moment: str) -> None:
        if self.degrees_of_freedom <= least:
            raise ValueError(
                f"Student's t has a {moment} for more than {least} degrees of freedom only, got "
                f"degrees_of_freedom={self.degrees_of_freedom:g}. Try dc.inputs.StudentT(5)."
            )
