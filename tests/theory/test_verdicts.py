"""Verdicts: one outcome of several, the words, and the JSON that is stored."""

import json
import math

import pytest

from docendo.theory.rates import Estimate, Sandwich
from docendo.theory.verdicts import Exponent, Hypothesis, Outcome, Verdict, overall


def estimate(value: float, half: float = 0.01, flag: str = "") -> Estimate:
    return Estimate(value, value - half, value + half, "chords", (8.0, 64.0), flag)


def single(outcome: Outcome = "fails", name: str = "claim") -> Verdict:
    return Verdict(
        *(name, "excess_loss", "Theta", "D**4 / T", outcome, "theorem", "D: claimed 4, measured 2.000"),
        exponents={
            "D": Exponent(4.0, estimate(2.0), False),
            "T": Exponent(-1.0, estimate(-1.0, math.inf, "late"), None),
        },
        ratio=Sandwich(0.1, 0.5, {"D": estimate(-2.0)}),
        hypotheses=[Hypothesis("D large", None, "no number is stated")],
        definitions={"logit_scale": "1 / sqrt(D)"},
    )


@pytest.mark.parametrize(
    ("outcomes", "one"),
    [
        (["holds", "fails", "undecided"], "fails"),
        (["holds", "undecided", "not applicable"], "undecided"),
        (["holds", "not applicable"], "holds"),
        (["not applicable"], "not applicable"),
        ([], "not applicable"),
    ],
)
def test_overall(outcomes: list[Outcome], one: str) -> None:
    assert overall(outcomes) == one


def test_json() -> None:
    stored = json.loads(json.dumps(single().to_json(), allow_nan=False))
    assert stored == {
        "name": "claim",
        "quantity": "excess_loss",
        "sense": "Theta",
        "law": "D**4 / T",
        "exponents": {
            "D": {
                **{"claimed": 4.0, "measured": 2.0, "low": 1.99, "high": 2.01, "agrees": False},
                **{"how": "chords", "window": [8.0, 64.0]},
            },
            "T": {
                **{"claimed": -1.0, "measured": -1.0, "low": None, "high": None, "agrees": None},
                **{"how": "chords, late", "window": [8.0, 64.0]},
            },
        },
        "ratio": {"min": 0.1, "max": 0.5, "drift": {"D": -2.0}},
        "hypotheses": [{"name": "D large", "holds": None, "detail": "no number is stated"}],
        "verdict": "fails",
        "label": "theorem",
        "message": "D: claimed 4, measured 2.000",
        "definitions": {"logit_scale": "1 / sqrt(D)"},
    }


def test_json_without_ratio() -> None:
    plain = Verdict("claim", "q", "<=", "1", "holds", "measured", "")
    assert plain.to_json()["ratio"] == {}
    assert plain.to_json()["exponents"] == {}


@pytest.mark.parametrize(
    ("sense", "statement"),
    [("=", "q = 1 / T"), ("<=", "q <= 1 / T"), ("Theta", "q = Theta(1 / T)"), ("Omega", "q = Omega(1 / T)")],
)
def test_statement(sense: str, statement: str) -> None:
    assert Verdict("claim", "q", sense, "1 / T", "holds", "measured", "").statement == statement


def test_parts() -> None:
    card = Verdict("card", "", "", "", "fails", "theorem", "title", parts=[single(), single("holds", "other")])
    everything = Verdict("all", "", "", "", "fails", "theorem", "", parts=[card])
    assert [claim.name for claim in everything.claims()] == ["claim", "other"]
    assert [claim.name for claim in single().claims()] == ["claim"]
    assert str(everything).splitlines() == [
        "all: fails",
        "  card: fails",
        "    claim: fails (D: claimed 4, measured 2.000)",
        "    other: holds (D: claimed 4, measured 2.000)",
    ]
