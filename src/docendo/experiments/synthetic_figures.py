"""The figures of a synthetic task: training, out of distribution, cosine, attention."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docendo.experiments.sizes import Synthetic
from docendo.figures import Curve, Curves, Figure, Heatmap
from docendo.teachers.base import Teacher
from docendo.training import Run

__all__ = ["Task", "figures", "scores"]


@dataclass(frozen=True)
class Task:
    """A task and its runs; `ood_name` is the variable that holds the population excess out of distribution."""

    name: str
    teacher: Teacher
    sizes: Synthetic
    exact: Run
    online: Run
    flow: Run
    ood_name: str

    @property
    def law(self) -> float:
        """K D (D−K)/4, the limit of ηT × excess loss (docs, The 1/T law)."""
        sizes = self.sizes
        return sizes.sparsity * sizes.tokens * (sizes.tokens - sizes.sparsity) / 4

    def sampled_rms(self) -> NDArray[np.float64]:
        """The root mean square over batches of the sampled excess, along the flow."""
        return np.sqrt((np.asarray(self.flow.data.sampled_ood_excess) ** 2).mean(1))


def scores(run: Run) -> NDArray[np.float64]:
    """S of the run's last student, one head."""
    student: Any = run.student
    return np.asarray(student.scores)


def figures(task: Task) -> list[Figure]:
    """All figures of the task."""
    return [_training(task), _out_of_distribution(task), _cosine(task), _attention(task)]


def _training(task: Task) -> Figure:
    exact, online = task.exact.data, task.online.data
    steps = np.asarray(exact.step, dtype=float)
    late = steps >= steps[-1] / 1e4
    losses = [
        Curve("exact descent", steps, np.asarray(exact.excess_loss), group=0),
        Curve("online descent", np.asarray(online.step), np.asarray(online.excess_loss), "points", group=1),
        Curve("law K D (D−K)/(4ηT)", steps[late], task.law / np.asarray(exact.time)[late], "dashed", group=2),
    ]
    exponents = [
        Curve("exact descent", steps, np.asarray(exact.local_exponent), group=0),
        Curve("slope −1", steps[[0, -1]], [-1.0, -1.0], "reference"),
    ]
    panels = (
        Curves("Excess training loss", "steps T", "excess loss", losses),
        Curves("Local exponent", "steps T", "d log loss / d log T", exponents, y_log=False),
    )
    caption = (
        f"Figure 2 (a). Excess loss of exact descent and of the paper's online descent (N = {task.sizes.batch_size}, "
        f"label noise {task.sizes.noise:g}), both computed exactly. Online, the noise of the batches leaves a "
        "floor. Right: "
        "the slope at every point."
    )
    return Figure(f"{task.name}_training", "Training loss", caption, panels)


def _out_of_distribution(task: Task) -> Figure:
    data, name = task.flow.data, task.ood_name
    time, population, rms = np.asarray(data.time), np.asarray(data[name]), task.sampled_rms()
    one = np.asarray(data.sampled_ood_excess)[:, 0]
    error = np.asarray(data[f"{name}_stderr"]) if f"{name}_stderr" in data else None
    kept = one > 0
    band = {} if error is None else {"low": np.maximum(population - error, population / 10), "high": population + error}
    end = slice(-max(2, len(time) // 4), None)
    curves = [
        Curve("population excess", time, population, group=0, **band),
        Curve("sampled excess, rms over samples", time, rms, group=1),
        Curve("one sample, where positive", time[kept], one[kept], "points", group=2),
        Curve("slope −1", time[end], population[end][0] * (time[end] / time[end][0]) ** -1 / 3, "reference"),
        Curve("slope −1/2", time[end], rms[end][0] * (time[end] / time[end][0]) ** -0.5 * 3, "reference"),
    ]
    exponents = [
        Curve("population excess", time[1:], _slope(time, population), group=0),
        Curve("sampled excess, rms", time[1:], _slope(time, rms), group=1),
    ]
    panels = (
        Curves("Excess loss, X̃ exponential", "time ηT", "excess over the teacher", curves),
        Curves("Local exponent", "time ηT", "d log excess / d log T", exponents, y_log=False, y_range=(-2.0, 0.5)),
    )
    negative = 1 - kept.mean()
    caption = (
        "Figure 2 (b), along the exact flow. The population excess falls like 1/T. Sampled on N = "
        f"{task.sizes.batch_size} "
        f"noisy pairs it carries a cross term of order T^(−1/2) and random sign, which takes over below about 2/N; the "
        f"one sample shown is negative at {negative:.0%} of the points."
    )
    return Figure(f"{task.name}_ood", "Out of distribution", caption, panels)


def _cosine(task: Task) -> Figure:
    exact, online = task.exact.data, task.online.data
    curves = [
        Curve("exact descent", np.asarray(exact.step), np.asarray(exact.value_cosine), group=0),
        Curve("online descent", np.asarray(online.step), np.asarray(online.value_cosine), "points", group=1),
    ]
    panel = Curves("Direction of the values", "steps T", "cosine of W_V and V*", curves, y_log=False)
    caption = "Figure 2 (c). The cosine between W_V and V*, from the first step on."
    return Figure(f"{task.name}_cosine", "Cosine", caption, (panel,), columns=1)


def _attention(task: Task) -> Figure:
    high = 1.25 / task.sizes.sparsity if task.sizes.sparsity > 1 else 1.0
    maps = (
        ("S* of the teacher", task.teacher.scores),
        (f"S at the end of the flow, ηT = {task.sizes.time:.0e}", scores(task.flow)),
        ("S after online descent", scores(task.online)),
    )
    panels = tuple(
        Heatmap(title, "token i", "token j", np.asarray(matrix), "attention", low=0, high=high)
        for title, matrix in maps
    )
    caption = "Figure 3. Attention scores; column i shows where output i looks."
    return Figure(f"{task.name}_attention", "Attention", caption, panels, columns=3)


def _slope(time: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.diff(np.log(values)) / np.diff(np.log(time))
