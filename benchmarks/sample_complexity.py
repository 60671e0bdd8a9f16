"""What a sample costs: the excess loss against its size n, `python -m benchmarks.sample_complexity`.

Full-batch descent on n pairs drawn once, the same teacher, start, rate and number of steps for every n; the excess loss
at the end is the population's, exact. With label noise it is to fall as 1/n. Without noise the teacher fits every
sample, and what is left is what training has not reached: descent on the population itself stands beside it as n = ∞.

For each noise the exponent of n is that of c (n + n0)^(−p) + L∞, fitted to every seed, with Student's t interval over
the seeds (`dc.rates.fit_shifted_power`); without noise L∞ is fitted, with noise it is where the
population's run ends.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import docendo as dc
from docendo.files import write_json

SIZES = (64, 128, 256, 512, 1024, 2048, 4096)
NOISES = (0.0, 1.0)
RATE = 0.2


def main() -> None:
    """Measure, print a table, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sample_complexity", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="sample sizes n, at least six")
    parser.add_argument("--seeds", type=int, default=8, help="samples for each size")
    parser.add_argument("--steps", type=int, default=2000, help="steps of descent")
    parser.add_argument("--json", type=Path, default=None, help="a file for all numbers")
    options = parser.parse_args()
    of = dc.teachers.random(tokens=6, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
    exact = dc.train(of, None, dc.GradientDescent(RATE), options.steps, save_at=[])
    floor = float(exact.data.excess_loss[-1])
    found = [measure(of, noise, options.sizes, options.seeds, options.steps, floor) for noise in NOISES]
    for record in found:
        print(lines(record))
    if options.json is not None:
        settings = {"steps": options.steps, "seeds": options.seeds, "learning_rate": RATE, "teacher": repr(of)}
        write_json(options.json, {"settings": settings, "population": floor, "noises": found})


def measure(of: dc.Teacher, noise: float, sizes: list[int], seeds: int, steps: int, floor: float) -> dict[str, Any]:
    """Losses by seed and size under one noise, and the exponent of n."""
    excess, training = (np.empty((seeds, len(sizes))) for _ in range(2))
    for column, n in enumerate(sizes):
        dynamics = dc.FiniteSample(n, RATE, noise=noise)
        for seed in range(seeds):
            data = dc.train(of, None, dynamics, steps, key=seed, save_at=[]).data
            excess[seed, column], training[seed, column] = data.excess_loss[-1], data.training_loss[-1]
    fit = dc.rates.fit_shifted_power(sizes, excess, floor=floor if noise and excess.min() > floor else None)
    return {
        "noise": noise,
        "n": sizes,
        "excess_loss": excess,
        "training_loss": training,
        "exponent": fit.exponent.value,
        "interval": [fit.exponent.low, fit.exponent.high],
        "floor": fit.floor.value,
        "population": floor,
    }


def lines(record: dict[str, Any]) -> str:
    """A table of one noise: means over the seeds with their standard errors."""
    seeds = len(record["excess_loss"])
    rows = [f"noise {record['noise']:g}", "       n  excess loss          training loss"]
    for n, excess, training in zip(record["n"], record["excess_loss"].T, record["training_loss"].T, strict=True):
        error = excess.std(ddof=1) / np.sqrt(seeds) if seeds > 1 else np.nan
        rows.append(f"{n:8d}  {excess.mean():.3e} ± {error:.0e}  {training.mean():.3e}")
    rows.append(f"       ∞  {record['population']:.3e}")
    low, high = record["interval"]
    return "\n".join([*rows, f"exponent of n: {record['exponent']:.3f} [{low:.3f}, {high:.3f}]", ""])


if __name__ == "__main__":
    main()
