"""The command: `python -m benchmarks`, or `make bench`.

The process pins itself to one core before anything numerical is imported, so that XLA, PyTorch and C each have that
core and no other.
"""

import argparse
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.problems import SIZES


def main() -> None:
    """Measure, print the tables, and write the JSON file where one is asked for."""
    options = _options()
    pinned = _pin(options.core)
    import jax

    jax.config.update("jax_enable_x64", True)
    from benchmarks import gd_step
    from benchmarks.startup import startup_seconds
    from benchmarks.table import startup_table, step_table
    from docendo.files import write_json

    for name, reason in gd_step.absent().items():
        print(f"skipped: {name}: {reason}")
    records = []
    for record in gd_step.measure(options.tokens, options.rounds, options.slice):
        records.append(record)
        print(f"measured: D = {record['tokens']}, {record['activation']}", flush=True)
    print("", step_table(records), "", sep="\n")
    startup = startup_seconds(options.startup_rounds)
    print(startup_table(startup))
    if options.json is not None:
        found = {name: seconds._asdict() for name, seconds in startup.items()}
        numbers = {"machine": _machine(pinned), "settings": _settings(options), "steps": records, "startup": found}
        write_json(options.json, numbers)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="How fast docendo is, and what it is compared with."
    )
    parser.add_argument(
        "--tokens", type=int, nargs="+", choices=list(SIZES), default=list(SIZES), help="sizes D to measure"
    )
    parser.add_argument("--rounds", type=int, default=25, help="interleaved rounds per size")
    parser.add_argument("--slice", type=float, default=0.04, help="seconds per contender and round")
    parser.add_argument("--startup-rounds", type=int, default=7, help="fresh processes per command")
    parser.add_argument("--core", type=int, default=None, help="the core to pin to; the last one this process may use")
    parser.add_argument("--json", type=Path, default=None, help="a file for all numbers")
    return parser.parse_args()


def _pin(core: int | None) -> int | None:
    """Keep this process on one core; None where the system cannot (macOS)."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false".strip()
    os.environ["OMP_NUM_THREADS"] = "1"
    if not hasattr(os, "sched_setaffinity"):
        return None
    chosen = max(os.sched_getaffinity(0)) if core is None else core
    os.sched_setaffinity(0, {chosen})
    return chosen


def _machine(pinned: int | None) -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "pinned_core": pinned,
        "python": platform.python_version(),
        "versions": {
            name: found for name in ("docendo", "jax", "jaxlib", "numpy", "torch") if (found := _version(name))
        },
    }


def _processor() -> str:
    """The model's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    return {name: setting for name, setting in vars(options).items() if name != "json"}


if __name__ == "__main__":
    main()
