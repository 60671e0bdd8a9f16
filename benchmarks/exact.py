"""docendo itself: steps of `GradientDescent`, and the exact loss and gradient that the others are checked against."""

from time import process_time

import jax
import numpy as np

import docendo as dc
from benchmarks.problems import Problem
from docendo.inputs import white
from docendo.training.base import Problem as Training


class Exact:
    """Gradient descent on the exact population loss."""

    name = "docendo"

    def __init__(self, problem: Problem):
        activation = {"identity": dc.identity, "relu": dc.relu}[problem.activation]
        self.teacher = dc.Teacher(problem.value, problem.scores, activation)
        self.student = dc.PositionOnly(problem.start_value, problem.start_key_query)
        self.dynamics = dc.GradientDescent(problem.learning_rate)
        self.training = Training(self.teacher, self.student, white, None, None)
        self.start = self.dynamics.start(self.training)

    def run(self, steps: int) -> None:
        """Make steps from the start, and wait for them."""
        jax.block_until_ready(self.dynamics.advance(self.training, self.start, 0, steps))

    def compile_seconds(self) -> float:
        """How much longer the first call takes than the second: tracing and compiling."""
        began = process_time()
        self.run(1)
        middle = process_time()
        self.run(1)
        return (middle - began) - (process_time() - middle)

    def loss(self) -> float:
        """The excess loss at the start."""
        return float(dc.excess_loss(self.teacher, self.student))

    def gradient(self) -> dict[str, np.ndarray]:
        """Its gradient there."""
        slopes = dc.gradient(self.teacher, self.student)
        return {name: np.asarray(getattr(slopes, name)) for name in self.student.parameters()}

    def long_step(self) -> tuple[float, dict[str, np.ndarray]]:
        """A learning rate that moves W_KQ by 1, so that rounding does not blur a step; and what it subtracts."""
        slopes = self.gradient()
        rate = 1 / float(np.abs(slopes["key_query"]).max())
        return rate, {name: rate * slope for name, slope in slopes.items()}

    def check(self) -> None:
        """The loop's step against the gradient."""
        rate, wanted = self.long_step()
        dynamics, start = dc.GradientDescent(rate), self.student.parameters()
        moved = dynamics.student(self.training, dynamics.advance(self.training, self.start, 0, 1)).parameters()
        agree("docendo's step", {name: np.asarray(start[name] - moved[name]) for name in start}, wanted, 1e-9)


def agree(what: str, found: dict[str, np.ndarray], wanted: dict[str, np.ndarray], tolerance: float) -> None:
    """Raise unless arrays agree to `tolerance` of the largest entry: whoever computes something else is not timed."""
    for name, array in wanted.items():
        error = float(np.abs(np.asarray(found[name]) - array).max() / np.abs(array).max())
        if not error <= tolerance:
            raise RuntimeError(f"{what} differs from docendo's: {name} by {error:.1e} of its largest entry")
