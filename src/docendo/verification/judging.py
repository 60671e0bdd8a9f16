"""One claim, one card or all of them, from a name or text to a verdict."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from docendo.progress import progress_bar
from docendo.theory.card import Card, judge_card
from docendo.theory.claims import CARDS
from docendo.theory.curve import Families
from docendo.theory.grammar import ParsedClaim, parse_claim
from docendo.theory.growth import check_powers
from docendo.theory.judge import Claim, judge
from docendo.theory.verdicts import Verdict, overall
from docendo.verification.planning import close_settings, count_runs
from docendo.verification.quantities import FULL, REDUCED
from docendo.verification.runs import Report, Runs
from docendo.verification.settings import Over, Settings, settings_for

__all__ = ["ALL", "RESCALED", "RESCALED_CARD", "verify", "verify_cards"]

ALL = "all"
# The logit scale under which the powers of Theorem 3.1 come out.
RESCALED = "D**(-3/2)"
RESCALED_CARD = "theorem-3.1 with logit_scale"


def verify(
    claim: str | Claim | Card, *, over: Over | None = None, logit_scale: str | None = None, progress: bool = False
) -> Verdict:
    """Hold a claim about training against exact runs.

    Args:
        claim: the name of a card ("theorem-3.1", "theorem-3.2", "decomposition", "scalar-limits", "law"), "all" for all
            of them and Theorem 3.1 again under logit_scale D**(-3/2), a card, or a claim of one's own such as
            "excess_loss = Theta(K * D**4 / (eta * T))".
        over: the sweep, as {"D": (8, 16, 32), …} or ["D=8..1024", "K=1,2,4"]; left out, D, K, ‖V*‖, η and M are swept.
            A variable that the claim names and that is not given is swept over its default; T=first,last says which T
            count.
        logit_scale: τ as a law in D, K and V, for example "D**(-3/2)"; left out, the paper's 1/√D.
        progress: show what runs, on standard error.

    Returns:
        The verdict; its `parts` are the verdicts on the claims of a card, or on the cards of "all".

    Raises:
        ValueError: a claim or range that cannot be read (the character is pointed at), or a sweep in which a run does
            not become asymptotic.
    """
    if claim == ALL:
        return verify_cards(
            [*CARDS, RESCALED_CARD] if logit_scale is None else list(CARDS), over, logit_scale, progress
        )
    (verdict,) = _judge_all([(_card(claim), logit_scale)], over, progress)
    return verdict


def verify_cards(
    names: Sequence[str], over: Over | None = None, logit_scale: str | None = None, progress: bool = False
) -> Verdict:
    """Several cards, which share their runs, as one verdict; `RESCALED_CARD` among the names is Theorem 3.1 again.

    Raises:
        ValueError: as `verify`.
    """
    parts = _judge_all([_named(name, logit_scale) for name in names], over, progress)
    outcome, message = overall([part.verdict for part in parts]), "theorems, lemmas and laws that docendo knows"
    return Verdict(ALL, "", "", "", outcome, "theorem", message, parts=parts)


def _judge_all(claims: Sequence[tuple[Claim | Card, str | None]], over: Over | None, progress: bool) -> list[Verdict]:
    """The verdicts, each on the runs of its settings, which are made once for all claims that share them."""
    for law in (law for claim, _ in claims for law in _laws(claim)):
        check_powers(law)
    plans = [(claim, settings_for(over, scale, _laws(claim))) for claim, scale in claims]
    with progress_bar("verify", _count(plans), enabled=progress, unit="runs") as bar:
        done = itertools.count(1)
        made: list[Runs] = []
        return [_judged(claim, _shared(made, each, lambda: bar.update(next(done)))) for claim, each in plans]


def _count(plans: Sequence[tuple[Claim | Card, Settings]]) -> int:
    """How many runs the plans need, those they share counted once."""
    needed: list[tuple[Settings, str]] = []
    for claim, settings in plans:
        kinds = {kind for law in _laws(claim) for kind in _kinds(law, settings)}
        needed += [(settings, kind) for kind in sorted(kinds) if (settings, kind) not in needed]
    return sum(count_runs(*each) for each in needed)


def _card(claim: str | Claim | Card) -> Claim | Card:
    if not isinstance(claim, str):
        return claim
    if claim in CARDS:
        return CARDS[claim]()
    return Claim("claim", parse_claim(claim, [*REDUCED, *FULL]), "measured", "stated by the user")


def _named(name: str, scale: str | None) -> tuple[Claim | Card, str | None]:
    """A card and the logit scale it is judged under."""
    if name != RESCALED_CARD:
        return CARDS[name](), scale
    return replace(CARDS["theorem-3.1"](), name=f"{name} = {RESCALED}"), RESCALED


def _laws(card: Claim | Card) -> list[ParsedClaim]:
    return [each.statement for each in (card.claims if isinstance(card, Card) else (card,))]


def _shared(made: list[Runs], settings: Settings, report: Report) -> Runs:
    """The runs made for the same settings before, or new ones."""
    for runs in made:
        if runs.settings == settings:
            return runs
    made.append(Runs(settings, report))
    return made[-1]


def _judged(claim: Claim | Card, runs: Runs) -> Verdict:
    definitions = _definitions(claim, runs.settings)
    if isinstance(claim, Card):
        families = {each.statement.quantity: _families(each.statement, runs) for each in claim.claims}
        return judge_card(claim, families, definitions)
    return judge(claim, _families(claim.statement, runs), definitions=definitions)


def _definitions(claim: Claim | Card, settings: Settings) -> dict[str, Any]:
    """The settings' own, and what full descents were looked at closely, where a claim is about those."""
    full = [law.quantity in FULL for law in _laws(claim)]
    if all(full):
        return close_settings(settings).definitions()
    closely = {"full descents": close_settings(settings).definitions()["over"]} if any(full) else {}
    return settings.definitions() | closely


def _kinds(law: ParsedClaim, settings: Settings) -> list[str]:
    """The kinds of runs that a claim is judged on."""
    if law.quantity not in REDUCED:
        return ["structure"]
    swept = settings.over
    return ["flows", *(["rates"] if "eta" in swept else []), *(["shapes"] if {"M", "d"} & set(swept) else [])]


def _families(law: ParsedClaim, runs: Runs) -> Families:
    """The curves of the claimed quantity. A bound must hold from the start, limits are taken from the onset on."""
    return [runs.family(kind, law.quantity, law.sense == "<=") for kind in _kinds(law, runs.settings)]
