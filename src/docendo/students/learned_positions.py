"""Positional encodings that are trained: P moves together with W_V and W_KQ.

S = softmax(τ Pᵀ W_KQ P), column by column, as in arXiv 2603.22801, equation (2.4), where P is held fixed. With the
logits' derivative G, ∂L/∂P = τ (W_KQᵀ P G + W_KQ P Gᵀ): P stands still until W_KQ has left zero.
"""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import check_axes, check_finite
from docendo.precision import as_array
from docendo.students.base import PositionStudent, Shaped, legible
from docendo.students.fields import as_positions, as_scale

__all__ = ["LearnedPositions"]


class LearnedPositions(PositionStudent):
    """One head of position-only attention that learns its encodings.

    Args:
        value: W_V (M, d).
        key_query: W_KQ (E, E).
        positions: P (E, D), where it starts; E need not be D.
        logit_scale: τ, held fixed; left out, 1/√D.
        activation: σ, needed only to call the student on inputs; losses use the teacher's.

    Raises:
        ValueError: shapes disagree (axis and both sizes named), an entry is not finite, or τ ≤ 0.
    """

    trained: ClassVar[tuple[str, ...]] = ("value", "key_query", "positions")

    value: Float[Array, "M d"]
    key_query: Float[Array, "E E"]
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
        self.value, self.key_query = as_array(value), as_array(key_query)
        self.activation = activation
        check_axes("value", self.value, "channels features", {})
        check_axes("key_query", self.key_query, "width width", {"width": self.key_query.shape[0]})
        check_finite("value", self.value)
        check_finite("key_query", self.key_query)
        encodings = as_positions(positions, self.key_query.shape[0])
        if encodings is None:
            raise ValueError(
                "positions are what this student learns, so it must be given where they start, got None. "
                "Pass positions=dc.positions.gaussian(tokens, width, seed=0)."
            )
        self.positions = encodings
        self.logit_scale = as_scale(logit_scale, self.tokens)

    @classmethod
    def zeros(cls, teacher: Shaped, positions: Any = None, logit_scale: Any = None) -> "LearnedPositions":
        """W_V = 0 and W_KQ = 0 at the encodings given, the unit matrix where they are left out."""
        encodings = jnp.eye(teacher.tokens) if positions is None else as_array(positions)
        width = encodings.shape[0]
        value = jnp.zeros((teacher.channels, teacher.features))
        return cls(value, jnp.zeros((width, width)), encodings, logit_scale, teacher.activation)

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
        return self.positions.shape[1]

    @property
    def scores(self) -> Float[Array, "D D"]:
        """S, every column a probability vector."""
        scale = jax.lax.stop_gradient(self.logit_scale)
        return jax.nn.softmax(scale * self.positions.T @ self.key_query @ self.positions, axis=0)

    def heads(self) -> tuple[Float[Array, "1 M d"], Float[Array, "1 D D"]]:
        return self.value[None], self.scores[None]

    @legible
    def __repr__(self) -> str:
        channels, features = self.value.shape
        parts = f"tokens={self.tokens}, features={features}, channels={channels}, width={self.key_query.shape[0]}"
        return f"LearnedPositions({parts}, activation={self.activation!r})"
