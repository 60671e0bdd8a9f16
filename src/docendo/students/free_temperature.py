"""A logit scale that is trained: S = softmax(e^ϑ Pᵀ W_KQ P), column by column.

τ = e^ϑ is the inverse of the softmax's temperature. What moves is its logarithm ϑ, so that τ stays positive whatever
the step; with the logits ℓ and their derivative G, ∂L/∂ϑ = Σ ℓ ∘ G. (arXiv 2603.22801 holds τ = 1/√D fixed.)
"""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import check_axes, check_finite, is_concrete
from docendo.precision import as_array
from docendo.students.base import PositionStudent, Shaped, legible
from docendo.students.fields import as_positions, as_scale

__all__ = ["FreeTemperature"]


class FreeTemperature(PositionStudent):
    """One head of position-only attention whose logit scale is trained, through its logarithm.

    Args:
        value: W_V (M, d).
        key_query: W_KQ (E, E).
        positions: P (E, D), held fixed; left out, the unit matrix.
        logit_scale: τ, where it starts; left out, 1/√D.
        activation: σ, needed only to call the student on inputs; losses use the teacher's.
        log_scale: ϑ = log τ, where that is known rather than τ.

    Raises:
        ValueError: shapes disagree (axis and both sizes named), an entry is not finite, τ ≤ 0, or τ and ϑ are both
            given and disagree.
    """

    trained: ClassVar[tuple[str, ...]] = ("value", "key_query", "log_scale")

    value: Float[Array, "M d"]
    key_query: Float[Array, "E E"]
    log_scale: Float[Array, ""]
    positions: Float[Array, "E D"] | None
    activation: Activation | None

    def __init__(
        self,
        value: Any,
        key_query: Any,
        positions: Any = None,
        logit_scale: Any = None,
        activation: Activation | None = None,
        log_scale: Any = None,
    ):
        self.value, self.key_query = as_array(value), as_array(key_query)
        self.activation = activation
        check_axes("value", self.value, "channels features", {})
        check_axes("key_query", self.key_query, "width width", {"width": self.key_query.shape[0]})
        check_finite("value", self.value)
        check_finite("key_query", self.key_query)
        self.positions = as_positions(positions, self.key_query.shape[0])
        self.log_scale = self._log_scale(logit_scale, log_scale)

    def _log_scale(self, logit_scale: Any, log_scale: Any) -> Float[Array, ""]:
        if log_scale is None:
            return jnp.log(as_scale(logit_scale, self.tokens))
        given = as_array(log_scale)
        check_axes("log_scale", given, "", {})
        implied = as_scale(jnp.exp(given), self.tokens)
        if logit_scale is not None and is_concrete(implied, logit_scale):
            scale = as_scale(logit_scale, self.tokens)
            if not np.isclose(implied, scale, rtol=1e-12, atol=0):
                raise ValueError(
                    f"logit_scale must be exp(log_scale) where both are given, got logit_scale={float(scale):g} and "
                    f"exp(log_scale)={float(implied):g}. Leave one out: logit_scale={float(scale):g}."
                )
        return given

    @classmethod
    def zeros(cls, teacher: Shaped, positions: Any = None, logit_scale: Any = None) -> "FreeTemperature":
        """W_V = 0 and W_KQ = 0, shaped and activated like the teacher, at the scale given."""
        width = teacher.tokens if positions is None else as_array(positions).shape[0]
        value = jnp.zeros((teacher.channels, teacher.features))
        return cls(value, jnp.zeros((width, width)), positions, logit_scale, teacher.activation)

    @property
    def logit_scale(self) -> Float[Array, ""]:
        """τ."""
        return jnp.exp(self.log_scale)

    @property
    def channels(self) -> int:
        """M."""
        return self.value.shape[0]

    @property
    def features(self) -> int:
        """d."""
        return self.value.shape[1]

    @property
    def tokens(self) -> int:
        """D."""
        return self.key_query.shape[0] if self.positions is None else self.positions.shape[1]

    @property
    def scores(self) -> Float[Array, "D D"]:
        """S, every column a probability vector."""
        positions = jax.lax.stop_gradient(self.positions)
        pattern = self.key_query if positions is None else positions.T @ self.key_query @ positions
        return jax.nn.softmax(self.logit_scale * pattern, axis=0)

    def heads(self) -> tuple[Float[Array, "1 M d"], Float[Array, "1 D D"]]:
        return self.value[None], self.scores[None]

    @legible
    def __repr__(self) -> str:
        channels, features = self.value.shape
        scale = f"{float(self.logit_scale):.4g}" if is_concrete(self.log_scale) else "traced"
        parts = f"tokens={self.tokens}, features={features}, channels={channels}, logit_scale={scale}"
        return f"FreeTemperature({parts}, activation={self.activation!r})"
