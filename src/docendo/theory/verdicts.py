"""What the judge says: hypotheses checked on the instance, exponents claimed and measured, a verdict."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from docendo.theory.rates import Estimate, Sandwich

__all__ = ["Exponent", "Hypothesis", "Outcome", "Verdict", "overall"]

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
            "how": f"{self.measured.method}{', ' + self.measured.flag if self.measured.flag else ''}",
            "window": list(self.measured.window),
        }


@dataclass(frozen=True)
class Verdict:
    """How a claim fared, or several claims of one theorem (`parts`).

    Attributes:
        name: the claim's name.
        quantity, sense, law: what is claimed; empty for a theorem of several parts.
        exponents: per variable, for claims of growth.
        ratio: measured / claimed over the sweep: smallest, largest, drift per variable.
        hypotheses: each with its check.
        verdict: "holds", "fails", "not applicable" (a hypothesis fails) or "undecided".
        label: whose claim it is: theorem (the paper's), law (docendo's), measured (a user's).
        message: the verdict in a sentence, with the numbers that decide it.
        parts: the verdicts of a theorem's claims.
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
    parts: Sequence["Verdict"] = ()

    @property
    def claims(self) -> Sequence["Verdict"]:
        """The single claims: the parts, or this one."""
        return self.parts or (self,)

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
        }

    def __str__(self) -> str:
        if self.parts:
            return f"{self.name}: {self.verdict}\n" + "\n".join(f"  {part}" for part in self.parts)
        return f"{self.name}: {self.verdict} ({self.message})"


def overall(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome for several: a failure outweighs doubt, and doubt what does not apply."""
    for outcome in ("fails", "undecided", "holds"):
        if outcome in outcomes:
            return outcome  # type: ignore[return-value]
    return "not applicable"
