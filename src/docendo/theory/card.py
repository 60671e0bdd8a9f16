"""A theorem as a card: its claims, what they assume, and how they are held against curves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from docendo.theory.curve import Curve, Families
from docendo.theory.grammar import parse_claim
from docendo.theory.judge import Claim, judge
from docendo.theory.verdicts import Hypothesis, Label, Verdict, overall

__all__ = ["Card", "claim_of", "judge_card"]

Curves = Sequence[Curve]


@dataclass(frozen=True)
class Card:
    """A theorem, lemma or law.

    Attributes:
        name: how the command line calls it, for example "theorem-3.1".
        title: a heading.
        label: theorem (the paper's) or law (docendo's own).
        reference: where it is stated.
        claims: its claims, each about one recorded quantity.
        hypotheses: what it assumes, checked on the curves it is judged on.
        remarks: consequences worth knowing, computed from the same curves.
    """

    name: str
    title: str
    label: Label
    reference: str
    claims: tuple[Claim, ...]
    hypotheses: Callable[[Curves], Sequence[Hypothesis]]
    remarks: Callable[[Curves], Sequence[str]]


def judge_card(card: Card, families: Mapping[str, Families], definitions: Mapping[str, Any] | None = None) -> Verdict:
    """The verdict on every claim of a card.

    Args:
        card: what is claimed.
        families: for each claimed quantity, the curves to judge it on.
        definitions: what the verdict is to say about how the curves were made.

    Raises:
        ValueError: as `docendo.theory.judge.judge`.
    """
    curves = list(_flat(families.values()))
    hypotheses, about = card.hypotheses(curves), definitions or {}
    named = [replace(claim, name=f"{card.name}: {claim.name}") for claim in card.claims]
    parts = [judge(claim, families[claim.statement.quantity], hypotheses, about) for claim in named]
    outcome = overall([part.verdict for part in parts])
    message = f"{card.title} ({card.reference})"
    remarks = card.remarks(curves)
    verdict = Verdict(card.name, "", "", "", outcome, card.label, message)
    return replace(verdict, hypotheses=hypotheses, remarks=remarks, definitions=about, parts=parts)


def claim_of(name: str, text: str, label: Label, reference: str) -> Claim:
    """A claim whose quantity is trusted to be recorded."""
    return Claim(name, parse_claim(text, [text.split()[0]]), label, reference)


def _flat(families: Iterable[Families]) -> Iterable[Curve]:
    return (curve for each in families for family in each for curve in family)
