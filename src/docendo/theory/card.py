"""A theorem as a card: its claims, what they assume, and how they are held against curves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from docendo.theory.grammar import parse_claim
from docendo.theory.judge import Claim, Curve, judge
from docendo.theory.verdicts import Hypothesis, Label, Verdict, overall

__all__ = ["Card", "Families", "claim_of", "judge_card"]

Families = Mapping[str, Sequence[Sequence[Curve]]]


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
    hypotheses: Callable[[Sequence[Curve]], Sequence[Hypothesis]]
    remarks: Callable[[Sequence[Curve]], Sequence[str]]


def judge_card(card: Card, families: Families) -> Verdict:
    """The verdict on every claim of a card, from the families of curves of each claimed quantity."""
    curves = [curve for each in families.values() for family in each for curve in family]
    hypotheses, remarks = card.hypotheses(curves), card.remarks(curves)
    parts = [judge(claim, families[claim.statement.quantity], hypotheses) for claim in card.claims]
    outcome = overall([part.verdict for part in parts])
    message = " ".join([f"{card.title} ({card.reference}).", *remarks])
    return Verdict(card.name, "", "", "", outcome, card.label, message, hypotheses=hypotheses, parts=parts)


def claim_of(name: str, text: str, label: Label, reference: str) -> Claim:
    """A claim whose quantity is trusted to be recorded."""
    return Claim(name, parse_claim(text, [text.split()[0]]), label, reference)
