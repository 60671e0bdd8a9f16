"""Figures 4 and 5: handwritten digits, with a trained two-layer network as the teacher (arXiv 2603.22801, Section 5).

An image of 27 × 27 is a 9 × 9 grid of patches, D = 81 tokens of d = 9 features. A network of 3 × 3 kernels without
bias and with stride 3, 3 × 3 average pooling (K = 9), σ and a linear layer learns the labels; all up to σ is then f*,
and the student learns its output on images, from zero.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from docendo.activations import Activation, leaky_relu, relu
from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.digits import load_digits, patches, resize
from docendo.experiments.sizes import Digits
from docendo.figures import Curve, Curves, Figure, Heatmap
from docendo.inputs import Empirical
from docendo.results import Finding
from docendo.students.position_only import PositionOnly
from docendo.teachers.base import Teacher
from docendo.teachers.convolution import convolution
from docendo.training import Online, Run

__all__ = ["run"]

SIDE = 9
POOL = 3
CLASSES = 10
TEST_SHARE = 0.1
ACCURACY = 0.71
ACCURACY_MARGIN = 0.1
COSINE = 0.9
VISIBLE = 0.5


class Network(NamedTuple):
    """Kernels (M, 9), and the linear layer on the pooled channels: weights (10, M · 9) and bias (10)."""

    kernels: Float[Array, "M 9"]
    weights: Float[Array, "10 features"]
    bias: Float[Array, "10"]


class Part(NamedTuple):
    """What one activation gave."""

    name: str
    accuracy: float
    run: Run
    mass: Float[Array, "9 9"]
    received: Float[Array, " 81"]


def run(sizes: Digits, bench: Bench) -> Outcome:
    """Train the network and the student for ReLU and for Leaky ReLU."""
    images, labels = load_digits(bench.digits)
    x, classes = jnp.asarray(patches(resize(images))), jnp.asarray(labels)
    parts = [_part(sizes, bench, x, classes, sigma) for sigma in (relu, leaky_relu(sizes.negative_slope))]
    findings = [finding for part in parts for finding in _findings(part)]
    return Outcome(
        summary=_summary(parts, len(images)),
        settings=vars(sizes)
        | {"tokens": SIDE**2, "sparsity": POOL**2, "features": POOL**2, "images_loaded": len(images)},
        findings=findings,
        figures=[_curves(parts), *(_maps(part) for part in parts)],
        runs={part.name: part.run for part in parts},
        numbers={f"{part.name}_test_accuracy": part.accuracy for part in parts},
    )


def _part(sizes: Digits, bench: Bench, x: Array, labels: Array, sigma: Activation) -> Part:
    name = "relu" if sigma is relu else "leaky_relu"
    network, accuracy = _trained_network(sizes, x, labels, sigma, bench.key(f"{name} network"))
    bench.spend(0.15)
    teacher = convolution(grid=(SIDE, SIDE), pool=(POOL, POOL), value=network.kernels, activation=sigma)
    dynamics = Online(optax.adam(sizes.learning_rate), batch_size=sizes.batch_size)
    law = Empirical(x[: sizes.images])
    options = {"inputs": law, "key": bench.key(f"{name} student")}
    trained = bench.train(
        name, 0.35, teacher, PositionOnly.zeros(teacher), dynamics, steps=sizes.steps, saves=sizes.saves, **options
    )
    return Part(name, accuracy, trained, _mass(teacher, trained), _received(teacher, trained))


def _scores(trained: Run) -> Float[Array, "81 81"]:
    student: Any = trained.student
    return jnp.asarray(student.scores)


def _mass(teacher: Teacher, trained: Run) -> Float[Array, "9 9"]:
    """The attention that each position pays to its own pooling group, on the grid of patches."""
    inside = jnp.where(teacher.support, _scores(trained), 0).sum(0)
    return inside.reshape(SIDE, SIDE)


def _received(teacher: Teacher, trained: Run) -> Float[Array, " 81"]:
    """What a row of the heat map shows: the attention a token gets from its own group, in units of 1/K."""
    inside = jnp.where(teacher.support, _scores(trained), 0)
    return inside.sum(1) / teacher.support.sum(1) * POOL**2


def _trained_network(
    sizes: Digits, x: Float[Array, "n 9 81"], labels: Int[Array, " n"], sigma: Activation, key: PRNGKeyArray
) -> tuple[Network, float]:
    """The network after its epochs of Adam on cross entropy, and its accuracy on the images held out."""
    held_out = int(len(labels) * TEST_SHARE)
    of_start, of_order = jax.random.split(key)
    network, optimizer = _start(sizes, of_start), optax.adam(sizes.network_rate)
    state = optimizer.init(network)
    for epoch in range(sizes.epochs):
        order = jax.random.permutation(jax.random.fold_in(of_order, epoch), len(labels) - held_out) + held_out
        batches = order[: len(order) // sizes.batch_size * sizes.batch_size].reshape(-1, sizes.batch_size)
        network, state = _epoch(network, state, optimizer, x, labels, sigma, batches)
    hits = _logits(network, x[:held_out], sigma).argmax(1) == labels[:held_out]
    return network, float(hits.mean())


def _start(sizes: Digits, key: PRNGKeyArray) -> Network:
    of_kernels, of_weights = jax.random.split(key)
    pooled = sizes.channels * SIDE**2 // POOL**2
    return Network(
        jax.random.normal(of_kernels, (sizes.channels, POOL**2)) / POOL,
        jax.random.normal(of_weights, (CLASSES, pooled)) / pooled**0.5,
        jnp.zeros(CLASSES),
    )


def _logits(network: Network, x: Float[Array, "n 9 81"], sigma: Activation) -> Float[Array, "n 10"]:
    channels = (network.kernels @ x).reshape(len(x), -1, SIDE // POOL, POOL, SIDE // POOL, POOL)
    hidden = sigma(channels.mean((3, 5)).reshape(len(x), -1))
    return hidden @ network.weights.T + network.bias


@eqx.filter_jit
def _epoch(
    network: Network,
    state: Any,
    optimizer: optax.GradientTransformation,
    x: Array,
    labels: Array,
    sigma: Activation,
    batches: Int[Array, "b n"],
) -> tuple[Network, Any]:
    def loss(candidate: Network, batch: Array) -> Array:
        scores = _logits(candidate, x[batch], sigma)
        return optax.softmax_cross_entropy_with_integer_labels(scores, labels[batch]).mean()

    def step(carry: tuple[Network, Any], batch: Array) -> tuple[tuple[Network, Any], None]:
        candidate, memory = carry
        updates, memory = optimizer.update(jax.grad(loss)(candidate, batch), memory, candidate)
        return (optax.apply_updates(candidate, updates), memory), None

    return jax.lax.scan(step, (network, state), batches)[0]


def _findings(part: Part) -> list[Finding]:
    steps = int(part.run.data.step[-1])
    cosine = float(part.run.data.channel_cosine[-1].min())
    received = np.asarray(part.received)
    border, inner = received[[*range(SIDE), *range(-SIDE, 0)]], received[SIDE:-SIDE]
    figure = f"mnist_{part.name}_attention"
    return [
        Finding(
            f"The {part.name} network reaches about 71 % test accuracy (Section 5)",
            ACCURACY,
            part.accuracy,
            None,
            None,
            f"share of images held out that are classified right; agreement means within {ACCURACY_MARGIN:g}",
            "agrees" if abs(part.accuracy - ACCURACY) <= ACCURACY_MARGIN else "differs",
        ),
        Finding(
            f"The cosine between W_V and V* rises above 0.9, {part.name} (Figure 4)",
            COSINE,
            cosine,
            None,
            None,
            f"the smallest cosine over the channels after {steps} steps",
            "agrees" if cosine > COSINE else "differs",
            figure="mnist_curves",
        ),
        Finding(
            f"The heat map shows the pooling groups but for its first and last nine rows, {part.name} (Figure 5)",
            1.0,
            float(inner.mean()),
            float(inner.min()),
            float(inner.max()),
            f"attention that a token gets from its own group, in units of 1/K, mean over the other rows after {steps} "
            f"steps, with its smallest and largest; agreement means a mean above {VISIBLE:g}",
            "agrees" if inner.mean() > VISIBLE else "differs",
            figure=figure,
        ),
        Finding(
            f"The first and last nine rows, the image border, show them less, {part.name} (Figure 5)",
            None,
            float(border.mean()),
            float(border.min()),
            float(border.max()),
            f"the same over the first and last nine rows; agreement means less than the other rows' {inner.mean():.3f}",
            "agrees" if border.mean() < inner.mean() else "differs",
            figure=figure,
        ),
    ]


def _summary(parts: list[Part], count: int) -> str:
    accuracy = " and ".join(f"{part.accuracy:.1%} ({part.name})" for part in parts)
    cosine = min(float(part.run.data.channel_cosine[-1].min()) for part in parts)
    inside = " and ".join(f"{float(part.mass.mean()):.0%} ({part.name})" for part in parts)
    return (
        f"On {count} digits the networks classify {accuracy} of the images held out. Students that learn from their "
        f"hidden layer, from zero, reach a cosine of at least {cosine:.3f} in every channel, and put {inside} of their "
        "attention into the own pooling group. What they miss lies at the image border, where patches hardly vary."
    )


def _curves(parts: list[Part]) -> Figure:
    losses, cosines = [], []
    for group, part in enumerate(parts):
        data = part.run.data
        steps = np.asarray(data.step)
        losses.append(Curve(part.name, steps, np.asarray(data.excess_loss), group=group))
        worst, best = np.asarray(data.channel_cosine).min(1), np.asarray(data.channel_cosine).max(1)
        cosines.append(Curve(part.name, steps, np.asarray(data.value_cosine), low=worst, high=best, group=group))
    panels = (
        Curves("Training loss", "steps T", "loss on the images, ½ mean ‖f*(X) − TF(X)‖²", losses),
        Curves("Direction of the values", "steps T", "cosine of W_V and V*", cosines, y_log=False),
    )
    caption = (
        "The loss over all training images, exact, and the cosine between W_V and V*; the band spans the smallest and "
        "the largest cosine over the channels."
    )
    return Figure("mnist_curves", "Learning from a network's hidden layer", caption, panels)


def _maps(part: Part) -> Figure:
    scores = np.asarray(_scores(part.run))
    target = np.asarray(part.run.teacher.scores)
    panels = (
        Heatmap("S of the student", "token i", "token j", scores, "attention", low=0, high=2 / POOL**2),
        Heatmap("S* of the network", "token i", "token j", target, "attention", low=0, high=2 / POOL**2),
        Heatmap("Mass in the own group", "column", "row", np.asarray(part.mass), "attention mass", low=0, high=1),
    )
    caption = (
        f"Attention after training ({part.name}); column i shows where output patch i looks. Right: how much of it "
        "stays inside the patch's own pooling group, on the 9 × 9 grid of patches."
    )
    return Figure(f"mnist_{part.name}_attention", f"Attention on digits, {part.name}", caption, panels, columns=3)
