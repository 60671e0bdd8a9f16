"""The benchmark program at its smallest: contenders agree, and numbers come out. Nothing is judged by its time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import c_loop, problems
from benchmarks.exact import Exact, agree
from benchmarks.timing import interleaved, spread

REPOSITORY = Path(__file__).parent.parent


def test_the_command_writes_all_numbers(tmp_path: Path) -> None:
    target = tmp_path / "speed.json"
    options = ["--tokens", "8", "--rounds", "2", "--slice", "1e-4", "--startup-rounds", "1", "--json", str(target)]
    command = [sys.executable, "-m", "benchmarks", *options]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(target.read_text())
    assert [record["activation"] for record in found["steps"]] == ["identity", "relu"]
    for record in found["steps"]:
        times = record["microseconds"]["docendo"]
        assert 0 < times["lower"] <= times["median"] <= times["upper"]
        assert record["compile_seconds"] > 0
    assert set(found["startup"]) == {"docendo --help", "import docendo", "python"}
    assert "| 8, 8, 16 | relu |" in done.stdout


@pytest.mark.skipif(c_loop.missing() is not None, reason=str(c_loop.missing()))
@pytest.mark.parametrize("activation", problems.ACTIVATIONS)
def test_a_contender_that_computes_something_else_is_refused(tmp_path: Path, activation: str) -> None:
    problem = problems.make_problem(8, activation, 3, 4)
    exact = Exact(problem)
    exact.check()
    c_loop.CLoop(problem, exact, tmp_path).check()
    other = Exact(problems.make_problem(8, activation, 3, 4, seed=1))
    with pytest.raises(RuntimeError, match=r"the C loop differs from docendo's: value by .* of its largest entry"):
        c_loop.CLoop(problem, other, tmp_path).check()


def test_nan_agrees_with_nothing() -> None:
    with pytest.raises(RuntimeError, match="differs"):
        agree("it", {"x": np.array([np.nan])}, {"x": np.array([1.0])}, 1.0)


class Counting:
    """A contender that counts."""

    def __init__(self, name: str, log: list[str]):
        self.name, self.log, self.steps = name, log, 0

    def run(self, steps: int) -> None:
        self.log.append(self.name)
        self.steps += steps
        sum(range(1000 * steps))


def test_contenders_take_turns() -> None:
    log: list[str] = []
    times = interleaved([Counting("a", log), Counting("b", log)], rounds=3, slice_seconds=1e-4)
    assert log[-6:] == ["a", "b"] * 3
    assert {name: found.shape for name, found in times.items()} == {"a": (3,), "b": (3,)}


def test_spread_is_the_median_and_the_quartiles() -> None:
    assert spread(np.array([5.0, 1.0, 2.0, 4.0, 3.0])) == (3.0, 2.0, 4.0)
