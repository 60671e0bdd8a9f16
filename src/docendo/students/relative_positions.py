"""Relative positions: a logit depends on how far apart two tokens are, so one student serves every length.

S = softmax over j of τ r(i − j), column by column, with one number r for each distance −(R − 1) … R − 1. Distances
beyond the reach R are given the number at its end (clipping, as in Shaw et al. 2018, arXiv 1803.02155), and so a
student trained at D = R tokens has a meaning at D′ tokens: at D′ < D the outer numbers are not used, at D′ > D the
outermost two stand for all that training never saw.
"""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from docendo.activations import Activation
from docendo.checks import check_axes, check_count, check_finite
from docendo.precision import as_array
from docendo.students.base import PositionStudent, Shaped, legible
from docendo.students.fields import as_scale

__all__ = ["RelativePositions"]


class RelativePositions(PositionStudent):
    """One head of attention by distance.

    Args:
        value: W_V (M, d).
        offsets: r (2R − 1,), an odd number of entries; entry i − j + R − 1 is for a query at i and a key at j.
        tokens: D, the length; left out, R.
        logit_scale: τ, held fixed, at every length; left out, 1/√R.
        activation: σ, needed only to call the student on inputs; losses use the teacher's.

    Raises:
        ValueError: shapes disagree, `offsets` has an even number of entries, one is not finite, D < 1 or τ ≤ 0.
    """

    trained: ClassVar[tuple[str, ...]] = ("value", "offsets")

    value: Float[Array, "M d"]
    offsets: Float[Array, " distances"]
    logit_scale: Float[Array, ""]
    activation: Activation | None
    _tokens: int = eqx.field(static=True)

    def __init__(
        self,
        value: Any,
        offsets: Any,
        tokens: int | None = None,
        logit_scale: Any = None,
        activation: Activation | None = None,
    ):
        self.value, self.offsets = as_array(value), as_array(offsets)
        self.activation = activation
        check_axes("value", self.value, "channels features", {})
        check_axes("offsets", self.offsets, "distances", {})
        check_finite("value", self.value)
        check_finite("offsets", self.offsets)
        count = self.offsets.shape[0]
        if count % 2 == 0:
            raise ValueError(
                f"offsets holds a number for each distance from −(R − 1) to R − 1, 2R − 1 in all, got {count}, which "
                f"is even. For {count} tokens: offsets=np.zeros({2 * count - 1})."
            )
        self._tokens = self.reach if tokens is None else check_count("tokens", tokens)
        self.logit_scale = as_scale(logit_scale, self.reach)

    @classmethod
    def zeros(cls, teacher: Shaped, logit_scale: Any = None) -> "RelativePositions":
        """W_V = 0 and r = 0, shaped and activated like the teacher."""
        value = jnp.zeros((teacher.channels, teacher.features))
        return cls(value, jnp.zeros(2 * teacher.tokens - 1), None, logit_scale, teacher.activation)

    @property
    def reach(self) -> int:
        """R, one more than the largest distance with a number of its own."""
        return (self.offsets.shape[0] + 1) // 2

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
        return self._tokens

    @property
    def scores(self) -> Float[Array, "D D"]:
        """S, every column a probability vector."""
        place = np.arange(self.tokens)
        furthest = self.reach - 1
        distance = np.clip(place[None, :] - place[:, None], -furthest, furthest)
        return jax.nn.softmax(jax.lax.stop_gradient(self.logit_scale) * self.offsets[distance + furthest], axis=0)

    def heads(self) -> tuple[Float[Array, "1 M d"], Float[Array, "1 D D"]]:
        return self.value[None], self.scores[None]

    def at_length(self, tokens: int) -> "RelativePositions":
        """The same weights on inputs of `tokens` tokens.

        Raises:
            ValueError: `tokens` is no whole number of at least 1.
        """
        return RelativePositions(self.value, self.offsets, tokens, self.logit_scale, self.activation)

    @legible
    def __repr__(self) -> str:
        channels, features = self.value.shape
        parts = f"tokens={self.tokens}, features={features}, channels={channels}, reach={self.reach}"
        return f"RelativePositions({parts}, activation={self.activation!r})"
