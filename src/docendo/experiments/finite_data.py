"""A sample instead of the population: what n inputs, with and without label noise, cost in excess loss.

The student is trained on n pairs drawn once, in full batches; what is recorded is the
exact excess loss of the population, of which the 1/T of training itself is a part. What the sample adds is the rest:
the difference to training on the population for as long. With label noise that should fall like 1/n, as in any
regression; without, enough inputs determine the teacher and nothing is added.
"""

from typing import Any

import numpy as np

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.judging import exponent_finding, missing_finding, near_finding
from docendo.experiments.sizes import FiniteData
from docendo.figures import Curve, Curves, Figure
from docendo.randomness import stream
from docendo.results import Finding
from docendo.students.position_only import PositionOnly
from docendo.teachers.random import random
from docendo.theory.rates import Estimate
from docendo.training import FiniteSample, GradientDescent, Run

__all__ = ["run"]

SPREAD = 2.0
RATIO_TOLERANCE = 0.5


def run(sizes: FiniteData, bench: Bench) -> Outcome:
    """Train on samples of every size, for several draws of them."""
    teacher = random(
        sizes.tokens,
        sparsity=sizes.sparsity,
        features=sizes.features,
        channels=sizes.channels,
        seed=bench.key("teacher"),
    )
    start = PositionOnly.zeros(teacher)
    share = 1 / (1 + 2 * len(sizes.samples) * sizes.draws)

    def train(name: str, dynamics: Any, seed: int) -> Run:
        key = stream(bench.key("sample"), str(seed))
        return bench.train(name, share, teacher, start, dynamics, steps=sizes.steps, saves=sizes.saves, key=key)

    population = train("population", GradientDescent(sizes.learning_rate), 0)
    runs: dict[str, Run] = {"population": population}
    ends = {noise: np.empty((sizes.draws, len(sizes.samples))) for noise in (0.0, sizes.noise)}
    for noise, table in ends.items():
        for column, n in enumerate(sizes.samples):
            for draw in range(sizes.draws):
                dynamics = FiniteSample(n, sizes.learning_rate, noise=noise)
                made = train(f"n_{n}_noise_{noise:g}_draw_{draw}", dynamics, draw)
                table[draw, column] = float(made.data["excess_loss"][-1])
                if draw == 0:
                    runs[f"n_{n}_{'noisy' if noise else 'exact'}"] = made
    clean, noisy = ends[0.0], ends[sizes.noise]
    reached = float(population.data["excess_loss"][-1])
    added = noisy - reached
    slope = _power(np.array(sizes.samples, dtype=float), added) if (added > 0).all() else None
    ratio = float(np.median(clean[:, -1])) / reached
    figure = "finite_data"
    numbers = {"excess_loss_of_the_population": reached}
    return Outcome(
        summary=(
            _noise_in_words(sizes, slope)
            + f" Without noise, n = {sizes.samples[-1]} ends at {ratio:.2f} of what the population gives, "
            f"n = {sizes.samples[0]} at {float(np.median(clean[:, 0])) / reached:.3g} times it."
        ),
        settings=vars(sizes),
        findings=[
            _noise_finding(sizes, slope, figure),
            near_finding(
                f"Without label noise, {sizes.samples[-1]} inputs train as the population does: ratio of the losses",
                1.0,
                ratio,
                RATIO_TOLERANCE,
                f"median over {sizes.draws} draws, after {sizes.steps:,} steps",
                figure=figure,
            ),
        ],
        figures=[_figure(figure, sizes, runs, clean, noisy, reached)],
        runs=runs,
        numbers=numbers if slope is None else numbers | {"power_of_n_with_noise": slope.value},
    )


def _noise_in_words(sizes: FiniteData, slope: Estimate | None) -> str:
    if slope is None:
        return (
            f"With label noise {sizes.noise:g} some samples end below the population after {sizes.steps:,} steps: "
            "too early for a power of n."
        )
    power = f"n^({slope.value:.2f})".replace("-", "−")
    return (
        f"With label noise {sizes.noise:g} what the sample adds after {sizes.steps:,} steps falls like {power} from "
        f"n = {sizes.samples[0]} to {sizes.samples[-1]}."
    )


def _noise_finding(sizes: FiniteData, slope: Estimate | None, figure: str) -> Finding:
    claim = "With label noise the sample adds an excess loss that falls like 1/n, as in any regression"
    if slope is None:
        why = f"some draws end below the population after {sizes.steps:,} steps, so what they add has no logarithm"
        return missing_finding(claim, -1.0, why, figure=figure)
    how = f"excess less the population's, straight lines through the logarithms of {sizes.draws} draws"
    return exponent_finding(claim, -1.0, slope, how, figure=figure)


def _power(n: np.ndarray, losses: np.ndarray) -> Estimate:
    """The power of n, with twice the standard error over draws as its interval: draws are independent."""
    slopes = np.array([np.polyfit(np.log(n), np.log(row), 1)[0] for row in losses])
    error = SPREAD * slopes.std(ddof=1) / np.sqrt(len(slopes))
    middle = float(slopes.mean())
    return Estimate(middle, middle - float(error), middle + float(error), "mean over draws", (n[0], n[-1]))


def _figure(
    name: str, sizes: FiniteData, runs: dict[str, Run], clean: np.ndarray, noisy: np.ndarray, reached: float
) -> Figure:
    n = np.array(sizes.samples, dtype=float)
    last = f"n_{sizes.samples[-1]}"
    curves = [
        Curve("population", *_curve(runs["population"], "excess_loss"), "dashed", group=0),
        Curve(f"n = {sizes.samples[-1]}", *_curve(runs[f"{last}_exact"], "excess_loss"), group=1),
        Curve(f"n = {sizes.samples[-1]}, noisy labels", *_curve(runs[f"{last}_noisy"], "excess_loss"), group=2),
        Curve(
            f"n = {sizes.samples[0]}, noisy labels",
            *_curve(runs[f"n_{sizes.samples[0]}_noisy"], "excess_loss"),
            group=3,
        ),
    ]
    ends = [
        Curve(label, n, np.median(table, 0), "points", table.min(0), table.max(0), group)
        for label, table, group in (
            ("exact labels", clean, 1),
            ("noisy labels", noisy, 2),
            ("noisy labels, less the population's", noisy - reached, 3),
        )
    ]
    ends.append(Curve("population", n[[0, -1]], [reached, reached], "dashed", group=0))
    ends.append(Curve("slope −1", n, np.median(noisy - reached, 0)[0] * n[0] / n, "reference"))
    panels = (
        Curves("Population excess loss", "steps T", "excess loss", curves),
        Curves(f"After {sizes.steps:,} steps", "inputs n", "excess loss", ends),
    )
    caption = (
        f"Training on n inputs drawn once; medians and ranges over {sizes.draws} draws. Losses are the population's."
    )
    return Figure(name, "Samples instead of the population", caption, panels)


def _curve(run: Run, what: str) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(run.data["step"], dtype=float), np.asarray(run.data[what])
