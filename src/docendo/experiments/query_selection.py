"""Selection with the target set in the query, after Wang et al. 2024, by exact population descent.

For every input a set g of K out of D tokens is drawn uniformly. Attention is s_g = softmax(τ Pᵀ W_KQ P 1_g), the output
W_V X s_g, the label X 1_g / K, with white X and an orthogonal P. The loss is ½ E‖output − label‖², over X and g.

From zero, permuting tokens and rotating features change nothing, so W_V = C I, and Pᵀ W_KQ P has one number on its
diagonal and one off it. Of these only the gap γ between the logits inside and outside g matters. With the mass u
outside g, s_in = (1 − u)/K and s_out = u/(D − K):

    u = 1 / (1 + e^γ K/(D − K))
    L = d/2 [ K (C s_in − 1/K)² + (D − K) (C s_out)² ]
    C ← C − η [ C ((1 − u)²/K + u²/(D − K)) − (1 − u)/K ]
    γ ← γ − η τ² K/(D − 1) · d C s_in u [ C (s_in − s_out) − 1/K ]

K/(D − 1) is what averaging over g leaves: a token's own logit is moved when it is drawn, the others' when they are
drawn with it. Late, C (1 − u) = 1 up to u², so dγ/dT = η τ² d u² / ((D − 1)(D − K)), and ηT L → (D − 1)/(4 τ²),
whatever K and d.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from docendo.checks import check_positive
from docendo.precision import as_array

__all__ = ["QuerySelection", "Selected"]


class Selected(NamedTuple):
    """A course: per save the step, the loss, the mass u outside g, and C; (n,) each."""

    step: np.ndarray
    loss: np.ndarray
    outside: np.ndarray
    value: np.ndarray


class QuerySelection(NamedTuple):
    """The task, and descent on it.

    Attributes:
        tokens: D.
        sparsity: K, from 1 to D − 1.
        features: d.
        logit_scale: τ; None for 1/√D, the paper's.
    """

    tokens: int
    sparsity: int
    features: int
    logit_scale: float | None = None

    @property
    def scale(self) -> float:
        """τ."""
        return self.tokens**-0.5 if self.logit_scale is None else self.logit_scale

    @property
    def limit(self) -> float:
        """ηT × loss as T → ∞: (D − 1)/(4 τ²)."""
        return (self.tokens - 1) / (4 * self.scale**2)

    def descend(self, learning_rate: float, save_at: Sequence[int]) -> Selected:
        """Gradient descent from zero.

        Args:
            learning_rate: η, positive; stable up to about 2K, where C oscillates.
            save_at: the steps to record, increasing.

        Returns:
            The course, exact up to rounding.

        Raises:
            ValueError: K is not from 1 to D − 1, or η is not positive.
        """
        if not 1 <= self.sparsity < self.tokens:
            raise ValueError(
                f"sparsity is from 1 to tokens − 1, so that there is something to select, got {self.sparsity} of "
                f"{self.tokens}. Try QuerySelection(20, sparsity=4, features=4)."
            )
        check_positive("learning_rate", learning_rate, 0.1)
        state, done, rows = (as_array(0.0), as_array(0.0)), 0, []
        sizes = tuple(map(float, (self.tokens, self.sparsity, self.features, self.scale, learning_rate)))
        for step in save_at:
            state, row = _advance(sizes, state, jnp.asarray(step - done))
            done = step
            rows.append(row)
        loss, outside, value = np.array(rows, dtype=float).T
        return Selected(np.array(save_at), loss, outside, value)


@eqx.filter_jit
def _advance(sizes: tuple[float, ...], state: tuple[Array, Array], steps: Any) -> tuple[tuple[Array, Array], Array]:
    """So many steps, and (loss, u, C) after them."""
    tokens, sparsity, features, scale, rate = sizes
    rest = tokens - sparsity

    def step(_: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        value, gap = state
        out = _outside(gap, tokens, sparsity)
        inside, outside = (1 - out) / sparsity, out / rest
        pull = value * (sparsity * inside**2 + rest * outside**2) - inside
        push = features * value * inside * out * (value * (inside - outside) - 1 / sparsity)
        return value - rate * pull, gap - rate * scale**2 * sparsity / (tokens - 1) * push

    value, gap = jax.lax.fori_loop(0, steps, step, state)
    out = _outside(gap, tokens, sparsity)
    loss = features / 2 * ((value * (1 - out) - 1) ** 2 / sparsity + (value * out) ** 2 / rest)
    return (value, gap), jnp.stack([loss, out, value])


def _outside(gap: Array, tokens: float, sparsity: float) -> Array:
    return 1 / (1 + jnp.exp(gap) * sparsity / (tokens - sparsity))
