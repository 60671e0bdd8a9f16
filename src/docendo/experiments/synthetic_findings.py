"""What the runs of a synthetic task say about the paper's Figures 2 and 3, as findings and sentences."""

import math

import numpy as np
from numpy.typing import ArrayLike

from docendo.experiments.judging import exponent_finding, missing_finding, near_finding, ratio_finding
from docendo.experiments.task import Line, Points, Task, scores, straight_line
from docendo.results import Finding
from docendo.theory.rates import Estimate, limit, limit_exponent

__all__ = ["findings", "numbers", "summary"]

SLOPE_TOLERANCE = 0.1
COSINE = 0.99
COSINE_EARLY = 0.9
FIRST_STEPS = 10
SCORE_TOLERANCE = 0.1
STRUCTURE_TOLERANCE = 1e-6
DEEP = 30.0
FEWEST_POINTS = 12
STRUCTURE = ("value_off_line", "logit_spread_inside", "logit_spread_outside")


def findings(task: Task) -> list[Finding]:
    """Every claim beside its number."""
    return [
        _excess_exponent(task),
        _law(task),
        _online_slope(task),
        _population_ood(task),
        _sampled_ood_late(task),
        _sampled_ood_online(task),
        _cosine(task),
        _attention(task),
        _structure(task),
    ]


def numbers(task: Task) -> dict[str, float]:
    """What else the report shows."""
    exact, online = task.exact.data, task.online.data
    population = task.population(task.flow)
    return {
        "excess_loss_exact": float(exact.excess_loss[-1]),
        "excess_loss_online": float(online.excess_loss[-1]),
        "excess_loss_exact_after_the_online_steps": float(_exact_at(task, np.asarray(online.step)[-1:])[0]),
        "noise_ball_of_online_descent": task.noise_ball,
        "local_exponent_exact": float(exact.local_exponent[-1]),
        "eta_T_times_excess_loss_exact": float(exact.excess_loss[-1] * exact.time[-1]),
        "law_of_eta_T_times_excess_loss": task.law,
        "leakage_exact": float(exact.leakage[-1]),
        "leakage_online": float(online.leakage[-1]),
        "cosine_exact_smallest": float(exact.value_cosine.min()),
        "cosine_online_first_step": float(online.value_cosine[0]),
        "ood_population_excess_at_the_end": float(population.values[-1]),
        "ood_population_excess_relative_error": float(population.error[-1] / population.values[-1]),
        "ood_excess_where_the_cross_term_takes_over": task.crossing,
    }


def summary(task: Task) -> str:
    """The task in a few sentences."""
    exact, online, sizes = task.exact.data, task.online.data, task.sizes
    start = float(exact.excess_loss[0])
    return (
        f"D = {sizes.tokens}, K = {sizes.sparsity}, d = {sizes.features}, M = {task.teacher.channels}, "
        f"{task.teacher.activation!r}, η = {sizes.learning_rate:g}. In {int(exact.step[-1]):,} steps of exact descent "
        f"the excess loss falls from {start:.3g} to {float(exact.excess_loss[-1]):.3g}, where its local exponent is "
        f"{float(exact.local_exponent[-1]):.4f}. The paper's online descent, {sizes.batch_size} fresh noisy pairs a "
        f"step, ends after {int(online.step[-1]):,} steps at {float(online.excess_loss[-1]):.3g}; exact descent is at "
        f"{float(_exact_at(task, np.asarray(online.step)[-1:])[0]):.3g} there. For exponential inputs the population "
        f"excess falls like T^({_ood_exponent(task).value:.3f}), the excess sampled on N noisy pairs in the end like "
        f"T^({_late_exponent(task).value:.3f})."
    )


def _excess_exponent(task: Task) -> Finding:
    data = task.exact.data
    found = limit_exponent(data.step, local_exponents=data.local_exponent, window=_late(data.step))
    return exponent_finding(
        "The excess training loss falls like T^(−1) (Figure 2 (a), Theorem 3.1)",
        -1.0,
        found,
        f"limit of the local exponent of exact descent, which is {float(data.local_exponent[-1]):.4f} at the end"
        f"{_from_when(task)}",
        label="theorem",
        figure=f"{task.name}_training",
    )


