"""`docendo verify`: a claim and its ranges from words, a table from a verdict, an exit code from its outcome."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from docendo.cli.verify import split_words
from docendo.theory.claims import CARDS
from docendo.theory.rates import Estimate, Sandwich
from docendo.theory.verdicts import Exponent, Hypothesis, Verdict
from tests.cli.calling import docendo, succeed

Answer = Literal["holds", "fails", "not applicable", "undecided"]

OWN = "excess_loss = Theta(K * D**2 / (eta * T))"


def verdict(outcome: Answer, name: str = "claim", parts: tuple[Verdict, ...] = ()) -> Verdict:
    exponent = Exponent(4.0, Estimate(2.0, 1.99, 2.01, "chords", (8.0, 64.0)), False)
    assumed = (Hypothesis("D large", None, "no number is stated"),)
    return Verdict(
        *(name, "excess_loss", "Theta", "D**4", outcome, "measured", "D: claimed 4, measured 2.000"),
        exponents={} if parts else {"D": exponent},
        hypotheses=assumed,
        parts=parts,
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What was asked of the judge, who answers with the outcome that a claim's name begins with."""
    seen: list[tuple[str, Any]] = []

    def judge(claim: str, **more: Any) -> Verdict:
        seen.append((claim, more))
        outcomes: tuple[Answer, ...] = ("holds", "fails", "not applicable", "undecided")
        told = [each for each in outcomes if claim.startswith(each.replace(" ", "_"))]
        return verdict((told or ["holds"])[0], claim)

    monkeypatch.setattr("docendo.verification.verify", judge)
    return seen


@pytest.mark.parametrize(
    ("words", "over"),
    [
        ([OWN, "D=8..64", "K=1,2"], []),
        ([OWN, "K=1,2"], ["D=8..64"]),
        (["K=1,2", OWN], ["D=8..64"]),
        ([OWN], ["D=8..64", "K=1,2"]),
    ],
)
def test_words(words: list[str], over: list[str]) -> None:
    claim, ranges = split_words(words, over)
    assert claim == OWN
    assert sorted(ranges) == ["D=8..64", "K=1,2"]


def test_a_claim_that_looks_like_a_range_comes_first() -> None:
    assert split_words(["c1=1", "D=8,16"], []) == ("c1=1", ["D=8,16"])
    with pytest.raises(ValueError, match="one claim at a time, got 'excess_loss' and '<='"):
        split_words(["excess_loss", "<=", "D"], [])


@pytest.mark.parametrize(("outcome", "code"), [("holds", 0), ("fails", 1), ("undecided", 3), ("not_applicable", 0)])
def test_exit_codes(outcome: str, code: int, asked: list[tuple[str, Any]]) -> None:
    done = docendo(f"verify '{outcome} = 1' D=8..64 -q")
    assert done.exit_code == code
    assert f"=> {outcome.replace('_', ' ')}: D: claimed 4, measured 2.000" in " ".join(done.stdout.split())
    assert asked == [(f"{outcome} = 1", {"over": ["D=8..64"], "logit_scale": None, "progress": False})]


def test_all_is_told_theorem_by_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    first = verdict("holds", "theorem-3.1", (verdict("holds", "scores"),))
    second = verdict("undecided", "law", (verdict("undecided", "limit"),))
    monkeypatch.setattr("docendo.verification.verify", lambda *_, **__: verdict("undecided", "all", (first, second)))
    done = docendo("verify all")
    assert done.exit_code == 3
    assert [line.split() for line in done.stdout.splitlines()[-2:]] == [["theorem-3.1", "holds"], ["law", "undecided"]]


@pytest.mark.parametrize("name", [*CARDS, "all"])
def test_names_and_the_scale_are_passed_on(name: str, asked: list[tuple[str, Any]]) -> None:
    succeed(f"verify {name} --logit-scale D**(-3/2)")
    assert asked == [(name, {"over": None, "logit_scale": "D**(-3/2)", "progress": True})]


def test_a_theorem_is_told_claim_by_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = verdict("fails", "theorem-3.1", (verdict("fails", "first"), verdict("holds", "second")))
    monkeypatch.setattr("docendo.verification.verify", lambda *_, **__: whole)
    done = docendo("verify theorem-3.1")
    assert done.exit_code == 1
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["first", "excess_loss", "=", "Theta(D**4)"] in lines
    assert ["D", "4", "2.0000", "1.9900", "..", "2.0100", "differs"] in lines
    assert ["D", "large", "not", "checkable:", "no", "number", "is", "stated"] in lines
    assert done.stdout.strip().endswith("theorem-3.1: fails")


def test_what_drifts_and_what_was_run(monkeypatch: pytest.MonkeyPatch) -> None:
    drift = {"D": Estimate(-2.0, -2.1, -1.9, "chords", (8.0, 64.0)), "K": Estimate(0.001, 0, 0, "", (1.0, 2.0))}
    told = replace(
        verdict("fails"),
        ratio=Sandwich(0.1, 0.5, drift),
        definitions={"logit_scale": "1 / sqrt(D)", "over": {"D": [8, 16], "eta": [0.1, 0.2]}},
    )
    monkeypatch.setattr("docendo.verification.verify", lambda *_, **__: told)
    lines = [line.split() for line in docendo("verify law").stdout.splitlines()]
    assert ["the", "ratio", "drifts", "like", "D^-2.000"] in lines
    assert ["logit_scale", "1", "/", "sqrt(D)"] in lines
    assert ["over", "D=8,16", "eta=0.1,0.2"] in lines


def test_a_claim_of_one_s_own_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "new" / "verdict.json"
    said = succeed(f'verify "{OWN}" --over D=8..64 K=1,2 --json {file} --figures {tmp_path / "drawn"} --quiet')
    assert "excess_loss = Theta(K * D**2 / (eta * T))" in said
    assert f"saved {file}" in said
    (claim,) = json.loads(file.read_text())["claims"]
    assert claim["verdict"] == "holds"
    assert claim["exponents"]["D"]["claimed"] == 2
    # η is tried wherever a law has T
    assert list(claim["exponents"]) == ["T", "D", "K", "eta"]
    assert set(json.loads(file.read_text())["definitions"]["over"]) == {"D", "K", "eta"}
    assert sorted(path.name for path in (tmp_path / "drawn").iterdir()) == [
        f"claim_{name}.{kind}" for name in ("D", "K", "T", "eta") for kind in ("png", "svg")
    ]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("verify thorem-3.1", "there is no claim 'thorem-3.1'. Did you mean theorem-3.1"),
        ("verify 'excess = Theta(D)'", "unknown quantity excess. Did you mean excess_loss"),
        ("verify 'excess_loss = Theta(D'", "excess_loss = Theta(D\n"),
        ("verify law D=8", "D needs at least two values to show a power"),
        ("verify theorem-3.1 --over K=1,2 D=8,x", "a number is missing here, got 'x'"),
        ("verify theorem-3.1 --over D=8..64 T=10,100", "runs do not become asymptotic by T = 100"),
        ("verify law --logit-scale -D", "logit_scale must be positive, but -D is -8 at D = 8"),
        ("verify law --json {}", "is a folder, but the name of a file is wanted"),
    ],
)
def test_bad_input(command: str, message: str, tmp_path: Path) -> None:
    done = docendo(command.format(tmp_path) + " --quiet")
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []
