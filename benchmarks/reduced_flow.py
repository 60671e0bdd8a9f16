"""How fast the scalars go: steps of `Reduced`, the flow to ηT = 1e12, a sweep of flows.

Run `python -m benchmarks.reduced_flow`.

Times are processor time of this process, all threads together, medians over rounds, except for the sweep's, which is
time on the clock on all cores the process may use. Compilation is reported apart: the first call less a later one.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import docendo as dc
from benchmarks.timing import spread
from docendo.activations import LeakyReLU
from docendo.files import write_json
from docendo.training.flow_scalars import flow_curve
from docendo.training.reduced import descend
from docendo.training.scalars import Profile, excess, start_scalars

STEPS = 10**6
SAVES = 40
PROBLEMS = 1000
ACTIVATIONS = {"identity": dc.identity, "relu": dc.relu}


def main() -> None:
    """Measure, print, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reduced_flow", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is timed")
    parser.add_argument("--problems", type=int, default=PROBLEMS, help="size of the sweep")
    parser.add_argument("--json", type=Path, default=None, help="a file for all numbers")
    options = parser.parse_args()
    found = {
        "reduced_microseconds_per_step": [_step(*each, options.rounds) for each in _step_problems()],
        "flow_to_1e12_seconds": [_flow(name, tokens, options.rounds) for name in ACTIVATIONS for tokens in (8, 1024)],
        "sweep_seconds": [_sweep(options.problems, options.rounds)],
    }
    for title, rows in found.items():
        print(title)
        for row in rows:
            print("  ", ", ".join(f"{name}={_short(value)}" for name, value in row.items()))
    if options.json is not None:
        write_json(options.json, found)


def _step_problems() -> list[tuple[str, int, tuple[int, ...]]]:
    return [(name, tokens, sizes) for name in ACTIVATIONS for sizes in ((4,), (1, 4)) for tokens in (32, 10**6)]


def _step(name: str, tokens: int, sizes: tuple[int, ...], rounds: int) -> dict[str, Any]:
    counts = jnp.full(len(sizes), tokens / len(sizes))
    profile = Profile(
        jnp.asarray(float(tokens)),
        jnp.asarray(sizes, dtype=float),
        counts,
        jnp.asarray(10.0),
        jnp.asarray(tokens**-0.5),
        ACTIVATIONS[name],
    )
    start, rate = start_scalars(profile), jnp.asarray(0.3 / float((counts / profile.sizes).sum()))
    compiling, seconds = _timed(lambda: descend(profile, start, rate, jnp.asarray(STEPS)), rounds, process_time)
    return {"activation": name, "tokens": tokens, "sparsity": list(sizes), "compile_seconds": compiling} | {
        "microseconds": spread(1e6 * seconds / STEPS)._asdict()
    }


def _flow(name: str, tokens: int, rounds: int) -> dict[str, Any]:
    teacher = dc.teachers.symmetric(tokens, 4, 10.0, ACTIVATIONS[name])

    def run() -> None:
        dc.train(teacher, None, dc.GradientFlow(), time=1e12, save_at=dc.log_spaced(SAVES))

    compiling, seconds = _timed(run, rounds, process_time)
    return {"activation": name, "tokens": tokens, "saves": SAVES, "compile_seconds": compiling} | {
        "seconds": spread(seconds)._asdict()
    }


def _sweep(problems: int, rounds: int) -> dict[str, Any]:
    """Flows to 1e12 of as many problems at once, their D, K, ‖V*‖ and κ drawn from wide ranges."""
    rng = np.random.default_rng(0)
    tokens = 2.0 ** rng.integers(3, 11, problems)
    sizes = np.minimum(2.0 ** rng.integers(0, 4, problems), tokens / 2)
    norms, slopes = 10 ** rng.uniform(-1, 2, problems), rng.uniform(-0.5, 1, problems)
    times = jnp.geomspace(1, 1e12, 25)

    def one(token: Any, size: Any, norm: Any, slope: Any) -> Any:
        profile = Profile(token, size[None], token[None], norm, token**-0.5, LeakyReLU(slope))
        return jax.vmap(excess, (None, 0))(profile, flow_curve(profile, times))

    curves = jax.jit(jax.vmap(one))
    compiling, seconds = _timed(lambda: curves(tokens, sizes, norms, slopes), rounds, perf_counter)
    unfinished = int((~np.isfinite(curves(tokens, sizes, norms, slopes))).any(1).sum())
    return {"problems": problems, "saves": len(times), "compile_seconds": compiling, "unfinished": unfinished} | {
        "seconds": spread(seconds)._asdict()
    }


def _timed(run: Callable[[], Any], rounds: int, clock: Callable[[], float]) -> tuple[float, np.ndarray]:
    """What the first call took more than the others, and what those took."""

    def seconds() -> float:
        began = clock()
        jax.block_until_ready(run())
        return clock() - began

    first, later = seconds(), np.array([seconds() for _ in range(rounds)])
    return first - float(np.median(later)), later


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "{median:.3g} ({lower:.3g} to {upper:.3g})".format(**value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