def _law(task: Task) -> Finding:
    data = task.exact.data
    product = np.asarray(data.excess_loss * data.time)
    found = limit(data.step, product / task.law, window=_late(data.step))
    return ratio_finding(
        f"ηT × excess loss tends to K D (D−K)/4 = {task.law:g}; here as a multiple of it",
        found,
        f"limit of exact descent's product over the law, {product[-1] / task.law:.4f} at the end",
        label="law",
        figure=f"{task.name}_training",
    )


def _from_when(task: Task) -> str:
    """Since which step the local exponent has been close to −1, in words; nothing where it is not."""
    data = task.exact.data
    far = np.flatnonzero(np.abs(np.asarray(data.local_exponent) + 1) > SLOPE_TOLERANCE)
    if not far.size or far[-1] + 1 >= data.sizes["step"]:
        return ""
    return f" and within {SLOPE_TOLERANCE:g} of −1 from T = {int(data.step[far[-1] + 1]):,} on"


def _online_slope(task: Task) -> Finding:
    claim = "A straight line through the online run after the first iterations has slope −1 (Figure 2 (a))"
    if not task.has_begun:
        return missing_finding(claim, -1.0, _not_begun(task), figure=f"{task.name}_training")
    line, exact = _online_line(task), _exact_line(task)
    last = np.asarray(task.online.data.step)[-1:]
    over = float(task.online.data.excess_loss[-1]) / float(_exact_at(task, last)[0])
    return near_finding(
        claim,
        -1.0,
        line.slope,
        SLOPE_TOLERANCE,
        f"least squares on log–log axes over T = {line.first:,.0f} … {line.last:,.0f}, after the loss has halved. "
        f"The same line through exact descent has slope {exact.slope:.3f}: where the asymptote is still being "
        f"approached, a line is biased, whatever its fit. At the end the online run is at {over:.3f} times exact "
        f"descent; in the long run the labels' noise keeps it near {task.noise_ball:.2g}",
        figure=f"{task.name}_training",
    )


def _population_ood(task: Task) -> Finding:
    population = task.population(task.flow)
    kind = "exact"
    if population.error.any():
        relative = float(population.error[-1] / population.values[-1])
        kind = f"on {task.sizes.batches * task.sizes.batch_size:,} fixed inputs, {relative:.1%} standard error"
    return exponent_finding(
        "The out-of-distribution excess has slope about −1/2 (Figure 2 (b)); here the population's. Theorem 3.2 bounds "
        "it by T^(−1/2), which a faster fall satisfies",
        -0.5,
        _ood_exponent(task),
        f"exponential inputs, {kind}; limit of the local exponent along the exact flow, in ηT",
        figure=f"{task.name}_ood",
    )


def _sampled_ood_late(task: Task) -> Finding:
    return exponent_finding(
        f"The same, sampled on N = {task.sizes.batch_size} noisy pairs as the paper does, in the long run",
        -0.5,
        _late_exponent(task),
        f"root mean square over {task.sizes.batches} samples of N pairs, along the exact flow, once the population "
        f"excess is below {task.crossing / DEEP:.2g}, where the cross term with the labels' noise rules",
        figure=f"{task.name}_ood",
    )


def _not_begun(task: Task) -> str:
    return (
        f"the online run of {int(task.online.data.step[-1]):,} steps ends before its excess loss has halved: take more "
        "online_steps, or a larger learning_rate"
    )


def _sampled_ood_online(task: Task) -> Finding:
    claim = f"The same, sampled on N = {task.sizes.batch_size} noisy pairs, within the steps of the online run"
    if not task.has_begun:
        return missing_finding(claim, -0.5, _not_begun(task), figure=f"{task.name}_ood")
    data, late = task.online.data, task.after_onset()
    line = straight_line(np.asarray(data.step, dtype=float)[late], task.sampled_rms(task.online)[late])
    last = float(task.population(task.online).values[-1])
    side = "above" if last > task.crossing else "below"
    return near_finding(
        claim,
        -0.5,
        line.slope,
        SLOPE_TOLERANCE,
        f"least squares on log–log axes through the root mean square over {task.sizes.batches} samples, over T = "
        f"{line.first:,.0f} … {line.last:,.0f}. The population excess ends at {last:.2g} there, {side} the "
        f"{task.crossing:.2g} at which the cross term takes over",
        figure=f"{task.name}_ood",
    )


