"""What the runs of a synthetic task say about the paper's Figures 2 and 3, as findings and sentences."""

import math

import numpy as np
from numpy.typing import NDArray

from docendo.experiments.synthetic_figures import Task, scores
from docendo.results import Finding, Verdict
from docendo.theory.rates import Estimate, limit, limit_exponent

__all__ = ["findings", "numbers", "summary"]

RESOLUTION = 0.01
WIDEST_DECISIVE = 0.2
NEAR = 0.1
COSINE = 0.99
SCORE_TOLERANCE = 0.05
FEWEST_POINTS = 12
FIRST_STEPS = 10


def findings(task: Task) -> list[Finding]:
    """Every claim beside its number."""
    return [
        _excess_exponent(task),
        _law(task),
        _online_fit(task),
        _population_ood(task),
        _sampled_ood(task),
        _cosine(task),
        _attention(task),
    ]


def numbers(task: Task) -> dict[str, float]:
    """What else the report shows."""
    exact, online = task.exact.data, task.online.data
    return {
        "excess_loss_exact": float(exact.excess_loss[-1]),
        "excess_loss_online": float(online.excess_loss[-1]),
        "local_exponent_exact": float(exact.local_exponent[-1]),
        "leakage_exact": float(exact.leakage[-1]),
        "leakage_online": float(online.leakage[-1]),
        "law": task.law,
    }


def summary(task: Task) -> str:
    """The task in a few sentences."""
    exact, online, sizes = task.exact.data, task.online.data, task.sizes
    late = _late_exponent(task)
    return (
        f"D = {sizes.tokens}, K = {sizes.sparsity}, d = {sizes.features}, M = {task.teacher.channels}, "
        f"{task.teacher.activation!r}, η = {sizes.learning_rate:g}. After {int(exact.step[-1])} exact steps the excess "
        f"loss is {float(exact.excess_loss[-1]):.3g} with local exponent {float(exact.local_exponent[-1]):.4f}; after "
        f"{int(online.step[-1])} online steps, with N = {sizes.batch_size} noisy pairs each, it is "
        f"{float(online.excess_loss[-1]):.3g}. Out of distribution the population excess falls with exponent "
        f"{_ood_exponent(task).value:.3f}, the excess sampled on N pairs with {late.value:.3f}."
    )


def _excess_exponent(task: Task) -> Finding:
    data = task.exact.data
    found = limit_exponent(data.step, local_exponents=data.local_exponent, window=_window(data.step))
    return _exponent_finding(
        "Figure 2 (a): the excess training loss has slope −1 after the first iterations",
        -1.0,
        found,
        f"{task.name}_training",
    )


def _law(task: Task) -> Finding:
    data = task.exact.data
    found = limit(data.step, data.excess_loss * data.time / task.law, window=_window(data.step))
    return Finding(
        f"ηT × excess loss tends to K D (D−K)/4 = {task.law:g} (docs, The 1/T law); here over it",
        1.0,
        found.value,
        _finite(found.low),
        _finite(found.high),
        _how(found),
        _verdict(1.0, found),
        "law",
        f"{task.name}_training",
    )


def _online_fit(task: Task) -> Finding:
    """The straight line that would be fitted to the online curve by eye."""
    data = task.online.data
    steps, loss = np.asarray(data.step, dtype=float), np.asarray(data.excess_loss)
    late = steps >= steps[-1] / 30
    slope = float(np.polyfit(np.log(steps[late]), np.log(loss[late]), 1)[0])
    reach = float(np.asarray(data.time)[-1])
    return Finding(
        "Figure 2 (a): the same slope in the online run, read off by a straight line",
        -1.0,
        slope,
        None,
        None,
        f"least squares on log–log axes over T = {steps[late][0]:g} … {steps[-1]:g} (ηT up to {reach:.3g}); biased "
        "while "
        "the asymptote is approached, and by the noise of the batches, which leaves a floor; "
        f"agreement means within {NEAR:g}",
        "agrees" if abs(slope + 1) <= NEAR else "differs",
        figure=f"{task.name}_training",
    )


