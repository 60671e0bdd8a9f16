"""One claim or card, from its name or text to its verdict."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import docendo
from docendo.progress import progress_bar
from docendo.theory.card import Card, judge_card
from docendo.theory.claims import CARDS
from docendo.theory.grammar import parse_claim
from docendo.theory.judge import Claim, Curve, judge
from docendo.theory.verdicts import Verdict
from docendo.training.variables import VARIABLES
from docendo.verification.families import Report, descents, flows, full_descents
from docendo.verification.quantities import QUANTITIES
from docendo.verification.settings import Settings, settings_for

__all__ = ["record", "verify"]

FULL_ONLY = ("value_off_line", "logit_spread_inside", "logit_spread_outside", "certified_share", "largest_leakage")
RESIDUAL_OVER = {"D": (6, 10), "K": (1, 3), "kappa": (0.0, 0.1, 1.0)}
CERTIFIED_OVER = {"D": (6, 10), "K": (1, 3), "kappa": (0.0, 0.1, 1.0)}

Over = Mapping[str, Sequence[float]] | Sequence[str]


def verify(
    claim: str | Claim | Card,
    *,
    over: Over | None = None,
    logit_scale: str | None = None,
    progress: bool = False,
) -> Verdict:
    """Hold a claim about training against exact runs.

    Args:
        claim: the name of a card ("theorem-3.1", "theorem-3.2", "decomposition", "scalar-limits", "law"), a card, or a
            claim of one's own such as "excess_loss = Theta(K * D**4 / (eta * T))".
        over: the sweep, as {"D": (8, 16, 32), …} or ["D=8..1024", "K=1,2,4"]; left out, D, K, ‖V*‖ and η are swept.
        logit_scale: τ as a law in D, for example "D**(-3/2)"; left out, the paper's 1/√D.
        progress: show what runs, on standard error.

    Raises:
        ValueError: a claim or range that cannot be read (the character is pointed at), or a sweep in which a run does
            not become asymptotic.
    """
    settings = settings_for(over, logit_scale)
    card = CARDS[claim]() if isinstance(claim, str) and claim in CARDS else claim
    with progress_bar(f"verify {getattr(card, 'name', claim)}", enabled=progress, unit="runs") as bar:
        count = iter(range(1, 10**6))
        report: Report = lambda what: bar.update(next(count))  # noqa: E731
        if isinstance(card, Card):
            names = [each.statement.quantity for each in card.claims]
            return judge_card(card, _families(names, settings, over is None, report))
        if isinstance(card, str):
            card = Claim("claim", parse_claim(card, _known()), "measured", "stated by the user")
        quantity = card.statement.quantity
        return judge(card, _families([quantity], settings, over is None, report)[quantity])


def record(verdicts: Sequence[Verdict], settings: Settings) -> dict[str, Any]:
    """Verdicts as `docendo verify --json` stores them."""
    return {
        "claims": [claim.to_json() for verdict in verdicts for claim in verdict.claims],
        "definitions": settings.definitions(),
        "versions": {"docendo": docendo.__version__} | {name: version(name) for name in ("jax", "numpy", "diffrax")},
    }


def _known() -> list[str]:
    """Everything that can be claimed about, by name."""
    return list(
        dict.fromkeys([*QUANTITIES, *FULL_ONLY, *(name for name in VARIABLES if not VARIABLES[name].dimensions)])
    )


def _families(names: Sequence[str], settings: Settings, default: bool, report: Report) -> dict[str, list[list[Curve]]]:
    """The families of curves for each quantity, sharing runs between quantities."""
    reduced = [name for name in names if name in QUANTITIES]
    full = [name for name in names if name not in QUANTITIES]
    families: dict[str, list[list[Curve]]] = {name: [] for name in names}
    if reduced:
        report("flows")
        _add(families, flows(settings, reduced))
        if "eta" in settings.over:
            recorded = [name for name in reduced if name != "worst_case_excess"]
            _add(families, descents(settings, recorded, report) if recorded else {})
        if {"M", "d"} & set(settings.over):
            _add(families, full_descents(settings, reduced, report))
    if full:
        over = CERTIFIED_OVER if "certified_share" in full else RESIDUAL_OVER
        small = settings_for(over if default else settings.over, settings.scale)
        _add(families, full_descents(small, full, report))
    return families


def _add(families: dict[str, list[list[Curve]]], found: Mapping[str, list[Curve]]) -> None:
    for name, curves in found.items():
        families[name].append(curves)
