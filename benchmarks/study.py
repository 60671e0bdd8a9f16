"""Studies against the same cells one after another, and studies against kill -9.

Run `python -m benchmarks.study`, or with `--kills 20` for the second.

Speed: the same cells, as `docendo.sweep` runs them on all cores this process may use, start of the workers included;
and by `docendo.train` one after another in this process, after one of them has compiled everything. Kills: a sweep is
killed with all its processes at a random moment, again and again; then it is finished and compared bit for bit with one
that was left alone.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import docendo as dc
from docendo.files import read_json, write_json
from docendo.studies.cells import cells_of
from docendo.studies.making import make
from docendo.studies.reading import parse_study
from docendo.studies.schema import StudyFile
from docendo.studies.store import open_store
from docendo.studies.writing import to_toml

SAVES = 40
KINDS = {
    "batched": {"kind": "gradient_descent", "steps": 300_000},
    "alone": {"kind": "gradient_descent", "steps": 100_000},
    "sampled": {"kind": "online", "learning_rate": 0.01, "batch_size": 10, "steps": 50_000},
}
KINDS["long"] = {"kind": "gradient_descent", "steps": 3_000_000}
TOKENS = {"batched": 4, "alone": 48, "sampled": 4, "long": 48}
CELLS = {"long": 1}


def main() -> None:
    """Measure, print, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study", description=__doc__)
    parser.add_argument("--cells", type=int, default=200, help="cells of a study")
    parser.add_argument("--steps", type=int, default=10**5, help="steps of a cell")
    parser.add_argument("--tokens", type=int, nargs="+", default=[4, 8, 16, 32], help="D of the studies")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed")
    parser.add_argument("--kills", type=int, default=0, help="kill a sweep so often instead")
    parser.add_argument("--json", type=Path, default=None, help="a file for all numbers")
    options = parser.parse_args()
    found: dict[str, Any]
    if options.kills:
        found = {"kills": [_killed(name, options.kills) for name in KINDS]}
    else:
        found = {"speed": [_speed(tokens, options) for tokens in options.tokens]}
    if options.json is not None:
        write_json(options.json, found)


def _study(tokens: int, cells: int, dynamics: dict[str, Any], saves: int = SAVES) -> StudyFile:
    teacher = {"kind": "random", "tokens": tokens, "sparsity": 2, "features": 8, "channels": 4, "activation": "relu"}
    return parse_study(
        {"name": f"D = {tokens}", "teacher": teacher, "dynamics": dynamics, "saves": {"count": saves}}
        | {"sweep": {"seed": {"count": cells}}}
    )


def _speed(tokens: int, options: argparse.Namespace) -> dict[str, Any]:
    study = _study(tokens, options.cells, {"steps": options.steps})
    _one_after_another(study, 2)
    dc.sweep(study)
    rounds = []
    for _ in range(options.rounds):
        began = time.perf_counter()
        _one_after_another(study, options.cells)
        between = time.perf_counter()
        dc.sweep(study)
        rounds.append((between - began, time.perf_counter() - between))
    ratios = sorted(alone / swept for alone, swept in rounds)
    row = {"tokens": tokens, "cells": options.cells, "steps": options.steps, "seconds": rounds, "ratios": ratios}
    print(
        f"D = {tokens}: {ratios[len(ratios) // 2]:.2f} times faster, from {ratios[0]:.2f} to {ratios[-1]:.2f}",
        flush=True,
    )
    return row


def _one_after_another(study: StudyFile, count: int) -> None:
    for cell in cells_of(study)[:count]:
        dc.train(**make(cell.settings)._asdict())


def _killed(name: str, kills: int) -> dict[str, Any]:
    rng = random.Random(name)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "study.toml").write_text(to_toml(_study(TOKENS[name], CELLS.get(name, 12), KINDS[name], 20)))
        _run(folder / "study.toml", folder / "straight")
        done = []
        for _ in range(kills):
            done.append(_kill_one(folder, rng))
        _run(folder / "study.toml", folder / "killed")
        same = _bits(folder / "killed") == _bits(folder / "straight")
    print(f"{name}: {kills} kills, cells done after each {done}, bits {'equal' if same else 'DIFFER'}", flush=True)
    return {"study": name, "kills": kills, "done": done, "equal": same}


def _command(study: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "docendo", "sweep", str(study), "--out", str(out), "--quiet"]


def _run(study: Path, out: Path) -> None:
    subprocess.run(_command(study, out), check=True, stdout=subprocess.DEVNULL)


def _kill_one(folder: Path, rng: random.Random) -> int:
    out = folder / "killed"
    process = subprocess.Popen(_command(folder / "study.toml", out), start_new_session=True, stdout=subprocess.DEVNULL)
    while process.poll() is None and not _at_work(out):
        time.sleep(0.02)
    time.sleep(rng.uniform(0, 10))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return len(open_store(out).finished())


def _at_work(out: Path) -> bool:
    notes = [read_json(path) for path in (out / "running").glob("*.json") if path.exists()]
    return any(Path(f"/proc/{note['process']}").exists() for note in notes)


def _bits(out: Path) -> dict[int, dict[str, bytes]]:
    store = open_store(out)
    return {cell: {name: each.tobytes() for name, each in store.get(cell)[0].items()} for cell in store.finished()}


if __name__ == "__main__":
    main()
