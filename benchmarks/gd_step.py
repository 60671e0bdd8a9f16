"""Microseconds per exact step of gradient descent, beside PyTorch and C, at one size after the other."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jax

from benchmarks import c_loop, torch_steps
from benchmarks.exact import Exact
from benchmarks.problems import ACTIVATIONS, SIZES, Problem, make_problem
from benchmarks.timing import Contender, interleaved, spread


def absent() -> dict[str, str]:
    """Contenders that cannot run here, and why."""
    reasons = {"c": c_loop.missing(), "torch": torch_steps.missing()}
    return {name: reason for name, reason in reasons.items() if reason}


def measure(tokens: Sequence[int], rounds: int, slice_seconds: float) -> Iterator[dict[str, Any]]:
    """One record per size and activation, as soon as it is measured."""
    jax.config.update("jax_enable_compilation_cache", False)
    with tempfile.TemporaryDirectory() as folder:
        for count in tokens:
            for activation in ACTIVATIONS:
                yield _record(make_problem(count, activation, *SIZES[count]), rounds, slice_seconds, Path(folder))


def _record(problem: Problem, rounds: int, slice_seconds: float, folder: Path) -> dict[str, Any]:
    exact = Exact(problem)
    compile_seconds = exact.compile_seconds()
    exact.check()
    others = _others(problem, exact, folder)
    times = interleaved([exact, *others], rounds, slice_seconds)
    channels, features = problem.value.shape
    return {
        "tokens": problem.tokens,
        "channels": channels,
        "features": features,
        "activation": problem.activation,
        "compile_seconds": compile_seconds,
        "microseconds": {name: spread(found)._asdict() for name, found in times.items()},
        "times_docendo": {each.name: spread(times[each.name] / times[exact.name])._asdict() for each in others},
        "docendo_times": {each.name: spread(times[exact.name] / times[each.name])._asdict() for each in others},
    }


def _others(problem: Problem, exact: Exact, folder: Path) -> list[Contender]:
    """All contenders that can run here, each found to compute the same."""
    found: list[Any] = []
    if not c_loop.missing():
        found.append(c_loop.CLoop(problem, exact, folder))
    if not torch_steps.missing():
        found += [kind(problem, exact) for kind in (torch_steps.Same, torch_steps.Short, torch_steps.Online)]
    for each in found:
        each.check()
    return found
