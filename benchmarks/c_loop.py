"""The same descent in C, compiled here and now by `cc -O3 -march=native -ffast-math`."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.exact import Exact, agree
from benchmarks.problems import Problem

SOURCE = Path(__file__).parent / "c" / "step.c"
FLAGS = ("-O3", "-march=native", "-ffast-math", "-std=gnu11", "-fPIC", "-shared")

_DOUBLES = ctypes.POINTER(ctypes.c_double)


def missing() -> str | None:
    """Why this contender cannot run, or None."""
    return None if shutil.which("cc") else "no C compiler: there is no command cc"


class CLoop:
    """The C loop; its sizes are arguments, known when it runs."""

    name = "c"

    def __init__(self, problem: Problem, exact: Exact, folder: Path):
        self.problem, self.exact = problem, exact
        self._steps = _compiled(problem.activation == "relu", folder / f"{problem.activation}.so")

    def run(self, steps: int) -> None:
        """Make steps from the start."""
        self.after(steps, self.problem.learning_rate)

    def after(self, steps: int, rate: float) -> dict[str, np.ndarray]:
        """W_V and W_KQ after some steps."""
        problem = self.problem
        value, logits = problem.start_value.copy(), problem.start_key_query.T.copy()
        arrays = (value, logits, problem.value.copy(), problem.scores.T.copy())
        pointers = [array.ctypes.data_as(_DOUBLES) for array in arrays]
        self._steps(problem.tokens, *value.shape, *pointers, rate, problem.logit_scale, steps)
        return {"value": value, "key_query": logits.T}

    def check(self) -> None:
        """One long step against docendo's gradient."""
        rate, wanted = self.exact.long_step()
        start, moved = self.after(0, rate), self.after(1, rate)
        agree("the C loop", {name: start[name] - moved[name] for name in start}, wanted, 1e-9)


def _compiled(relu: bool, library: Path) -> Any:
    if not library.exists():
        subprocess.run(["cc", *FLAGS, f"-DRELU={int(relu)}", str(SOURCE), "-o", str(library), "-lm"], check=True)
    function = ctypes.CDLL(str(library)).steps
    function.argtypes = [ctypes.c_int] * 3 + [_DOUBLES] * 4 + [ctypes.c_double] * 2 + [ctypes.c_long]
    function.restype = None
    return function
