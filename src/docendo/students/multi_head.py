"""Several heads of position-only attention, their outputs added before σ.

Heads that start alike stay alike, since the loss does not tell them apart: a random start is what separates them.
"""

from typing import Any, ClassVar

import jax
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import check_axes, check_count, check_finite
from docendo.precision import as_array
from docendo.students.base import PositionStudent, Shaped, legible
from docendo.students.fields import as_positions, as_scale, drawn

__all__ = ["MultiHead"]


class MultiHead(PositionStudent):
    """The student σ(Σ_h W_V,h X S_h) with S_h = softmax(τ Pᵀ W_KQ,h P) and one P for all heads.

    Args:
        value: W_V (heads, M, d).
        key_query: W_KQ (heads, E, E).
        positions: P (E, D), held fixed; left out, the unit matrix.
        logit_scale: τ, held fixed; left out, 1/√D.
        activation: σ, needed only to call the student on inputs; losses use the teacher's.

    Raises:
        ValueError: shapes disagree (axis and both sizes named), an entry is not finite, or τ ≤ 0.
    """

    trained: ClassVar[tuple[str, ...]] = ("value", "key_query")

    value: Float[Array, "H M d"]
    key_query: Float[Array, "H E E"]
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
        check_axes("value", self.value, "heads channels features", {})
        width = self.key_query.shape[-1]
        check_axes("key_query", self.key_query, "heads width width", {"heads": self.value.shape[0], "width": width})
        check_finite("value", self.value)
        check_finite("key_query", self.key_query)
        self.positions = as_positions(positions, width)
        self.logit_scale = as_scale(logit_scale, self.tokens)

    @classmethod
    def random(
        cls,
        teacher: Shaped,
        *,
        heads: int = 2,
        scale: Any = 0.1,
        seed: Any,
        positions: Any = None,
        logit_scale: Any = None,
    ) -> "MultiHead":
        """A start of independent N(0, scale²) entries, shaped and activated like the teacher.

        Raises:
            ValueError: there is no head, the scale is not positive, or the encodings do not fit.
        """
        count = check_count("heads", heads)
        width = teacher.tokens if positions is None else as_array(positions).shape[0]
        shapes = {"value": (count, teacher.channels, teacher.features), "key_query": (count, width, width)}
        start = drawn(shapes, scale, seed)
        return cls(**start, positions=positions, logit_scale=logit_scale, activation=teacher.activation)

    @property
    def channels(self) -> int:
        """M."""
        return self.value.shape[1]

    @property
    def features(self) -> int:
        """d."""
        return self.value.shape[2]

    @property
    def tokens(self) -> int:
        """D."""
        return self.key_query.shape[-1] if self.positions is None else self.positions.shape[1]

    @property
    def scores(self) -> Float[Array, "H D D"]:
        """S_h for every head, columns summing to one."""
        positions, scale = jax.lax.stop_gradient((self.positions, self.logit_scale))
        pattern = self.key_query if positions is None else positions.T @ self.key_query @ positions
        return jax.nn.softmax(scale * pattern, axis=-2)

    def heads(self) -> tuple[Float[Array, "H M d"], Float[Array, "H D D"]]:
        return self.value, self.scores

    @legible
    def __repr__(self) -> str:
        heads, channels, features = self.value.shape
        return f"MultiHead(heads={heads}, tokens={self.tokens}, features={features}, channels={channels})"