def _cosine(task: Task) -> Finding:
    data = task.online.data
    cosine = np.asarray(data.value_cosine)[np.asarray(data.step) >= FIRST_STEPS]
    return Finding(
        "The cosine between W_V and V* is near 1 from the beginning (Figure 2 (c))",
        1.0,
        float(cosine[-1]),
        float(cosine.min()),
        float(cosine.max()),
        f"online run, at the end, with its smallest and largest value from step {FIRST_STEPS} on; agreement means "
        f"above {COSINE:g} at the end and {COSINE_EARLY:g} throughout. In exact descent it is at least "
        f"{float(task.exact.data.value_cosine.min()):.12g} from the first step on",
        "agrees" if cosine[-1] > COSINE and cosine.min() > COSINE_EARLY else "differs",
        figure=f"{task.name}_cosine",
    )


def _attention(task: Task) -> Finding:
    inside = np.asarray(task.teacher.support)
    exact, online = scores(task.exact)[inside], scores(task.online)[inside]
    target = 1 / task.sizes.sparsity
    return Finding(
        f"At convergence the attention on the target tokens is near 1/K = {target:.4g} (Figure 3)",
        target,
        float(exact.mean()),
        float(exact.min()),
        float(exact.max()),
        f"mean over the supports after {int(task.exact.data.step[-1]):,} steps of exact descent, with its smallest and "
        f"largest; the rest, {float(task.exact.data.leakage[-1]):.3g} of every column, leaks away like T^(−1/2). After "
        f"{int(task.online.data.step[-1]):,} online steps the mean is {online.mean():.4g}; agreement means within "
        f"{SCORE_TOLERANCE:.0%}",
        "agrees" if abs(exact.mean() / target - 1) < SCORE_TOLERANCE else "differs",
        figure=f"{task.name}_attention",
    )


def _structure(task: Task) -> Finding:
    """Lemma D.2 on the exact run."""
    residuals = {name: float(task.exact.data[name].max()) for name in STRUCTURE}
    largest = max(residuals.values())
    named = ", ".join(f"{name.replace('_', ' ')} {residual:.1e}" for name, residual in residuals.items())
    return Finding(
        "Throughout training W_V is a multiple of V*, and the logits of a column take two values (Lemma D.2)",
        0.0,
        largest,
        None,
        None,
        f"largest residual over all saves of exact descent: {named}; agreement means below {STRUCTURE_TOLERANCE:g}",
        "agrees" if largest < STRUCTURE_TOLERANCE else "differs",
        "theorem",
        f"{task.name}_attention",
    )


def _online_line(task: Task) -> Line:
    data, late = task.online.data, task.after_onset()
    return straight_line(np.asarray(data.step, dtype=float)[late], np.asarray(data.excess_loss)[late])


def _exact_line(task: Task) -> Line:
    steps = np.asarray(task.online.data.step, dtype=float)[task.after_onset()]
    return straight_line(steps, _exact_at(task, steps))


def _exact_at(task: Task, steps: Points) -> Points:
    """Exact descent's excess loss at other steps, by interpolation on log–log axes."""
    data = task.exact.data
    known = np.log(np.asarray(data.step, dtype=float)), np.log(np.asarray(data.excess_loss))
    return np.exp(np.interp(np.log(np.asarray(steps, dtype=float)), *known))


def _ood_exponent(task: Task) -> Estimate:
    time = np.asarray(task.flow.data.time)
    return limit_exponent(time, task.population(task.flow).values, window=_late(time))


def _late_exponent(task: Task) -> Estimate:
    """The exponent of the sampled excess's root mean square, where the cross term rules."""
    time, rms = np.asarray(task.flow.data.time), task.sampled_rms(task.flow)
    small = task.population(task.flow).values < task.crossing / DEEP
    return limit_exponent(time[small], rms[small]) if small.sum() >= FEWEST_POINTS else limit_exponent(time, rms)


def _late(times: ArrayLike) -> tuple[float, float]:
    """From the third decade on."""
    clock = np.asarray(times, dtype=float)
    return (float(clock[-1]) / 10 ** max(2.0, math.log10(clock[-1] / clock[0]) - 2), float(clock[-1]))
