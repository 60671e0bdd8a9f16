"""Which students recover S*, and how fast: `python -m benchmarks.students`.

Each student is trained on one teacher (relative positions on a sliding window), by exact gradient descent, by the exact
gradient flow where positions are fixed and W_KQ is trained, by sampling where attention sees the content. Reported are
the score error ‖S − S*‖_F (for several heads with S their mean, and once more with S = Σ_h c_h S_h / Σ_h c_h,
c_h = ⟨W_V,h, V*⟩), the excess loss, and the limit of its local exponent with the interval of `dc.rates`.

A student recovers S* where ‖S − S*‖_F ends below a twentieth of ‖S*‖_F; where only the excess loss has fallen below a
millionth of what it was, it recovers f* alone.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

import docendo as dc
from docendo.files import write_json

TOKENS, WIDTH, SEED = 6, 8, 0
LENGTHS = (4, 6, 12, 24, 48)
SAVES = 60
RATE = 0.03
CONTENT_STEPS = 4000
FLOW_TIME = 1e12
RECOVERED, REPRODUCED = 0.05, 1e-6


class Setting(NamedTuple):
    """A student's start, its teacher, and how it is trained: how far is in steps, or in ηT for the flow."""

    name: str
    teacher: Any
    student: Any
    dynamics: Any
    far: float