def _ood_exponent(task: Task) -> Estimate:
    return limit_exponent(task.flow.data.time, task.flow.data[task.ood_name], window=_window(task.flow.data.time))


def _late_exponent(task: Task) -> Estimate:
    """The exponent of the root mean square of the sampled excess over batches, where the cross term rules."""
    time, rms = np.asarray(task.flow.data.time), task.sampled_rms()
    small = np.asarray(task.flow.data[task.ood_name]) < 0.01 / task.sizes.batch_size
    return limit_exponent(time[small], rms[small]) if small.sum() >= FEWEST_POINTS else limit_exponent(time, rms)


def _population_ood(task: Task) -> Finding:
    kind = "exact" if task.ood_name == "test_excess_loss" else "on a fixed sample"
    return _exponent_finding(
        f"Figure 2 (b): the out-of-distribution excess has slope about −0.5; here the population's, {kind}",
        -0.5,
        _ood_exponent(task),
        f"{task.name}_ood",
    )


def _sampled_ood(task: Task) -> Finding:
    return _exponent_finding(
        f"Figure 2 (b): the same on N = {task.sizes.batch_size} noisy pairs (root mean square over "
        f"{task.sizes.batches} "
        "such samples), once the population excess is below 0.01/N",
        -0.5,
        _late_exponent(task),
        f"{task.name}_ood",
    )


def _cosine(task: Task) -> Finding:
    data = task.online.data
    cosine = np.asarray(data.value_cosine)[np.asarray(data.step) >= FIRST_STEPS]
    return Finding(
        "Figure 2 (c): the cosine between W_V and V* is near 1 from the beginning",
        1.0,
        float(cosine[-1]),
        float(cosine.min()),
        float(cosine.max()),
        f"online run, at the end, with its smallest and largest value from step {FIRST_STEPS} on; agreement means "
        f"above {COSINE:g} at the end and {1 - NEAR:g} throughout",
        "agrees" if cosine[-1] > COSINE and cosine.min() > 1 - NEAR else "differs",
        figure=f"{task.name}_cosine",
    )


def _attention(task: Task) -> Finding:
    inside = np.asarray(task.teacher.support)
    attention = scores(task.flow)[inside]
    target = 1 / task.sizes.sparsity
    return Finding(
        f"Figure 3: attention on the target tokens ends near 1/K = {target:.4g}",
        target,
        float(attention.mean()),
        float(attention.min()),
        float(attention.max()),
        f"mean over the supports at the end of the exact flow, ηT = {float(task.flow.data.time[-1]):.3g}, with its "
        "smallest "
        f"and largest; it is approached like T^(−1/2); agreement means within {SCORE_TOLERANCE:.0%}",
        "agrees" if abs(attention.mean() / target - 1) < SCORE_TOLERANCE else "differs",
        figure=f"{task.name}_attention",
    )


def _exponent_finding(claim: str, claimed: float, found: Estimate, figure: str) -> Finding:
    verdict = _verdict(claimed, found)
    return Finding(
        claim, claimed, found.value, _finite(found.low), _finite(found.high), _how(found), verdict, "measured", figure
    )


def _verdict(claimed: float, found: Estimate) -> Verdict:
    """A wide interval can refute a claim but not confirm it."""
    if not found.low - RESOLUTION <= claimed <= found.high + RESOLUTION:
        return "differs"
    return "agrees" if found.width <= WIDEST_DECISIVE else "undecided"


def _how(found: Estimate) -> str:
    flag = f"; {found.flag}" if found.flag else ""
    return (
        f"limit of the local exponent or ratio, {found.method}, over {found.window[0]:.3g} … "
        f"{found.window[1]:.3g}{flag}"
    )


def _window(times: object) -> tuple[float, float]:
    """All but the first two decades."""
    values: NDArray[np.float64] = np.asarray(times, dtype=float)
    return (float(values[-1]) / 10 ** max(2.0, math.log10(values[-1] / values[0]) - 2), float(values[-1]))


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
