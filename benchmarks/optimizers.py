"""Which optimizers keep the 1/T law: `python -m benchmarks.optimizers`.

Every optimizer takes the exact gradient of the population loss from the same start, the paper's, so that nothing but
the update differs. The law says that plain descent ends with excess loss ~ c/(ηT), a local exponent that tends to −1.
Measured is the exponent's limit, with the interval that `dc.rates.limit_exponent` gives; where the curve goes up and
down, levels off or has no limit, that is said instead: the mean slope over the last decade stands for the number then.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import optax

import docendo as dc
from docendo.files import write_json

RATE = 0.1
SAVES = 120
TOLERANCE = 0.05


def optimizers(steps: int) -> dict[str, optax.GradientTransformation]:
    """All of them by name; a schedule falls to its end over the run."""
    return {
        "descent": optax.sgd(RATE),
        "momentum": optax.sgd(RATE / 10, momentum=0.9),
        "nesterov": optax.sgd(RATE / 10, momentum=0.9, nesterov=True),
        "weight decay": optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(RATE)),
        "cosine": optax.sgd(optax.cosine_decay_schedule(RATE, steps)),
        "1/sqrt(t)": optax.sgd(lambda count: RATE / (1 + count) ** 0.5),
        "clipped": optax.chain(optax.clip_by_global_norm(0.1), optax.sgd(RATE)),
        "normalised": optax.chain(optax.normalize_by_update_norm(), optax.sgd(1e-2)),
        "rmsprop": optax.rmsprop(1e-3),
        "adam": optax.adam(1e-3),
        "adamw": optax.adamw(1e-3, weight_decay=1e-4),
        "signs": optax.sign_sgd(1e-3),
        "lion": optax.lion(1e-3),
    }


def main() -> None:
    """Train with each, print a line each, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optimizers", description=__doc__)
    parser.add_argument("--steps", type=int, default=10**5, help="steps of each run")
    parser.add_argument("--only", nargs="+", default=None, help="names of optimizers, all by default")
    parser.add_argument("--json", type=Path, default=None, help="a file for all numbers")
    options = parser.parse_args()
    of = dc.teachers.random(tokens=6, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
    found = []
    for name, optimizer in optimizers(options.steps).items():
        if options.only is None or name in options.only:
            found.append({"optimizer": name} | measure(of, optimizer, options.steps))
            print(line(found[-1]), flush=True)
    if options.json is not None:
        write_json(options.json, {"settings": {"steps": options.steps, "teacher": repr(of)}, "optimizers": found})


def measure(of: dc.Teacher, optimizer: optax.GradientTransformation, steps: int) -> dict[str, Any]:
    """One run: its end, the slope of its last decade, the limit of its exponent, and the verdict."""
    dynamics = dc.PopulationOptimizer(optimizer)
    run = dc.train(of, None, dynamics, steps, save_at=dc.log_spaced(SAVES))
    step, loss = run.data.step.values, run.data.excess_loss.values
    late = step >= steps / 10
    slope = float(np.log(loss[-1] / loss[late][0]) / np.log(step[-1] / step[late][0]))
    record = {"dynamics": repr(dynamics), "status": str(run.status), "message": run.status.message}
    record |= {"excess_loss": float(loss[-1]), "last_decade": slope} | exponent(run, late)
    # No limit was found where the bounds are open: then the run's own status says what happened.
    trusted = run.status == "completed" and record["flag"] == "" and np.isfinite([record["low"], record["high"]]).all()
    record["exponent"] = record["limit"] if trusted else slope
    record["keeps_the_law"] = bool(trusted and abs(record["limit"] + 1) < TOLERANCE)
    return record


def exponent(run: dc.Run, late: np.ndarray) -> dict[str, Any]:
    """The limit of the local exponent, and what speaks against it."""
    try:
        found = dc.rates.limit_exponent(run.data.step[late], local_exponents=run.data.local_exponent[late])
    except ValueError as error:  # a curve that is at zero, or has left the numbers
        return {"limit": float("nan"), "low": float("nan"), "high": float("nan"), "flag": str(error)}
    return {"limit": found.value, "low": found.low, "high": found.high, "flag": found.flag}


def line(record: dict[str, Any]) -> str:
    """One optimizer's outcome."""
    law = "1/T" if record["keeps_the_law"] else "not 1/T"
    limit = f"{record['limit']:.3f} [{record['low']:.3f}, {record['high']:.3f}] {record['flag']}".rstrip()
    return (
        f"{record['optimizer']:13s} {law:8s} excess loss {record['excess_loss']:.2e}, last decade "
        f"{record['last_decade']:+.3f}, limit {limit}, {record['status']}"
    )


if __name__ == "__main__":
    main()
