"""The paper's student: one head of position-only attention (arXiv 2603.22801, equation (2.4)).

TF(Z) = σ(W_V X S) with S = softmax(τ Pᵀ W_KQ P), column by column, and τ = 1/√D unless told otherwise.
"""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import check_axes, check_finite, check_positive, is_concrete
from docendo.positions import is_orthonormal
from docendo.precision import as_array
from docendo.students.base import PositionStudent, Shaped

__all__ = ["PositionOnly"]


class PositionOnly(PositionStudent):
    """One head of position-only attention.

    Args:
        value: W_V (M, d).
        key_query: W_KQ (E, E), E being the width of the positional encodings (E = D in the paper).
        positions: P (E, D), held fixed; left out, the unit matrix.
        logit_scale: τ, held fixed; left out, 1/√D.
        activation: σ, needed only to call the student on inputs; losses use the teacher's.

    Raises:
        ValueError: shapes disagree (axis and both sizes named), an entry is not finite, or τ ≤ 0.
    """

    trained: ClassVar[tuple[str, ...]] = ("value", "key_query")

    value: Float[Array, "M d"]
    key_query: Float[Array, "E E"]
    positions: Float[Array, "E D"] | None
    logit_scale: Float[Array, ""]
    activation: Activation | None

    def __init__(
        self,
        value: Any,
        key_query: Any,
        positions: Any = None,
        logit_scale: Any = None,
        activation: Activation | None = None,
    ):
        self.value = as_array(value)
        self.key_query = as_array(key_query)
        self.positions = None if positions is None else as_array(positions)
        self.activation = activation
        self._check_shapes()
        self.logit_scale = as_array(1 / self.tokens**0.5 if logit_scale is None else logit_scale)
        check_positive("logit_scale", self.logit_scale, 1 / self.tokens**0.5)

    def _check_shapes(self) -> None:
        check_axes("value", self.value, "channels features", {})
        check_axes("key_query", self.key_query, "width width", {"width": self.key_query.shape[0]})
        check_finite("value", self.value)
        check_finite("key_query", self.key_query)
        if self.positions is not None:
            check_axes("positions", self.positions, "width tokens", {"width": self.key_query.shape[0]})
            check_finite("positions", self.positions)

    @classmethod
    def zeros(cls, teacher: Shaped, positions: Any = None, logit_scale: Any = None) -> "PositionOnly":
        """The paper's start: W_V = 0 and W_KQ = 0, shaped and activated like the teacher."""
        width = teacher.tokens if positions is None else as_array(positions).shape[0]
        value = jnp.zeros((teacher.channels, teacher.features))
        return cls(value, jnp.zeros((width, width)), positions, logit_scale, teacher.activation)

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
    def pattern(self) -> Float[Array, "D D"]:
        """Pᵀ W_KQ P, the logits over τ; Lemma D.2 claims two values per column."""
        if self.positions is None:
            return self.key_query
        positions = jax.lax.stop_gradient(self.positions)
        return positions.T @ self.key_query @ positions

    @property
    def logits(self) -> Float[Array, "D D"]:
        """τ Pᵀ W_KQ P."""
        return jax.lax.stop_gradient(self.logit_scale) * self.pattern

    @property
    def scores(self) -> Float[Array, "D D"]:
        """S, every column a probability vector."""
        return jax.nn.softmax(self.logits, axis=0)

    def heads(self) -> tuple[Float[Array, "1 M d"], Float[Array, "1 D D"]]:
        return self.value[None], self.scores[None]

    @property
    def trains_in_position_basis(self) -> bool:
        """Whether P is orthonormal, so that descent on W_KQ is descent on Pᵀ W_KQ P."""
        return self.positions is None or is_orthonormal(self.positions)

    def in_position_basis(self) -> "PositionOnly":
        """The equivalent student with P = 1, for an orthonormal P."""
        return PositionOnly(self.value, self.pattern, None, self.logit_scale, self.activation)

    def from_position_basis(self, trained: "PositionOnly") -> "PositionOnly":
        """Carry what was trained in the position basis back to this student's own P."""
        if self.positions is None:
            return trained
        moved = self.positions @ (trained.key_query - self.pattern) @ self.positions.T
        return self.with_parameters({"value": trained.value, "key_query": self.key_query + moved})

    def __repr__(self) -> str:
        channels, features = self.value.shape
        basis = "unit" if self.positions is None else f"{tuple(self.positions.shape)}"
        scale = f"{float(self.logit_scale):.4g}" if is_concrete(self.logit_scale) else "traced"
        parts = f"tokens={self.tokens}, features={features}, channels={channels}"
        return f"PositionOnly({parts}, positions={basis}, logit_scale={scale}, activation={self.activation!r})"
