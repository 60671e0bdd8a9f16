"""The same student in PyTorch: the exact loss by eager autograd, and what one would do without it, online SGD.

The exact loss comes in two forms. The first is docendo's, in which nothing cancels near the optimum:

    Σ ½ [(α+β) E(z − z*)² − (4β/π) a b (sin θ − θ cos θ)],  a = ‖w‖‖s‖, b = ‖v‖‖s*‖
    E(z − z*)² = ‖w − v‖²‖s‖² + ‖v‖²‖s − s*‖² + 2 ((w − v)·v)(s·(s − s*)),  θ = atan2(sin θ, cos θ)

The second, "short", is ½ Σ [(α+β)(a² + b²) − 2 E σ(z)σ(z*)] with θ = arccos(c/(ab)): the least PyTorch could do, but
its digits are gone when the loss is small.
"""

import importlib.util
import math
from typing import Any

import numpy as np

from benchmarks.exact import Exact, agree
from benchmarks.problems import Problem

if importlib.util.find_spec("torch"):
    import torch

BATCH = 256
CHECKED_BATCHES = 24
STANDARD_ERRORS = 5


def missing() -> str | None:
    """Why these contenders cannot run, or None."""
    return None if importlib.util.find_spec("torch") else "PyTorch is not installed here; docs/benchmarks.md says how"


class _Descent:
    """W_V and W_KQ under plain SGD on whatever `loss` says."""

    name: str

    def __init__(self, problem: Problem, exact: Exact, dtype: Any):
        self.problem, self.exact = problem, exact
        self.value, self.scores = (torch.tensor(array, dtype=dtype) for array in (problem.value, problem.scores))
        self.parameters = {
            "value": torch.tensor(problem.start_value, dtype=dtype, requires_grad=True),
            "key_query": torch.tensor(problem.start_key_query, dtype=dtype, requires_grad=True),
        }
        self.relu = problem.activation == "relu"

    def loss(self) -> Any:
        """What is descended on."""
        raise NotImplementedError

    def run(self, steps: int) -> None:
        """Make steps from wherever the last call ended."""
        parameters = list(self.parameters.values())
        for _ in range(steps):
            slopes = torch.autograd.grad(self.loss(), parameters)
            with torch.no_grad():
                for parameter, slope in zip(parameters, slopes, strict=True):
                    parameter.sub_(slope, alpha=self.problem.learning_rate)

    def gradient(self) -> dict[str, np.ndarray]:
        """The gradient at the parameters."""
        slopes = torch.autograd.grad(self.loss(), list(self.parameters.values()))
        return dict(zip(self.parameters, (slope.numpy() for slope in slopes), strict=True))

    def softmax(self) -> Any:
        """S."""
        return torch.softmax(self.problem.logit_scale * self.parameters["key_query"], dim=0)


class Exact64(_Descent):
    """An exact population loss, float64, eager."""

    def __init__(self, problem: Problem, exact: Exact):
        super().__init__(problem, exact, torch.float64)
        self.row_square, self.column_square = (self.value**2).sum(1), (self.scores**2).sum(0)

    def check(self) -> None:
        """Loss and gradient against docendo's."""
        agree(f"{self.name}:", {"loss": self.loss().detach().numpy()}, {"loss": np.array(self.exact.loss())}, 1e-10)
        agree(f"{self.name}:", self.gradient(), self.exact.gradient(), 1e-9)


