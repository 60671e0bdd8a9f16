"""Verdicts as `docendo verify --json` stores them, for people and for `docendo.report`."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import docendo
from docendo.theory.verdicts import Verdict

__all__ = ["record"]

LIBRARIES = ("jax", "jaxlib", "numpy", "scipy", "equinox", "diffrax")


def record(verdict: Verdict) -> dict[str, Any]:
    """The JSON object of a verdict.

    `claims` holds one object a claim. `definitions` are those of the first claim; a claim judged under others says so
    in its own. `cards` holds title, verdict, remarks and definitions of each theorem.
    """
    claims = [claim.to_json() for claim in verdict.claims()]
    return {
        "verdict": verdict.verdict,
        "claims": claims,
        "cards": [_card(part) for part in _cards(verdict)],
        "definitions": claims[0]["definitions"],
        "versions": {"docendo": docendo.__version__} | {name: version(name) for name in LIBRARIES},
    }


def _cards(verdict: Verdict) -> Sequence[Verdict]:
    nested = [part for part in verdict.parts if part.parts]
    return nested or ([verdict] if verdict.parts else [])


def _card(card: Verdict) -> dict[str, Any]:
    title = f"{card.name}: {card.message}"
    about = {"remarks": list(card.remarks), "definitions": dict(card.definitions)}
    return {"name": card.name, "title": title, "verdict": card.verdict} | about