def main() -> None:
    """Train every student, print a line each, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.students", description=__doc__)
    parser.add_argument("--steps", type=int, default=10**6, help="steps of gradient descent")
    parser.add_argument("--only", nargs="+", default=None, help="names of students, all by default")
    parser.add_argument("--json", type=Path, default=None, help="a file for all numbers")
    options = parser.parse_args()
    found = []
    for setting in settings(options.steps):
        if options.only is None or setting.name in options.only:
            found.append(measure(setting))
            print(line(found[-1]), flush=True)
    if options.json is not None:
        write_json(options.json, {"students": found})


def settings(steps: int) -> Iterator[Setting]:
    """All of them, made one by one."""
    of = dc.teachers.random(TOKENS, sparsity=2, features=3, channels=3, activation=dc.relu, seed=SEED)
    window = dc.teachers.window(TOKENS, before=1, after=0, features=3, channels=3, activation=dc.relu, seed=SEED)
    descent, flow = dc.GradientDescent(RATE), dc.GradientFlow()
    wide, narrow = dc.positions.sinusoidal(TOKENS, WIDTH), dc.positions.sinusoidal(TOKENS, TOKENS - 2)
    gaussian = dc.positions.gaussian(TOKENS, 4 * TOKENS, seed=SEED)
    for share in (0.0, 0.5, 1.0):
        start = dc.PositionOnly.informed(of, share=share, seed=SEED)
        yield Setting(f"informed-{share:g}", of, start, descent, steps)
    yield Setting("position-only", of, dc.PositionOnly.zeros(of), descent, steps)
    yield Setting("random-start", of, dc.PositionOnly.random(of, scale=1.0, seed=SEED), descent, steps)
    yield Setting("factored", of, dc.FactoredPositionOnly.random(of, seed=SEED), descent, steps)
    yield Setting("factored-rank-2", of, dc.FactoredPositionOnly.random(of, inner=2, seed=SEED), descent, steps)
    for heads in (2, 3):
        start = dc.MultiHead.random(of, heads=heads, seed=SEED)
        yield Setting(f"heads-{heads}", of, start, descent, steps)
    yield Setting("learned", of, dc.LearnedPositions.zeros(of), descent, steps)
    yield Setting("learned-from-sinusoidal", of, dc.LearnedPositions.zeros(of, wide), descent, steps)
    yield Setting("sinusoidal-wide", of, dc.PositionOnly.zeros(of, wide), flow, FLOW_TIME)
    yield Setting("sinusoidal-narrow", of, dc.PositionOnly.zeros(of, narrow), flow, FLOW_TIME)
    yield Setting("gaussian-positions", of, dc.PositionOnly.zeros(of, gaussian), flow, FLOW_TIME)
    yield Setting("free-temperature", of, dc.FreeTemperature.zeros(of), descent, steps)
    yield Setting("relative", window, dc.RelativePositions.zeros(window), descent, steps)
    online = dc.Online(RATE, batch_size=256)
    yield Setting("content", of, dc.ContentAttention.zeros(of), online, min(steps, CONTENT_STEPS))


def measure(setting: Setting) -> dict[str, Any]:
    """What one run says."""
    began = perf_counter()
    run = dc.train(
        setting.teacher,
        setting.student,
        setting.dynamics,
        **({"time": setting.far} if isinstance(setting.dynamics, dc.GradientFlow) else {"steps": int(setting.far)}),
        save_at=dc.log_spaced(SAVES),
        key=SEED,
    )
    found: dict[str, Any] = {"student": setting.name, "dynamics": repr(setting.dynamics), "status": str(run.status)}
    found |= {"until": setting.far, "time": float(run.data.time[-1]), "seconds": perf_counter() - began}
    found |= _losses(run) | _scores(setting.teacher, run)
    if isinstance(run.student, dc.RelativePositions):
        found["lengths"] = [_at_length(setting.teacher, run, tokens) for tokens in LENGTHS]
    return found | {"judgement": judgement(found)}


def judgement(found: dict[str, Any]) -> str:
    """One of three, from the numbers at the end."""
    if found["relative_score_error"] < RECOVERED:
        return "recovers S*"
    if found["excess_loss"] < REPRODUCED * found["first_excess_loss"]:
        return "recovers f*, not S*"
    return "does not"


def _losses(run: dc.Run) -> dict[str, Any]:
    name = "excess_loss" if "excess_loss" in run.data else "sampled_excess_loss"
    curve = run.data[name].values
    found = {"first_excess_loss": float(curve[0]), "excess_loss": float(curve[-1])}
    if name != "excess_loss":
        return found
    exponents, time = run.data.local_exponent.values, run.data.time.values
    found["local_exponent"] = float(exponents[-1])
    late = (time > 0) & (time > time[-1] / 1e3) & np.isfinite(exponents)
    if run.status == "completed" and late.sum() >= 8:
        limit = dc.rates.limit_exponent(time[late], local_exponents=exponents[late])
        found["limit_exponent"] = {"value": limit.value, "lower": limit.low, "upper": limit.high, "flag": limit.flag}
    return found


def _scores(teacher: dc.Teacher, run: dc.Run) -> dict[str, Any]:
    """Errors of the scores; attention that sees the content is averaged over inputs."""
    student: Any = run.student
    size = float(jnp.linalg.norm(teacher.scores))
    if isinstance(student, dc.ContentAttention):
        x = np.random.default_rng(SEED).standard_normal((1000, teacher.features, teacher.tokens))
        error = float(jnp.linalg.norm(student.attention(x).mean(0) - teacher.scores))
        return {"score_error": error, "relative_score_error": error / size}
    values, scores = student.heads()
    weights = jnp.einsum("hma,ma->h", values, teacher.value)
    weighed = jnp.einsum("h,hji->ji", weights / weights.sum(), scores)
    error, by_value = (float(jnp.linalg.norm(each - teacher.scores)) for each in (scores.mean(0), weighed))
    found = {"score_error": error, "relative_score_error": error / size, "value_weighted_score_error": by_value}
    return found | {"head_weights": [float(each) for each in weights / (teacher.value**2).sum()]}


def _at_length(teacher: dc.Teacher, run: dc.Run, tokens: int) -> dict[str, Any]:
    student: Any = run.student
    there = dc.teachers.window(tokens, before=1, after=0, value=teacher.value, activation=teacher.activation)
    loss, first = (dc.excess_loss(there, each.at_length(tokens)) for each in (student, run.start))
    return {"tokens": tokens, "first_excess_loss": float(first), "excess_loss": float(loss)}


def line(found: dict[str, Any]) -> str:
    """A result in words."""
    limit = found.get("limit_exponent")
    rate = "" if limit is None else f", exponent → {limit['value']:.4f} ({limit['lower']:.4f} to {limit['upper']:.4f})"
    local = f", local exponent {found['local_exponent']:.4f}" if "local_exponent" in found else ""
    there = "".join(f", {at['excess_loss']:.2e} at D' = {at['tokens']}" for at in found.get("lengths", []))
    return (
        f"{found['student']}: {found['judgement']} ({found['status']} at ηT = {found['time']:.3g}), score error "
        f"{found['score_error']:.3g}, excess loss {found['excess_loss']:.3g}{there}{local}{rate}"
    )


if __name__ == "__main__":
    main()
