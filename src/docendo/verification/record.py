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
    in its own. `cards` holds title, remarks and verdict of each theorem.
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
    return {"name": card.name, "title": card.message, "verdict": card.verdict, "remarks": list(card.remarks)}
