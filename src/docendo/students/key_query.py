"""Keys and queries with matrices of their own (arXiv 2603.22801, equation (2.3)).

W_KQ = W_Kᵀ W_Q, so S = softmax(τ (W_K P)ᵀ (W_Q P)), column by column. The product moves only where one factor is not
zero: with both zero every derivative by them vanishes, so that training starts from small random ones.
"""

from typing import Any, ClassVar

import jax
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import check_axes, check_finite
from docendo.precision import as_array
from docendo.students.base import PositionStudent, Shaped, legible
from docendo.students.fields import as_positions, as_scale, drawn
from docendo.students.position_only import PositionOnly

__all__ = ["FactoredPositionOnly"]


class FactoredPositionOnly(PositionStudent):
    """One head of position-only attention with separate keys and queries.

    Args:
        value: W_V (M, d).
        key: W_K (A, E), A being the width of keys and queries; A < D bounds the rank of the logits.
        query: W_Q (A, E).
        positions: P (E, D), held fixed; left out, the unit matrix.
        logit_scale: τ, held fixed; left out, 1/√D.
        activation: σ, needed only to call the student on inputs; losses use the teacher's.

    Raises:
        ValueError: shapes disagree (axis and both sizes named), an entry is not finite, or τ ≤ 0.
    """

    trained: ClassVar[tuple[str, ...]] = ("value", "key", "query")

    value: Float[Array, "M d"]
    key: Float[Array, "A E"]
    query: Float[Array, "A E"]
    positions: Float[Array, "E D"] | None
    logit_scale: Float[Array, ""]
    activation: Activation | None

    def __init__(
        self,
        value: Any,
        key: Any,
        query: Any,
        positions: Any = None,
        logit_scale: Any = None,
        activation: Activation | None = None,
    ):
        self.value, self.key, self.query = as_array(value), as_array(key), as_array(query)
        self.activation = activation
        check_axes("value", self.value, "channels features", {})
        check_axes("key", self.key, "inner width", {})
        inner, width = self.key.shape
        check_axes("query", self.query, "inner width", {"inner": inner, "width": width})
        for name in self.trained:
            check_finite(name, getattr(self, name))
        self.positions = as_positions(positions, width)
        self.logit_scale = as_scale(logit_scale, self.tokens)

    @classmethod
    def random(
        cls,
        teacher: Shaped,
        *,
        scale: Any = 0.1,
        seed: Any,
        inner: int | None = None,
        positions: Any = None,
        logit_scale: Any = None,
    ) -> "FactoredPositionOnly":
        """A start of independent N(0, scale²) entries, shaped and activated like the teacher.

        `inner` is A; left out, the width of the encodings, so that the product may have full rank.

        Raises:
            ValueError: the scale is not positive, or the encodings do not fit.
        """
        width = teacher.tokens if positions is None else as_array(positions).shape[0]
        factor = (width if inner is None else inner, width)
        shapes = {"value": (teacher.channels, teacher.features), "key": factor, "query": factor}
        start = drawn(shapes, scale, seed)
        return cls(**start, positions=positions, logit_scale=logit_scale, activation=teacher.activation)

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
        return self.key.shape[1] if self.positions is None else self.positions.shape[1]

    @property
    def key_query(self) -> Float[Array, "E E"]:
        """W_Kᵀ W_Q."""
        return self.key.T @ self.query

    @property
    def scores(self) -> Float[Array, "D D"]:
        """S, every column a probability vector."""
        positions, scale = jax.lax.stop_gradient((self.positions, self.logit_scale))
        keys, queries = (self.key, self.query) if positions is None else (self.key @ positions, self.query @ positions)
        return jax.nn.softmax(scale * keys.T @ queries, axis=0)

    def heads(self) -> tuple[Float[Array, "1 M d"], Float[Array, "1 D D"]]:
        return self.value[None], self.scores[None]

    def multiplied(self) -> PositionOnly:
        """The student of the same output whose W_KQ is the product; it trains differently."""
        return PositionOnly(self.value, self.key_query, self.positions, self.logit_scale, self.activation)

    @legible
    def __repr__(self) -> str:
        channels, features = self.value.shape
        parts = f"tokens={self.tokens}, features={features}, channels={channels}, inner={self.key.shape[0]}"
        return f"FactoredPositionOnly({parts}, activation={self.activation!r})"
