"""Runs spread over eight devices beside the same runs on one; says on standard output, as JSON, how they differ.

Usage: program_over_devices.py FOLDER, with eight devices.
"""

import json
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import docendo as dc
from docendo.training import plane
from docendo.training.base import Problem
from docendo.training.measures import measures

TOKENS, WIDE = 24, 128
COMMON = {"steps": 40, "save_at": [1, 10, 40], "key": 1}
RATE = dc.GradientDescent(0.1)


def teacher_of(activation, tokens=TOKENS):
    return dc.teachers.random(tokens=tokens, sparsity=4, channels=5, features=7, activation=activation, seed=0)


def start(teacher, positions=None):
    rng = np.random.default_rng(0)
    value = rng.normal(size=(teacher.channels, teacher.features))
    return dc.PositionOnly(value, rng.normal(size=(teacher.tokens, teacher.tokens)), positions)


def pairs():
    """By name, a run on one device and the same run spread over all."""
    encodings = {"unit": None, "orthogonal": dc.positions.orthogonal(TOKENS, seed=1)}
    encodings["sinusoidal"] = dc.positions.sinusoidal(TOKENS, TOKENS)
    for activation in (dc.identity, dc.relu):
        teacher = teacher_of(activation)
        for name, positions in encodings.items():
            yield f"{activation!r} {name}", both(teacher, start(teacher, positions), RATE)
    wide = teacher_of(dc.relu, WIDE)
    yield "relu transposed", both(wide, start(wide), dc.GradientDescent(0.02))
    teacher, law = teacher_of(dc.relu), dc.inputs.Gaussian(token_covariance=np.eye(TOKENS) + 0.1)
    yield "relu online, coloured, from zero", both(teacher, None, dc.Online(0.05, batch_size=8), inputs=law)


def both(teacher, student, dynamics, **more):
    return tuple(dc.train(teacher, student, dynamics, **COMMON, **more, devices=each) for each in (None, "all"))


def compare(one, many):
    """How far two runs are apart, what is next to nothing being measured against 0.01."""
    exponents = [run.data.get("local_exponent", np.zeros(1)) for run in (one, many)]
    arrays = [(one.data[name].values, many.data[name].values) for name in one.data if name != "local_exponent"]
    arrays += [(getattr(one.student, name), getattr(many.student, name)) for name in one.student.trained]
    apart = [np.abs(np.asarray(a) - np.asarray(b)).max() / max(np.abs(a).max(), 0.01) for a, b in arrays]
    return {
        "difference": float(max(apart)),
        "exponents": float(np.abs(exponents[0] - exponents[1]).max()),
        "share": many.student.key_query.sharding.shard_shape(many.student.key_query.shape),
        "devices": [one.data.attrs.get("devices"), int(many.data.attrs["devices"])],
    }


def programs(run):
    """What a step and what recording are compiled to, for a spread run with P = 1 under white inputs."""
    state, steps = plane.place(run.teacher, run.student), jnp.asarray(3)
    yield jax.jit(plane.descend).lower(run.teacher, run.student.logit_scale, RATE.learning_rate, state, steps)
    record = jax.jit(lambda problem: measures(problem, problem.student))
    yield record.lower(Problem(run.teacher, run.student, dc.inputs.white, None, None))


def resumed(folder):
    """Straight through; stopped at the second of three saves and resumed; resumed on one device."""

    def stopping(student):
        stopping.calls += 1
        if stopping.calls == 2:
            raise KeyboardInterrupt
        return 0.0

    stopping.calls = 0
    teacher = teacher_of(dc.relu)
    arguments = (teacher, start(teacher, dc.positions.orthogonal(TOKENS, seed=1)), RATE)
    common = COMMON | {"devices": "all", "observe": {"quiet": lambda student: 0.0}}
    straight = dc.train(*arguments, **common)
    first = dc.train(*arguments, **common | {"observe": {"quiet": stopping}}, checkpoint=folder)
    again = dc.train(*arguments, **common, checkpoint=folder)
    same = again.data.drop_attrs().identical(straight.data.drop_attrs())
    same &= np.array_equal(again.student.key_query, straight.student.key_query)
    elsewhere = message(lambda: dc.train(*arguments, **common | {"devices": None}, checkpoint=folder))
    return {"first": str(first.status), "saves": [first.data.sizes["step"], 3], "same": bool(same), "else": elsewhere}


def message(call):
    try:
        call()
    except ValueError as error:
        return str(error)


def main(folder):
    runs = dict(pairs())
    spread = {TOKENS: runs["relu unit"][1], WIDE: runs["relu transposed"][1]}
    report = {
        "runs": {name: compare(*pair) for name, pair in runs.items()},
        "programs": {size: [each.compile().as_text() for each in programs(run)] for size, run in spread.items()},
        "resumed": resumed(folder),
        "uneven": message(lambda: dc.train(teacher_of(dc.relu), None, RATE, steps=1, devices=7)),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
