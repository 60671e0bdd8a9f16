"""The full one-layer transformer, whose attention sees the content as well (arXiv 2603.22801, equation (2.5)).

TF(Z) = σ(W̃_V Z S(Z)) with Z = [X; P] and S(Z) = softmax(τ Zᵀ W̃_KQ Z), column by column. The paper's Figure 1 trains
it and finds that only the blocks kept by the position-only student end up large.
"""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import check_axes, check_finite, check_positive
from docendo.precision import AnyArray, as_array
from docendo.students.base import Shaped, Student, legible

__all__ = ["ContentAttention"]


class ContentAttention(Student):
    """The full one-layer transformer.

    Args:
        value: W̃_V (M, d + E); its left block acts on X, its right one on P.
        key_query: W̃_KQ (d + E, d + E); its bottom-right block is the position-only W_KQ.
        positions: P (E, D), held fixed.
        logit_scale: τ, held fixed; left out, 1/√D.
        activation: σ, needed to call the student on inputs.

    Raises:
        ValueError: shapes disagree (axis and both sizes named), an entry is not finite, or τ ≤ 0.
    """

    trained: ClassVar[tuple[str, ...]] = ("value", "key_query")

    value: Float[Array, "M dE"]
    key_query: Float[Array, "dE dE"]
    positions: Float[Array, "E D"]
    logit_scale: Float[Array, ""]
    activation: Activation | None

    def __init__(
        self,
        value: Any,
        key_query: Any,
        positions: Any,
        logit_scale: Any = None,
        activation: Activation | None = None,
    ):
        self.value = as_array(value)
        self.key_query = as_array(key_query)
        self.positions = as_array(positions)
        self.activation = activation
        check_axes("value", self.value, "channels features+width", {})
        width = self.value.shape[1]
        check_axes("key_query", self.key_query, "features+width features+width", {"features+width": width})
        check_axes("positions", self.positions, "width tokens", {})
        for name in ("value", "key_query", "positions"):
            check_finite(name, getattr(self, name))
        if self.features < 1:
            raise ValueError(
                f"value has features + width columns, got {width} for positions of width {self.positions.shape[0]}: "
                "no feature is left. Make it with dc.ContentAttention.zeros(teacher, positions)."
            )
        self.logit_scale = as_array(1 / self.positions.shape[1] ** 0.5 if logit_scale is None else logit_scale)
        check_positive("logit_scale", self.logit_scale, 0.25)

    @classmethod
    def zeros(cls, teacher: Shaped, positions: Any = None, logit_scale: Any = None) -> "ContentAttention":
        """The zero start, shaped and activated like the teacher; `positions` left out is the unit matrix."""
        encodings = jnp.eye(teacher.tokens) if positions is None else as_array(positions)
        width = teacher.features + encodings.shape[0]
        value = jnp.zeros((teacher.channels, width))
        return cls(value, jnp.zeros((width, width)), encodings, logit_scale, teacher.activation)

    @property
    def features(self) -> int:
        """d."""
        return self.value.shape[1] - self.positions.shape[0]

    @property
    def channels(self) -> int:
        """M."""
        return self.value.shape[0]

    @property
    def tokens(self) -> int:
        """D."""
        return self.positions.shape[1]

    def preactivation(self, x: Float[AnyArray, "*batch d D"]) -> Float[Array, "*batch M D"]:
        z, scores = self._attend(x)
        return self.value @ z @ scores

    def attention(self, x: Float[AnyArray, "*batch d D"]) -> Float[Array, "*batch D D"]:
        """The scores S(Z) for one input or a batch of them; columns sum to one."""
        return self._attend(x)[1]

    def _attend(self, x: AnyArray) -> tuple[Array, Array]:
        positions, scale = jax.lax.stop_gradient((self.positions, self.logit_scale))
        z = jnp.concatenate([x, jnp.broadcast_to(positions, (*x.shape[:-2], *positions.shape))], axis=-2)
        logits = scale * jnp.swapaxes(z, -1, -2) @ self.key_query @ z
        return z, jax.nn.softmax(logits, axis=-2)

    def blocks(self) -> dict[str, Float[Array, "rows columns"]]:
        """The blocks of W̃_V (content, position) and of W̃_KQ (content or position, row by column)."""
        d = self.features
        return {
            "value_content": self.value[:, :d],
            "value_position": self.value[:, d:],
            "key_query_content_content": self.key_query[:d, :d],
            "key_query_content_position": self.key_query[:d, d:],
            "key_query_position_content": self.key_query[d:, :d],
            "key_query_position_position": self.key_query[d:, d:],
        }

    @legible
    def __repr__(self) -> str:
        parts = f"tokens={self.tokens}, features={self.features}, channels={self.value.shape[0]}"
        return f"ContentAttention({parts}, positions={tuple(self.positions.shape)}, activation={self.activation!r})"
