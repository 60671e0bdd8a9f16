"""Teachers other than the paper's: scores that are not uniform, dense, directed or overlapping.

Zero entries of S* are reached as logits grow without end, which is where the 1/T comes from; a dense S* is reached at
finite logits, and exponentially fast.
"""

import numpy as np

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.courses import Setting, compare
from docendo.experiments.sizes import Beyond
from docendo.students.position_only import PositionOnly
from docendo.teachers import convolution, decaying, graph_convolution, random, softmax_random, weighted, window
from docendo.teachers.base import Teacher
from docendo.training import GradientFlow

__all__ = ["run"]


def run(sizes: Beyond, bench: Bench) -> Outcome:
    """Train the paper's student on each of them, along the flow."""
    count, seed = sizes.tokens, bench.key("teacher")
    same = {"features": sizes.features, "channels": sizes.channels, "seed": seed}
    ring = np.roll(np.eye(count), 1, axis=0) + np.diag(np.full(count, 2.0))
    teachers: dict[str, Teacher] = {
        "uniform, the paper's": random(count, sparsity=sizes.sparsity, **same),
        "weights 0.7 and 0.3": weighted(count, weights=[0.7, 0.3], **same),
        "decaying, cut off": decaying(count, ratio=0.5, reach=2, **same),
        "decaying, dense": decaying(count, ratio=0.5, **same),
        "softmax of a random matrix, dense": softmax_random(count, **same),
        "directed weighted ring": graph_convolution(ring, weighted=True, directed=True, **same),
        "overlapping pools": convolution(grid=(3, 3), pool=(2, 2), stride=(1, 1), **same),
        "dilated pools": convolution(grid=(4, 4), pool=(2, 2), stride=(1, 1), dilation=(2, 2), **same),
        "sliding window": window(count, before=1, after=1, **same),
    }
    settings = [Setting(name, each, PositionOnly.zeros(each), GradientFlow()) for name, each in teachers.items()]
    return compare("teachers", settings, bench, steps=sizes.steps, saves=sizes.saves, sizes=vars(sizes))
