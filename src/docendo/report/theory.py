"""What `docendo verify` stores (its `--json`), checked and arranged for the page: cards, each with its claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docendo.files import read_json

__all__ = ["Card", "Claim", "Exponent", "Hypothesis", "read_cards"]


@dataclass(frozen=True)
class Exponent:
    """The power of one variable: as claimed, as measured, the measured one's interval, and whether they agree."""

    variable: str
    claimed: float | None
    measured: float | None
    low: float | None = None
    high: float | None = None
    agrees: bool | None = None
    how: str = ""


@dataclass(frozen=True)
class Hypothesis:
    """What a claim assumes; `holds` is None where it can't be checked."""

    name: str
    holds: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Claim:
    """One claim, as it is written, and how it fared."""

    name: str
    statement: str
    message: str
    exponents: Sequence[Exponent]
    ratio: Mapping[str, Any]
    hypotheses: Sequence[Hypothesis]
    verdict: str
    label: str


@dataclass(frozen=True)
class Card:
    """A theorem with its claims, or claims of a user's own; hypotheses that all of them share stand here."""

    title: str
    verdict: str
    claims: Sequence[Claim]
    remarks: Sequence[str] = ()
    hypotheses: Sequence[Hypothesis] = ()
    definitions: Mapping[str, Any] = field(default_factory=dict)


def read_cards(path: Path) -> list[Card]:
    """The cards of one file, then the claims that belong to none.

    Raises:
        ValueError: it is damaged, or not what `docendo verify --json` writes.
    """
    data = read_json(path)
    try:
        return _cards(data)
    except (KeyError, TypeError, AttributeError) as error:
        what = f"{path} is not what docendo verify stores: {type(error).__name__}: {error}."
        raise ValueError(f"{what} Try docendo verify all --json {path}.") from error


def _cards(data: Mapping[str, Any]) -> list[Card]:
    claims, definitions = [_claim(claim) for claim in data["claims"]], data.get("definitions", {})
    cards = []
    for card in data.get("cards", []):
        own = [claim for claim in claims if claim.name.startswith(f"{card['name']}: ")]
        claims = [claim for claim in claims if claim not in own]
        used = card.get("definitions", definitions)
        cards.append(_share(Card(card["title"], card["verdict"], own, card["remarks"], (), used)))
    return cards + [_share(Card(claim.name, claim.verdict, [claim], (), (), definitions)) for claim in claims]


def _share(card: Card) -> Card:
    """Move the hypotheses that all claims of a card have in common to the card."""
    first = card.claims[0].hypotheses if card.claims else ()
    if any(claim.hypotheses != first for claim in card.claims):
        return card
    return replace(card, hypotheses=first, claims=[replace(claim, hypotheses=()) for claim in card.claims])


def _claim(data: Mapping[str, Any]) -> Claim:
    known = Exponent.__dataclass_fields__
    exponents = [
        Exponent(variable, **{name: value for name, value in found.items() if name in known})
        for variable, found in data["exponents"].items()
    ]
    hypotheses = [Hypothesis(each["name"], each["holds"], each.get("detail", "")) for each in data["hypotheses"]]
    law = data["law"] if data["sense"] in ("=", "<=") else f"{data['sense']}({data['law']})"
    statement = f"{data['quantity']} {'<=' if data['sense'] == '<=' else '='} {law}"
    message, ratio = data.get("message", ""), data.get("ratio") or {}
    return Claim(data["name"], statement, message, exponents, ratio, hypotheses, data["verdict"], data["label"])