class Same(Exact64):
    """docendo's form of the loss."""

    name = "torch_exact"

    def loss(self) -> Any:
        """The excess loss."""
        row, column = self.parameters["value"], self.softmax()
        row_error, column_error = row - self.value, column - self.scores
        row_shift, column_shift = (row_error * self.value).sum(1), (column_error * self.scores).sum(0)
        square = (column * column).sum(0)
        distance = (
            torch.outer((row_error * row_error).sum(1), square)
            + torch.outer(self.row_square, (column_error * column_error).sum(0))
            + 2 * torch.outer(row_shift, (column * column_error).sum(0))
        )
        if not self.relu:
            return 0.5 * distance.sum()
        row_length, column_length = torch.sqrt((row * row).sum(1)), torch.sqrt(square)
        row_norm, column_norm = torch.sqrt(self.row_square), torch.sqrt(self.column_square)
        row_across = row_error - (row_shift / self.row_square)[:, None] * self.value
        column_across = column_error - column_shift / self.column_square * self.scores
        row_sine, column_sine = (row_across**2).sum(1) / row_length**2, (column_across**2).sum(0) / square
        row_cosine = (self.row_square + row_shift) / (row_length * row_norm)
        column_cosine = (self.column_square + column_shift) / (column_length * column_norm)
        sine = torch.sqrt(row_sine[:, None] + torch.outer(row_cosine**2, column_sine))
        angle = torch.atan2(sine, torch.outer(row_cosine, column_cosine))
        scale = torch.outer(row_length * row_norm, column_length * column_norm)
        return (0.25 * distance - scale / (2 * math.pi) * _sine_minus_angle_cosine(angle)).sum()


class Short(Exact64):
    """The shortest form of the loss, which cancels near the optimum."""

    name = "torch_short"

    def loss(self) -> Any:
        """The excess loss."""
        row, column = self.parameters["value"], self.softmax()
        square = torch.outer((row * row).sum(1), (column * column).sum(0))
        teacher_square = torch.outer(self.row_square, self.column_square)
        covariance = torch.outer((row * self.value).sum(1), (column * self.scores).sum(0))
        if not self.relu:
            return 0.5 * (square + teacher_square - 2 * covariance).sum()
        scale = torch.sqrt(square * teacher_square)
        cosine = covariance / scale
        angle, sine = torch.arccos(cosine), torch.sqrt(1 - cosine * cosine)
        product = scale / (2 * math.pi) * (sine + (math.pi - angle) * cosine)
        return 0.5 * (0.5 * (square + teacher_square) - 2 * product).sum()


def _sine_minus_angle_cosine(angle: Any) -> Any:
    """Σ_k (−1)^(k+1) 2k θ^(2k+1) / (2k+1)! below 0.5, where the difference itself would cancel."""
    square = angle * angle
    series = torch.zeros_like(angle)
    for k in range(9, 0, -1):
        series = series * square + (-1) ** (k + 1) * 2 * k / math.factorial(2 * k + 1)
    return torch.where(angle < 0.5, angle * square * series, torch.sin(angle) - angle * torch.cos(angle))


class Online(_Descent):
    """A fresh batch of 256 white Gaussian inputs each step, float32, eager."""

    name = "torch_online"

    def __init__(self, problem: Problem, exact: Exact):
        super().__init__(problem, exact, torch.float32)

    def loss(self) -> Any:
        """½‖σ(W_V X S) − σ(V* X S*)‖_F², averaged over a fresh batch."""
        x = torch.randn(BATCH, self.value.shape[1], self.problem.tokens)
        output, wanted = self.parameters["value"] @ x @ self.softmax(), self.value @ x @ self.scores
        if self.relu:
            output, wanted = torch.relu(output), torch.relu(wanted)
        return 0.5 * ((output - wanted) ** 2).sum() / BATCH

    def check(self) -> None:
        """The mean of some batches' losses, and of their gradients along docendo's, within five standard errors."""
        torch.manual_seed(0)
        slopes = self.exact.gradient()
        length = sum(float((slope**2).sum()) for slope in slopes.values())
        losses, along = [], []
        for _ in range(CHECKED_BATCHES):
            losses.append(float(self.loss().detach()) / self.exact.loss())
            found = self.gradient()
            along.append(sum(float((found[name] * slopes[name]).sum()) for name in slopes) / length)
        for what, ratios in (("losses", losses), ("gradients", along)):
            error = float(np.std(ratios, ddof=1)) / math.sqrt(CHECKED_BATCHES)
            if not abs(np.mean(ratios) - 1) <= STANDARD_ERRORS * error:
                raise RuntimeError(
                    f"the {what} of PyTorch's batches average {np.mean(ratios):.4f} ± {error:.4f} of docendo's"
                )
