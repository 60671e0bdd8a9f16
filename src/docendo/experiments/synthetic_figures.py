"""The figures of a synthetic task: training, out of distribution, cosine, attention."""

import numpy as np

from docendo.experiments.task import Points, Task, scores, straight_line
from docendo.figures import Curve, Curves, Figure, Heatmap

__all__ = ["figures"]


def figures(task: Task) -> list[Figure]:
    """All figures of the task."""
    return [_training(task), _out_of_distribution(task), _cosine(task), _attention(task)]


def _training(task: Task) -> Figure:
    exact = task.exact.data
    steps = np.asarray(exact.step, dtype=float)
    exponents = [
        Curve("exact descent", steps, np.asarray(exact.local_exponent), group=0),
        Curve("slope −1", steps[[0, -1]], [-1.0, -1.0], "reference"),
    ]
    panels = (
        Curves("Excess training loss", "steps T", "excess loss", _losses(task)),
        Curves("Local exponent", "steps T", "d log loss / d log T", exponents, y_log=False),
    )
    caption = (
        f"Figure 2 (a). Excess loss of exact descent and of the paper's online descent (N = {task.sizes.batch_size}, "
        f"label noise {task.sizes.noise:g}), both computed exactly, with docendo's law and with the straight line that "
        "one would fit to the online run. Right: the slope of exact descent at every point, which no line can show."
    )
    return Figure(f"{task.name}_training", "Training loss", caption, panels)


def _losses(task: Task) -> list[Curve]:
    exact, online = task.exact.data, task.online.data
    steps, online_steps = np.asarray(exact.step, dtype=float), np.asarray(online.step, dtype=float)
    late = steps >= steps[-1] / 1e4
    curves = [
        Curve("exact descent", steps, np.asarray(exact.excess_loss), group=0),
        Curve("online descent", online_steps, np.asarray(online.excess_loss), "points", group=1),
        Curve("law K D (D−K)/(4ηT)", steps[late], task.law / np.asarray(exact.time)[late], "dashed", group=2),
    ]
    return [*curves, _line(task)] if task.has_begun else curves


def _line(task: Task) -> Curve:
    late = task.after_onset()
    steps = np.asarray(task.online.data.step, dtype=float)[late]
    line = straight_line(steps, np.asarray(task.online.data.excess_loss)[late])
    label = f"straight line, slope {line.slope:.2f}".replace("-", "−")
    return Curve(label, steps, line.at(steps), "dashed", group=1)


def _out_of_distribution(task: Task) -> Figure:
    time = np.asarray(task.flow.data.time)
    population, rms = task.population(task.flow), task.sampled_rms(task.flow)
    exponents = [
        Curve("population excess", *_slope(time, population.values), group=0),
        Curve("sampled excess, rms", *_slope(time, rms), group=1),
        *(Curve(f"slope {name}", time[[0, -1]], [at, at], "reference") for name, at in (("−1", -1.0), ("−1/2", -0.5))),
    ]
    panels = (
        Curves("Excess for exponential X̃", "time ηT", "excess over the teacher", _excesses(task)),
        Curves("Local exponent", "time ηT", "d log excess / d log T", exponents, y_log=False),
    )
    negative = float((task.sampled(task.flow)[:, 0] < 0).mean())
    reach = float(task.online.data.time[-1])
    caption = (
        f"Figure 2 (b), along the exact flow; T = time / {task.sizes.learning_rate:g}. The population excess falls "
        f"like 1/T. Sampled on N = {task.sizes.batch_size} noisy pairs it carries a cross term of order T^(−1/2) and "
        f"random sign, which takes over below an excess of about {task.crossing:.2g}; the one sample shown is negative "
        f"at {negative:.0%} of the points. The online run, to ηT = {reach:,.0f}, is above that."
    )
    if float(task.population(task.online).values[-1]) <= task.crossing:
        caption = caption.replace(", is above that.", ", gets below that.")
    return Figure(f"{task.name}_ood", "Out of distribution", caption, panels)


def _excesses(task: Task) -> list[Curve]:
    time = np.asarray(task.flow.data.time)
    population, rms = task.population(task.flow), task.sampled_rms(task.flow)
    one = task.sampled(task.flow)[:, 0]
    low, high = population.values - population.error, population.values + population.error
    cross = np.sqrt(task.crossing * population.values)
    return [
        Curve("population", time, population.values, low=low, high=high, group=0),
        Curve("sampled, root mean square", time, rms, group=1),
        Curve("σ √(2 × population / N)", time, cross, "dashed", group=1),
        Curve("online, sampled", np.asarray(task.online.data.time), task.sampled_rms(task.online), "points", group=2),
        Curve("one sample, positive", time[one > 0], one[one > 0], "points", group=3),
        Curve("one sample, negative: its size", time[one < 0], -one[one < 0], "points", group=4),
    ]


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
    maps = (
        ("S* of the teacher", np.asarray(task.teacher.scores)),
        (f"S, exact descent, T = {int(task.exact.data.step[-1]):,}", scores(task.exact)),
        (f"S, online descent, T = {int(task.online.data.step[-1]):,}", scores(task.online)),
    )
    high = 1 / task.sizes.sparsity
    panels = tuple(Heatmap(title, "output i", "token j", values, "attention", 0.0, high) for title, values in maps)
    caption = f"Figure 3. Attention scores: column i shows where output i looks; the scale ends at 1/K = {high:.3g}."
    return Figure(f"{task.name}_attention", "Attention", caption, panels, columns=3)


def _slope(time: Points, values: Points) -> tuple[Points, Points]:
    """The middles of neighbouring points, and the slope between them."""
    return np.sqrt(time[1:] * time[:-1]), np.diff(np.log(values)) / np.diff(np.log(time))
