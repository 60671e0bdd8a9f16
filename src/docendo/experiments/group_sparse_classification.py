"""Group-sparse classification, after Zhang et al. 2025: exact population descent, and the sampled one beside it.

One of D groups of features decides: y = sign⟨v*, x_j*⟩, ‖v*‖ = 1, with white X (d, D). The score is
f = (1/D) Σ_i wᵀ X s_i with s_i the columns of softmax(τ Pᵀ W_KQ P), P orthogonal; the loss is E log(1 + e^(−y f)).
Attention starts from zero, w from something small.

The columns s_i stay alike, so f = wᵀ X m with mass u off group j*, spread evenly. With w = a v* + b e, e orthogonal to
v*, y f = A |z| + σ ξ for independent standard normal z and ξ, and

    A = a (1 − u),    σ² = (a u)²/(D − 1) + b² [(1 − u)² + u²/(D − 1)],    ω² = A² + σ²
    L = (ω − A)/√(2π) + H(ω),    H(ω) = E log(1 + e^(−ω|ξ|)),

because log(1 + e^(−t)) = max(−t, 0) + log(1 + e^(−|t|)), and |y f| = |f| is that of a centred normal of deviation ω.
So descent moves a and b by their own slopes, and the gap γ between the logits of j* and of the others, with
u = 1/(1 + e^γ/(D − 1)), by

    γ ← γ − η τ²/(D − 1) ∂L/∂γ :

each of the D columns has a D-th of the slope, and the other logits take a (D − 1)-th of it the other way.

Late, H = κ/ω with κ = √(2/π) π²/12, so a³ = 3 κ ηT, L = (κ²/3)^(1/3) (ηT)^(−1/3), and u falls like (ηT)^(−2/3); b falls
like exp(−∫ ηdT/(a √(2π))), faster than any power.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from docendo.checks import check_positive
from docendo.precision import as_array
from docendo.randomness import as_key, stream

__all__ = ["Classified", "GroupSparseClassification", "population_loss"]

# Panels of the quadrature of H in units of 1/√(1 + ω²); e^(−48) and less is left out.
_PANELS = (0.0, 4.0, 14.0, 48.0)
_NODES = 24
# Where b² no longer changes a bit of anything else and b would soon be no normal number.
_NOTHING = 1e-150
KAPPA = math.sqrt(2 / math.pi) * math.pi**2 / 12


class Classified(NamedTuple):
    """A course: per save the step, the loss, the mass u off group j*, the angle of w to v* in radians; (n,) each.

    On the population an angle of 0 stands for one so small that b is below 1e-150.
    """

    step: np.ndarray
    loss: np.ndarray
    off_group: np.ndarray
    angle: np.ndarray


class _State(NamedTuple):
    along: Array
    across: Array
    gap: Array


class GroupSparseClassification(NamedTuple):
    """The task, and descent on it; group j* is the first, v* the first axis, which loses nothing.

    Attributes:
        tokens: D, at least 2.
        features: d, at least 2.
        logit_scale: τ; None for 1/√D, the paper's.
    """

    tokens: int
    features: int
    logit_scale: float | None = None

    @property
    def scale(self) -> float:
        """τ."""
        return self.tokens**-0.5 if self.logit_scale is None else self.logit_scale

    def law(self, learning_rate: float, steps: np.ndarray) -> np.ndarray:
        """The loss late in training, (κ²/3)^(1/3) (ηT)^(−1/3)."""
        return np.asarray((KAPPA**2 / 3 / (learning_rate * steps)) ** (1 / 3))

    def start(self, size: float, seed: Any) -> Array:
        """w of length `size` along a random direction, (d,)."""
        self._check()
        check_positive("size", size, 0.01)
        direction = jax.random.normal(stream(as_key(seed), "start"), (self.features,))
        return size * direction / jnp.linalg.norm(direction)

    def descend(self, learning_rate: float, save_at: Sequence[int], start: Array) -> Classified:
        """Descent on the population.

        Args:
            learning_rate: η, positive.
            save_at: the steps to record, increasing.
            start: w, (d,).

        Returns:
            The course, exact up to rounding; the quadrature's error is below 1e-12 of the loss.

        Raises:
            ValueError: D or d is below 2, or η is not positive.
        """
        self._check()
        check_positive("learning_rate", learning_rate, 2)
        start = as_array(start)
        state = _State(start[0], jnp.linalg.norm(start[1:]), as_array(0.0))
        sizes = (float(self.tokens), self.scale, float(learning_rate))
        return _course(lambda state, begin, end: _advance(sizes, state, jnp.asarray(end - begin)), state, save_at)

    def sample(
        self, learning_rate: float, save_at: Sequence[int], start: Array, *, batch_size: int, seed: Any
    ) -> Classified:
        """Descent of all of w and W_KQ on fresh batches; what is recorded is the population's loss at those weights.

        The loss recorded takes the masses off j* as even, which up to the noise of the batches they are.

        Args:
            learning_rate: η, positive.
            save_at: the steps to record, increasing.
            start: w, (d,).
            batch_size: N, inputs per step.
            seed: of the batches.
        """
        self._check()
        check_positive("learning_rate", learning_rate, 2)
        key, tokens = stream(as_key(seed), "batch"), self.tokens
        shape = (batch_size, self.features, tokens)
        weights = (as_array(start), jnp.zeros((tokens, tokens)))

        def advance(weights: Any, begin: int, end: int) -> tuple[Any, Array]:
            return _advance_sampled(
                (self.scale, learning_rate), shape, key, weights, jnp.asarray(begin), jnp.asarray(end)
            )

        return _course(advance, weights, save_at)

    def _check(self) -> None:
        if min(self.tokens, self.features) < 2:
            raise ValueError(
                f"tokens and features are 2 at least, got {self.tokens} and {self.features}. "
                "Try GroupSparseClassification(20, features=8)."
            )


def population_loss(tokens: Any, along: Array, across: Array, off_group: Array) -> Array:
    """L, from D, a, b and u."""
    mass, spread = (1 - off_group) ** 2, off_group**2 / (tokens - 1)
    signal = along * (1 - off_group)
    noise = along**2 * spread + across**2 * (mass + spread)
    width = jnp.sqrt(signal**2 + noise)
    # ω − A without its cancellation.
    wrong = jnp.where(signal > 0, noise / (width + jnp.abs(signal)), width - signal)
    return wrong / math.sqrt(2 * math.pi) + _half_normal(width)


@jax.custom_jvp
def _half_normal(width: Array) -> Array:
    """H(ω), by Gauss–Legendre on panels that shrink as ω grows."""
    places, weights = _nodes()
    unit = 1 / jnp.sqrt(1 + width**2)
    density = jnp.exp(-((places * unit) ** 2) / 2) * math.sqrt(2 / math.pi)
    return unit * (weights * density * jnp.log1p(jnp.exp(-width * unit * places))).sum()


@_half_normal.defjvp
def _half_normal_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    """H′(ω) = −E |ξ|/(1 + e^(ω|ξ|)), on the same nodes."""
    (width,), (change,) = primals, tangents
    places, weights = _nodes()
    unit = 1 / jnp.sqrt(1 + width**2)
    density = jnp.exp(-((places * unit) ** 2) / 2) * math.sqrt(2 / math.pi)
    slope = -(unit**2) * (weights * places * density / (1 + jnp.exp(width * unit * places))).sum()
    return _half_normal(width), slope * change


def _nodes() -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(_NODES)
    ends = list(itertools.pairwise(_PANELS))
    places = [(low + high) / 2 + (high - low) / 2 * x for low, high in ends]
    return np.concatenate(places), np.concatenate([(high - low) / 2 * w for low, high in ends])


def _course(advance: Callable[[Any, int, int], tuple[Any, Array]], state: Any, save_at: Sequence[int]) -> Classified:
    done, rows = 0, []
    for step in save_at:
        state, row = advance(state, done, step)
        done = step
        rows.append(row)
    loss, off_group, angle = np.array(rows, dtype=float).T
    return Classified(np.array(save_at), loss, off_group, angle)


def _recorded(tokens: Any, along: Array, across: Array, off_group: Array) -> Array:
    loss = population_loss(tokens, along, across, off_group)
    return jnp.stack([loss, off_group, jnp.arctan2(across, along)])


@eqx.filter_jit
def _advance(sizes: tuple[float, float, float], state: _State, steps: Any) -> tuple[_State, Array]:
    """So many steps of the three scalars, and (loss, u, angle) after them."""
    tokens, scale, rate = sizes

    def off(gap: Array) -> Array:
        return 1 / (1 + jnp.exp(gap) / (tokens - 1))

    def loss(state: _State) -> Array:
        return population_loss(tokens, state.along, state.across, off(state.gap))

    def step(_: Array, state: _State) -> _State:
        slope = jax.grad(loss)(state)
        across = state.across - rate * slope.across
        across = jnp.where(jnp.abs(across) < _NOTHING, 0.0, across)
        gap = state.gap - rate * scale**2 / (tokens - 1) * slope.gap
        return _State(state.along - rate * slope.along, across, gap)

    state = jax.lax.fori_loop(0, steps, step, state)
    return state, _recorded(tokens, state.along, state.across, off(state.gap))


@eqx.filter_jit
def _advance_sampled(
    sizes: tuple[float, float], shape: tuple[int, int, int], key: Any, weights: Any, begin: Any, end: Any
) -> tuple[Any, Array]:
    """Steps `begin` to `end` of (w, Pᵀ W_KQ P), and (loss, u, angle) after them."""
    scale, rate = sizes

    def loss(weights: Any, x: Array) -> Array:
        w, logits = weights
        score = jnp.einsum("d,ndj,j->n", w, x, jax.nn.softmax(scale * logits, axis=0).mean(1))
        return jax.nn.softplus(-jnp.sign(x[:, 0, 0]) * score).mean()

    def step(at: Array, weights: Any) -> Any:
        slopes = jax.grad(loss)(weights, jax.random.normal(jax.random.fold_in(key, at), shape))
        return jax.tree.map(lambda weight, slope: weight - rate * slope, weights, slopes)

    w, logits = weights = jax.lax.fori_loop(begin, end, step, weights)
    off_group = 1 - jax.nn.softmax(scale * logits, axis=0)[0].mean()
    return weights, _recorded(shape[2], w[0], jnp.linalg.norm(w[1:]), off_group)
