"""How long a user waits before anything runs: `docendo --help`, `import docendo`, and Python itself."""

import subprocess
import sys
from time import perf_counter

import numpy as np

from benchmarks.timing import Spread, spread

COMMANDS = {
    "docendo --help": ["-m", "docendo", "--help"],
    "import docendo": ["-c", "import docendo"],
    "python": ["-c", "pass"],
}


def startup_seconds(rounds: int) -> dict[str, Spread]:
    """Seconds of each command, in fresh processes that take turns; the first round, which fills caches, is dropped."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds + 1):
        for name, arguments in COMMANDS.items():
            times[name].append(_seconds(arguments))
    return {name: spread(np.array(found[1:])) for name, found in times.items()}


def _seconds(arguments: list[str]) -> float:
    began = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - began
