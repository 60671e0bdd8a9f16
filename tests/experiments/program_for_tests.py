"""Experiments for the runner's tests: they work, fail, wait to be killed, or train and then wait."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

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


def judges(sizes, bench):
    found = works(sizes, bench)
    claim = {"name": "one", "quantity": "q", "sense": "<=", "law": "1", "exponents": {}, "ratio": {}, "hypotheses": []}
    claims = [claim | {"verdict": "holds", "label": "law"}]
    return replace(found, verdicts={"claims": claims, "definitions": {"start": "zero"}, "versions": {}})


def fails(sizes, bench):
    raise RuntimeError("as it should")


def waits(sizes, bench):
    time.sleep(60)
    raise AssertionError("nobody killed it")


def trains_then_waits(sizes, bench):
    """Notes every save in the file `saves`, and waits to be killed unless there is a file `go`."""
    from docendo.teachers import random
    from docendo.training import GradientDescent

    note = Path(sizes.label)

    def look(student):
        with open(note / "saves", "a") as file:
            file.write("a save\n")
        return 0.0

    teacher = random(4, sparsity=2, features=2, channels=1, seed=bench.key("teacher"))
    run = bench.train("part", 1.0, teacher, None, GradientDescent(0.1), steps=50, saves=5, observe={"look": look})
    if not (note / "go").exists():
        (note / "waiting").touch()
        waits(sizes, bench)
    return Outcome("It trained.", {}, [], [], {"part": run})
