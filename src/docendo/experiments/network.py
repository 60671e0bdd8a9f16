"""The two-layer network that becomes a teacher: convolution, average pooling, σ, and a linear layer.

    logits = A · σ(V̂ pool(X)) + b

The convolution has no bias and its stride equals its kernel, so it multiplies every patch by the kernels V̂; being
linear, it commutes with the pooling. Inputs are therefore pooled once, before training, and an epoch costs as much as
one of a small dense network. All up to σ is a teacher of the class (arXiv 2603.22801, Section 2).
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from docendo.activations import Activation

__all__ = ["CLASSES", "Network", "accuracy", "pooled", "train_network"]

CLASSES = 10


class Network(NamedTuple):
    """Kernels V̂ (M, d), and the linear layer on the pooled channels: weights A (10, M · groups) and bias b (10)."""

    kernels: Float[Array, "M d"]
    weights: Float[Array, "10 features"]
    bias: Float[Array, "10"]


def pooled(x: Float[np.ndarray, "n d D"], grid: int, pool: int) -> Float[np.ndarray, "n d groups"]:
    """The averages of the patches over blocks of `pool` × `pool` on the `grid` × `grid` of patches."""
    blocks = x.reshape(len(x), x.shape[1], grid // pool, pool, grid // pool, pool)
    return blocks.mean((3, 5)).reshape(len(x), x.shape[1], -1)


def train_network(
    x: Float[Array, "n d groups"],
    labels: Int[Array, " n"],
    activation: Activation,
    *,
    channels: int,
    epochs: int,
    rate: float,
    batch_size: int,
    key: PRNGKeyArray,
) -> Network:
    """The network after some epochs of Adam on cross entropy.

    Args:
        x: pooled patches.
        labels: 0 … 9.
        activation: σ.
        channels: M.
        epochs: passes over the data, each in a new order; the rest that does not fill a batch is left out.
        rate: Adam's step size.
        batch_size: images per step, at most n.
        key: for the start and the orders.
    """
    of_start, of_order = jax.random.split(key)
    network, optimizer = _start(x, channels, of_start), optax.adam(rate)
    state = optimizer.init(network)
    for epoch in range(epochs):
        order = jax.random.permutation(jax.random.fold_in(of_order, epoch), len(labels))
        batches = order[: len(order) // batch_size * batch_size].reshape(-1, batch_size)
        network, state = _epoch(network, state, optimizer, x, labels, activation, batches)
    return network


def accuracy(
    network: Network, x: Float[Array, "n d groups"], labels: Int[Array, " n"], activation: Activation
) -> float:
    """The share of images that the network classifies right."""
    return float((_logits(network, x, activation).argmax(1) == labels).mean())


def _start(x: Float[Array, "n d groups"], channels: int, key: PRNGKeyArray) -> Network:
    """Uniform in ± 1/√(inputs of a unit), biases zero."""
    of_kernels, of_weights = jax.random.split(key)
    features, hidden = x.shape[1], channels * x.shape[2]
    return Network(
        jax.random.uniform(of_kernels, (channels, features), minval=-1, maxval=1) / features**0.5,
        jax.random.uniform(of_weights, (CLASSES, hidden), minval=-1, maxval=1) / hidden**0.5,
        jnp.zeros(CLASSES),
    )


def _logits(network: Network, x: Float[Array, "n d groups"], activation: Activation) -> Float[Array, "n 10"]:
    hidden = activation(network.kernels @ x).reshape(len(x), -1)
    return hidden @ network.weights.T + network.bias


@eqx.filter_jit
def _epoch(
    network: Network,
    state: Any,
    optimizer: optax.GradientTransformation,
    x: Array,
    labels: Array,
    activation: Activation,
    batches: Int[Array, "b n"],
) -> tuple[Network, Any]:
    def loss(candidate: Network, batch: Array) -> Array:
        logits = _logits(candidate, x[batch], activation)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels[batch]).mean()

    def step(carry: tuple[Network, Any], batch: Array) -> tuple[tuple[Network, Any], None]:
        candidate, memory = carry
        updates, memory = optimizer.update(jax.grad(loss)(candidate, batch), memory, candidate)
        return (optax.apply_updates(candidate, updates), memory), None

    return jax.lax.scan(step, (network, state), batches)[0]
