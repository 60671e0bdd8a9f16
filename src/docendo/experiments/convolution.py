"""Convolution and average pooling: 6 × 6 patches pooled in blocks of 2 × 2 (arXiv 2603.22801, Figures 2 and 3)."""

from math import isqrt

from docendo.activations import Activation, leaky_relu, relu
from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.sizes import Synthetic
from docendo.experiments.synthetic import train_task
from docendo.teachers import convolution

__all__ = ["leaky_relu_task", "relu_task"]

NEGATIVE_SLOPE = 0.1


def relu_task(sizes: Synthetic, bench: Bench) -> Outcome:
    """The task with ReLU."""
    return _task("convolution_relu", relu, sizes, bench)


def leaky_relu_task(sizes: Synthetic, bench: Bench) -> Outcome:
    """The task with Leaky ReLU."""
    return _task("convolution_leaky_relu", leaky_relu(NEGATIVE_SLOPE), sizes, bench)


def _task(name: str, activation: Activation, sizes: Synthetic, bench: Bench) -> Outcome:
    side, pool = isqrt(sizes.tokens), isqrt(sizes.sparsity)
    teacher = convolution(
        grid=(side, side),
        pool=(pool, pool),
        features=sizes.features,
        channels=sizes.channels,
        activation=activation,
        seed=bench.key("teacher"),
    )
    return train_task(name, teacher, sizes, bench)
