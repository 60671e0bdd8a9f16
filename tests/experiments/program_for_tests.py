"""Experiments for the runner's tests: one that works, one that fails, one that waits to be killed."""

import time
from dataclasses import dataclass

from docendo.experiments.base import Outcome
from docendo.figures import Curve, Curves, Figure
from docendo.results import Finding


@dataclass(frozen=True)
class Sizes:
    """What tells two experiments of one program apart."""

    label: str


def works(sizes, bench):
    bench.spend(1.0)
    finding = Finding("one is one", 1.0, 1.0, None, None, "by looking", "agrees")
    panel = Curves("A line", "x", "y", [Curve("line", [1.0, 2.0], [1.0, 2.0])])
    figure = Figure(f"works_{sizes.label}", "A figure", "A caption", [panel])
    return Outcome("It works.", {"label": sizes.label}, [finding], [figure], {}, {"one": 1.0})


def fails(sizes, bench):
    raise RuntimeError("as it should")


def waits(sizes, bench):
    time.sleep(60)
    raise AssertionError("nobody killed it")
