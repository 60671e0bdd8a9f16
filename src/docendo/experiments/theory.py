"""Theorem by theorem: the paper's claims and docendo's law, held against exact runs, and the pictures beside them.

What is claimed, measured and assumed is stored as `docendo verify --json` stores it. As findings: every power of
Theorem 3.1 (arXiv 2603.22801) beside the measured one, and its powers of D once more under the logit scale that brings
them out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from docendo.activations import identity, relu
from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.judging import exponent_finding
from docendo.experiments.sizes import Theory
from docendo.figures import Figure
from docendo.plots.approach import approach
from docendo.plots.collapse import collapse
from docendo.plots.portrait import phase_portrait
from docendo.plots.powers import local_powers, verdict_figures
from docendo.results import Finding
from docendo.steps import log_spaced
from docendo.teachers.symmetric import symmetric
from docendo.theory.law import Law, universal_law
from docendo.theory.verdicts import Verdict
from docendo.training import GradientFlow, Reduced, Run, train
from docendo.verification import RESCALED, record, settings_for, verify_cards
from docendo.verification.runs import Runs

__all__ = ["run"]

PORTRAIT_TIME = 1e5
EACH_STEP = 40


def run(sizes: Theory, bench: Bench) -> Outcome:
    """Judge the cards, and draw."""
    verdict = verify_cards(sizes.cards, list(sizes.over) or None)
    bench.spend(0.7)
    portrait = _portrait_runs(sizes)
    bench.spend(0.1)
    theorem, again = verdict.parts[0], verdict.parts[-1]
    figures = [
        phase_portrait(portrait),
        approach(_approaching(sizes)),
        _collapse(sizes),
        local_powers({"paper's logit scale": theorem, RESCALED: again}, "D"),
        *verdict_figures(theorem),
    ]
    bench.spend(0.2)
    runs = {"portrait": next(iter(portrait.values()))}
    findings = _findings(theorem, again)
    return Outcome(_summary(verdict), asdict(sizes), findings, figures, runs, verdicts=record(verdict))


def _portrait_runs(sizes: Theory) -> Mapping[str, Run]:
    """Descents at several learning rates, every step of their beginning recorded, and the flow."""
    teacher = symmetric(sizes.tokens, sizes.sparsity, sizes.large_norm)
    limit = 2 * sizes.sparsity / sizes.tokens
    saves = sorted({*range(EACH_STEP), *np.geomspace(EACH_STEP, sizes.steps, sizes.saves).astype(int).tolist()})
    slow = log_spaced(sizes.saves, first=1e-4)
    flow = {"flow, η → 0": train(teacher, None, GradientFlow(), time=PORTRAIT_TIME, save_at=slow)}
    return flow | {
        f"η = {share:g} of the limit": train(teacher, None, Reduced(share * limit), sizes.steps, save_at=saves)
        for share in sizes.shares
    }


def _approaching(sizes: Theory) -> Mapping[str, tuple[Run, Law]]:
    runs = {}
    for name, activation in (("identity", identity), ("ReLU", relu)):
        teacher = symmetric(sizes.tokens, sizes.sparsity, sizes.value_norm, activation)
        saves = log_spaced(sizes.saves, first=1e-2)
        runs[name] = (train(teacher, None, GradientFlow(), time=sizes.time, save_at=saves), universal_law(teacher))
    return runs


def _collapse(sizes: Theory) -> Figure:
    runs = Runs(settings_for(list(sizes.collapse_over), None), lambda: None)
    return collapse(runs.family("flows", "excess_loss", early=True), "1/√D")


def _findings(theorem: Verdict, again: Verdict) -> Sequence[Finding]:
    """Every power of Theorem 3.1, and its powers of D under the other logit scale."""
    return [
        *(_finding(part, name, f"theorem_3_1_{name}", "") for part in theorem.parts for name in part.exponents),
        *(_finding(part, "D", "local_powers_D", f" with logit_scale = {RESCALED}") for part in again.parts),
    ]


def _finding(part: Verdict, name: str, figure: str, how: str) -> Finding:
    exponent = part.exponents[name]
    claim = f"Theorem 3.1{how}: the power of {name} in {part.quantity}"
    obtained = "limit along and across runs"
    return exponent_finding(claim, exponent.claimed, exponent.measured, obtained, figure=figure, label="theorem")


def _summary(verdict: Verdict) -> str:
    """Which cards hold, and which powers of Theorem 3.1 differ, from the verdicts."""
    told = "; ".join(f"{part.name} {part.verdict}" for part in verdict.parts)
    wrong = [
        f"{name} in {part.quantity} (claimed {each.claimed:g}, measured {each.measured.value:.3f})"
        for part in verdict.parts[0].parts
        for name, each in part.exponents.items()
        if each.agrees is False
    ]
    differ = f" Powers of Theorem 3.1 that differ: {', '.join(wrong)}." if wrong else ""
    return f"Each claim held against exact runs: {told}.{differ}"
