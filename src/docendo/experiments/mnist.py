"""Figures 4 and 5: handwritten digits, with a trained two-layer network as the teacher (arXiv 2603.22801, Section 5).

An image of 27 × 27 is a 9 × 9 grid of patches, D = 81 tokens of d = 9 features. A network of 3 × 3 kernels without
bias, 3 × 3 average pooling (K = 9), σ and a linear layer learns the labels (`docendo.experiments.network`); all up to
σ is then f*, and the student learns its output on images, from zero.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from docendo.activations import Activation, leaky_relu, relu
from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.digits import load_digits, patches, resize
from docendo.experiments.mnist_figures import figures
from docendo.experiments.mnist_findings import findings, numbers, summary
from docendo.experiments.mnist_part import GRID, POOL, Part
from docendo.experiments.network import accuracy, pooled, train_network
from docendo.experiments.sizes import Digits
from docendo.inputs import Empirical
from docendo.positions import orthogonal
from docendo.students.position_only import PositionOnly
from docendo.teachers import convolution
from docendo.training import Online

__all__ = ["run"]

# Of MNIST's 70,000 images, training images first, the last seventh are its own test images.
TEST_SHARE = 7
CHUNK = 5000
BLANK = 1e-6


class Images(NamedTuple):
    """Pooled patches of all images (n, d, 9), their labels (n,), and the patches (images, d, D) of the first ones."""

    pooled: NDArray[np.float64]
    labels: NDArray[np.int64]
    patches: NDArray[np.float64]


def run(sizes: Digits, bench: Bench) -> Outcome:
    """Train the network and the student for ReLU and for Leaky ReLU."""
    images = _images(sizes, bench.digits)
    bench.spend(0.04)
    parts = [
        _part(name, sizes, bench, images, sigma)
        for name, sigma in (("relu", relu), ("leaky_relu", leaky_relu(sizes.negative_slope)))
    ]
    shape = {"tokens": GRID**2, "sparsity": POOL**2, "features": images.patches.shape[1]}
    return Outcome(
        summary=summary(parts, len(images.labels)),
        settings=vars(sizes) | shape | {"images_loaded": len(images.labels)},
        findings=[finding for part in parts for finding in findings(part)],
        figures=figures(parts),
        runs={part.name: part.run for part in parts},
        numbers={name: number for part in parts for name, number in numbers(part).items()},
    )


def _images(sizes: Digits, source: str | None) -> Images:
    """The digits, a few thousand at a time: only the students' images are kept as patches."""
    raw, labels = load_digits(source)
    kept, first = [], np.empty((0, 0, 0))
    for begin in range(0, len(raw), CHUNK):
        x = patches(resize(raw[begin : begin + CHUNK]))
        kept.append(pooled(x, GRID, POOL))
        first = x if begin == 0 else np.concatenate([first, x[: max(sizes.images - len(first), 0)]])
    return Images(np.concatenate(kept), labels, first[: sizes.images])


def _part(name: str, sizes: Digits, bench: Bench, images: Images, sigma: Activation) -> Part:
    x, labels = jnp.asarray(images.pooled), jnp.asarray(images.labels)
    training = len(labels) - len(labels) // TEST_SHARE
    network = train_network(
        x[:training],
        labels[:training],
        sigma,
        channels=sizes.channels,
        epochs=sizes.epochs,
        rate=sizes.network_rate,
        batch_size=sizes.batch_size,
        key=bench.key("network"),
    )
    right = accuracy(network, x[training:], labels[training:], sigma)
    bench.spend(0.03)
    teacher = convolution(grid=(GRID, GRID), pool=(POOL, POOL), value=network.kernels, activation=sigma)
    start = PositionOnly.zeros(teacher, orthogonal(teacher.tokens, seed=bench.key("positions")))
    trained = bench.train(
        name,
        0.45,
        teacher,
        start,
        Online(optax.adam(sizes.learning_rate), batch_size=sizes.batch_size),
        steps=sizes.steps,
        saves=sizes.saves,
        inputs=Empirical(images.patches),
        key=bench.key("student"),
    )
    return Part(name, right, len(labels) - training, _ink(images.patches), teacher, trained)


def _ink(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of images in which each patch, on the grid, is not all background, the darkest value there is."""
    return (x > x.min() + BLANK).any(1).mean(0).reshape(GRID, GRID)
