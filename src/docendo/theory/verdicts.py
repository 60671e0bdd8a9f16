"""What the judge says: hypotheses checked on the instance, exponents claimed and measured, a verdict."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from docendo.theory.curve import Family
from docendo.theory.rates import Estimate, Sandwich

__all__ = ["Evidence", "Exponent", "Hypothesis", "Label", "Outcome", "Verdict", "overall"]

Outcome = Literal["holds", "fails", "not applicable", "undecided"]
Label = Literal["theorem", "law", "measured"]


@dataclass(frozen=True)
class Hypothesis:
    """An assumption of a claim: whether it holds on this instance (None: it cannot be checked), and why."""

    name: str
    holds: bool | None
    detail: str


@dataclass(frozen=True)
class Exponent:
    """The power of one variable: as claimed, and as measured with its interval; `agrees` is None when undecided."""

    claimed: float
    measured: Estimate
    agrees: bool | None

    def to_json(self) -> dict[str, Any]:
        """The numbers, for `docendo verify --json`; an unbounded end is None."""
        low, high = (end if math.isfinite(end) else None for end in (self.measured.low, self.measured.high))
        return {
            "claimed": self.claimed,
            "measured": self.measured.value,
            "low": low,
            "high": high,
            "agrees": self.agrees,
            "how": ", ".join(filter(None, (self.measured.method, self.measured.flag))),
            "window": list(self.measured.window),
        }


@dataclass(frozen=True)
class Evidence:
    """One sweep that a claim was judged on.

    Attributes:
        curves: the quantity along each run; measured / claimed for a claim about numbers.
        amplitudes: for a claim of growth, lim q T^(−p) of each curve,
        laws: and the law at T = 1.
    """

    curves: Family
    amplitudes: Sequence[Estimate] = ()
    laws: Sequence[float] = ()


@dataclass(frozen=True)
class Verdict:
    """How a claim fared, or several claims of one theorem (`parts`).

    Attributes:
        name: the claim's name.
        quantity, sense, law: what is claimed; empty for a theorem of several parts.
        verdict: "holds", "fails", "not applicable" (a hypothesis fails) or "undecided".
        label: whose claim it is: theorem (the paper's), law (docendo's), measured (a user's).
        message: the verdict in a sentence, with the numbers that decide it.
        exponents: per variable, for claims of growth.
        ratio: measured / claimed over the sweep: smallest, largest, drift per variable.
        hypotheses: each with its check.
        remarks: consequences worth knowing, for a theorem.
        definitions: what a reader needs to rerun it, and with other definitions.
        parts: the verdicts of a theorem's claims.
        evidence: what it was judged on, for pictures.
    """

    name: str
    quantity: str
    sense: str
    law: str
    verdict: Outcome
    label: Label
    message: str
    exponents: Mapping[str, Exponent] = field(default_factory=dict)
    ratio: Sandwich | None = None
    hypotheses: Sequence[Hypothesis] = ()
    remarks: Sequence[str] = ()
    definitions: Mapping[str, Any] = field(default_factory=dict)
    parts: Sequence["Verdict"] = ()
    evidence: Sequence[Evidence] = field(default=(), repr=False, compare=False)

    @property
    def statement(self) -> str:
        """The claim as it is written: `quantity = Theta(law)` and its like."""
        law = self.law if self.sense in ("=", "<=") else f"{self.sense}({self.law})"
        return f"{self.quantity} {'<=' if self.sense == '<=' else '='} {law}"

    def claims(self) -> Iterator["Verdict"]:
        """The single claims: this one, or the parts, of parts too."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.claims()

    def to_json(self) -> dict[str, Any]:
        """One claim as `docendo verify --json` stores it."""
        ratio = self.ratio and {
            "min": self.ratio.low,
            "max": self.ratio.high,
            "drift": {name: each.value for name, each in self.ratio.drift.items()},
        }
        return {
            "name": self.name,
            "quantity": self.quantity,
            "sense": self.sense,
            "law": self.law,
            "exponents": {name: exponent.to_json() for name, exponent in self.exponents.items()},
            "ratio": ratio or {},
            "hypotheses": [vars(hypothesis) for hypothesis in self.hypotheses],
            "verdict": self.verdict,
            "label": self.label,
            "message": self.message,
            "definitions": dict(self.definitions),
        }

    def __str__(self) -> str:
        if self.parts:
            lines = [line for part in self.parts for line in str(part).splitlines()]
            return "\n  ".join([f"{self.name}: {self.verdict}", *lines])
        return f"{self.name}: {self.verdict} ({self.message})"


def overall(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome for several: a failure outweighs doubt, and doubt what does not apply."""
    ranked: tuple[Outcome, ...] = ("fails", "undecided", "holds")
    return next((outcome for outcome in ranked if outcome in outcomes), "not applicable")
