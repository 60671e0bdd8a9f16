"""The paper's student: one head of position-only attention (arXiv 2603.22801, equation (2.4)).

TF(Z) = σ(W_V X S) with S = softmax(τ Pᵀ W_KQ P), column by column, and τ = 1/√D unless told otherwise.
"""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import check_axes, check_finite, is_concrete
from docendo.positions import is_orthonormal
from docendo.precision import as_array
from docendo.students.base import PositionStudent, Shaped, Valued, legible
from docendo.students.fields import as_positions, as_scale, drawn

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
        self.activation = activation
        check_axes("value", self.value, "channels features", {})
        check_axes("key_query", self.key_query, "width width", {"width": self.key_query.shape[0]})
        check_finite("value", self.value)
        check_finite("key_query", self.key_query)
        self.positions = as_positions(positions, self.key_query.shape[0])
        self.logit_scale = as_scale(logit_scale, self.tokens)

    @classmethod
    def zeros(cls, teacher: Shaped, positions: Any = None, logit_scale: Any = None) -> "PositionOnly":
        """The paper's start: W_V = 0 and W_KQ = 0, shaped and activated like the teacher."""
        width = teacher.tokens if positions is None else as_array(positions).shape[0]
        value = jnp.zeros((teacher.channels, teacher.features))
        return cls(value, jnp.zeros((width, width)), positions, logit_scale, teacher.activation)

    @classmethod
    def random(
        cls, teacher: Shaped, *, scale: Any = 0.1, seed: Any, positions: Any = None, logit_scale: Any = None
    ) -> "PositionOnly":
        """A start of independent N(0, scale²) entries, shaped and activated like the teacher.

        Raises:
            ValueError: the scale is not positive, or the encodings do not fit.
        """
        width = teacher.tokens if positions is None else as_array(positions).shape[0]
        shapes = {"value": (teacher.channels, teacher.features), "key_query": (width, width)}
        start = drawn(shapes, scale, seed)
        return cls(**start, positions=positions, logit_scale=logit_scale, activation=teacher.activation)

    @classmethod
    def informed(
        cls, teacher: Valued, *, share: float = 0.5, seed: Any, positions: Any = None, logit_scale: Any = None
    ) -> "PositionOnly":
        """A start that knows a share of V*, and nothing of S*: W_KQ = 0.

        W_V = share V* + √(1 − share²) N, with N of V*'s norm in a uniformly random direction orthogonal to V*: the
        cosine between W_V and V* is `share`. A share of 0 knows nothing, a share of 1 is V* itself.

        Raises:
            ValueError: the share is not between 0 and 1, or V* is one number and the share is below 1.
        """
        blank = cls.zeros(teacher, positions, logit_scale)
        return blank.with_parameters({"value": _partly(as_array(teacher.value), share, seed)})

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

    @legible
    def __repr__(self) -> str:
        channels, features = self.value.shape
        basis = "unit" if self.positions is None else f"{tuple(self.positions.shape)}"
        scale = f"{float(self.logit_scale):.4g}" if is_concrete(self.logit_scale) else "traced"
        parts = f"tokens={self.tokens}, features={features}, channels={channels}"
        return f"PositionOnly({parts}, positions={basis}, logit_scale={scale}, activation={self.activation!r})"


def _partly(value: Float[Array, "M d"], share: float, seed: Any) -> Float[Array, "M d"]:
    """A matrix of the norm of `value` whose cosine with it is `share`."""
    if is_concrete(share) and not 0 <= share <= 1:
        raise ValueError(f"share is the cosine between W_V and V*, from 0 to 1, got share={share}. Try share=0.5.")
    if value.size == 1 and share < 1:
        raise ValueError(
            f"a V* of one entry leaves no other direction to start in, got share={share}. Take share=1, or "
            "dc.PositionOnly.random(teacher, scale=0.1, seed=0)."
        )
    noise = drawn({"value": value.shape}, 1.0, seed)["value"]
    length = jnp.linalg.norm(value)
    across = noise - (noise * value).sum() / length**2 * value
    return share * value + jnp.sqrt(1 - share**2) * length / jnp.linalg.norm(across) * across
