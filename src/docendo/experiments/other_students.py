"""Students other than the paper's: which of them recover S*, and at what rate.

The paper's student has one matrix W_KQ, an orthogonal P and a fixed temperature; its own equation (2.3) has W_K and W_Q
apart. Each student here is trained on the same teacher by exact descent, relative positions on a window they can
express.
"""

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.courses import Setting, compare
from docendo.experiments.sizes import Beyond
from docendo.positions import gaussian, sinusoidal
from docendo.students import (
    FactoredPositionOnly,
    FreeTemperature,
    LearnedPositions,
    MultiHead,
    PositionOnly,
    RelativePositions,
)
from docendo.teachers import random, window
from docendo.training import GradientDescent, GradientFlow

__all__ = ["run"]


def run(sizes: Beyond, bench: Bench) -> Outcome:
    """Train each of them."""
    teacher = random(
        sizes.tokens,
        sparsity=sizes.sparsity,
        features=sizes.features,
        channels=sizes.channels,
        seed=bench.key("teacher"),
    )
    near = window(
        sizes.tokens, before=1, after=0, features=sizes.features, channels=sizes.channels, seed=bench.key("teacher")
    )
    seed, descent, flow = bench.key("start"), GradientDescent(sizes.learning_rate), GradientFlow()
    wide = sinusoidal(sizes.tokens, sizes.tokens + 2 + sizes.tokens % 2)
    drawn = gaussian(sizes.tokens, 4 * sizes.tokens, seed=bench.key("positions"))
    settings = [
        Setting("the paper's", teacher, PositionOnly.zeros(teacher), descent),
        Setting("random start", teacher, PositionOnly.random(teacher, scale=1.0, seed=seed), descent),
        Setting("half informed start", teacher, PositionOnly.informed(teacher, share=0.5, seed=seed), descent),
        Setting("W_K and W_Q apart", teacher, FactoredPositionOnly.random(teacher, seed=seed), descent),
        Setting("two heads", teacher, MultiHead.random(teacher, heads=2, seed=seed), descent),
        Setting("learned positions", teacher, LearnedPositions.zeros(teacher), descent),
        Setting("free temperature", teacher, FreeTemperature.zeros(teacher), descent),
        Setting("relative positions", near, RelativePositions.zeros(near), descent),
        Setting("sinusoidal positions, flow", teacher, PositionOnly.zeros(teacher, wide), flow),
        Setting("Gaussian positions, flow", teacher, PositionOnly.zeros(teacher, drawn), flow),
    ]
    return compare("students", settings, bench, steps=sizes.steps, saves=sizes.saves, sizes=vars(sizes))
