"""Optimizers other than plain descent, on the exact gradient: which of them keep the 1/T law.

Momentum multiplies the time by 1/(1 − μ) and should change nothing else; methods that normalise the gradient move at a
speed of their own and stop where their step is as large as what is left; weight decay moves the optimum itself.
"""

import optax

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.courses import Setting, compare
from docendo.experiments.sizes import Beyond
from docendo.students.position_only import PositionOnly
from docendo.teachers.random import random
from docendo.training import GradientDescent, PopulationOptimizer

__all__ = ["run"]


def run(sizes: Beyond, bench: Bench) -> Outcome:
    """Train the same problem by each of them."""
    teacher = random(
        sizes.tokens,
        sparsity=sizes.sparsity,
        features=sizes.features,
        channels=sizes.channels,
        seed=bench.key("teacher"),
    )
    start, rate = PositionOnly.zeros(teacher), sizes.learning_rate
    halving = optax.exponential_decay(1e-2, max(1, sizes.steps // 10), 0.5)
    optimizers = {
        "momentum 0.9": optax.sgd(rate / 10, momentum=0.9),
        "Nesterov 0.9": optax.sgd(rate / 10, momentum=0.9, nesterov=True),
        "Adam": optax.adam(1e-3),
        "Adam, rate halved ten times": optax.adam(halving),
        "sign descent": optax.sign_sgd(1e-4),
        "rate ∝ T^(−1/2)": optax.sgd(lambda step: rate / (1 + step / 100) ** 0.5),
        "weight decay 1e-4": optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(rate)),
    }
    settings = [Setting("plain descent", teacher, start, GradientDescent(rate))]
    settings += [Setting(name, teacher, start, PopulationOptimizer(each)) for name, each in optimizers.items()]
    return compare("optimizers", settings, bench, steps=sizes.steps, saves=sizes.saves, sizes=vars(sizes))
