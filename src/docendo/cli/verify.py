"""`docendo verify`: a claim about training, held against exact runs."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docendo.cli.commands import FAILED
from docendo.cli.console import say, say_table

if TYPE_CHECKING:
    from docendo.theory.verdicts import Verdict

__all__ = ["verify"]

UNDECIDED = 3

_EXIT_CODES = {"fails": FAILED, "undecided": UNDECIDED}
_COLOURS = {"holds": "green", "fails": "red", "undecided": "yellow", "not applicable": "yellow"}
_RELATION = re.compile(r"[=<>(]")
_RANGE = re.compile(r"(D|K|M|d|T|V|eta|tau|kappa|η|τ|κ)=.*|\w+=[0-9.,eE+-]+")
_SAME_POWER = 0.01

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="CLAIM",
        help="theorem-3.1, theorem-3.2, decomposition, scalar-limits, law, all, or a claim of your own in quotes; "
        "then ranges, as for --over.",
    ),
]
Over = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RANGE...", help="Try it over these, say D=8..1024 (doubling) K=1,2,4; D, K, V, eta, M if left out."
    ),
]
LogitScale = Annotated[str | None, typer.Option(metavar="LAW", help="tau as a law in D; 1 / sqrt(D) if left out.")]
Figures = Annotated[Path | None, typer.Option(metavar="DIR", help="Draw a figure for each variable, SVG and PNG.")]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all numbers as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


def verify(
    words: Words,
    over: Over = None,
    logit_scale: LogitScale = None,
    json_file: JsonFile = None,
    figures: Figures = None,
    quiet: Quiet = False,
) -> None:
    """Hold a claim against exact runs: exponents claimed and measured, and a verdict.

    For example: docendo verify "excess_loss = Theta(K * D**4 / (eta * T))" --over D=8..1024 K=1,2,4

    Exit code: 0 when every applicable claim holds, 1 when one fails, 2 on bad input, 3 when one is undecided.
    """
    from docendo.cli.outputs import check_file, check_folder
    from docendo.studies.choices import pick
    from docendo.theory.claims import CARDS
    from docendo.verification import ALL, verify as judge

    check_file(json_file)
    check_folder(figures)
    claim, ranges = split_words(words, over or [])
    if not _RELATION.search(claim):
        pick("claim", claim, [*CARDS, ALL])
    verdict = judge(claim, over=ranges or None, logit_scale=logit_scale, progress=not quiet)
    _show(verdict)
    if json_file is not None:
        _write(verdict, json_file)
    if figures is not None:
        _draw(verdict, figures)
    if verdict.verdict in _EXIT_CODES:
        raise typer.Exit(_EXIT_CODES[verdict.verdict])


def split_words(words: Sequence[str], over: Sequence[str]) -> tuple[str, list[str]]:
    """The claim, and the ranges: those after --over, and the words that look like one.

    Raises:
        ValueError: a word is neither, or there is no claim.
    """
    claim = next((word for word in words if not _RANGE.fullmatch(word)), words[0])
    others = [word for place, word in enumerate(words) if place != words.index(claim)]
    strange = [word for word in others if not _RANGE.fullmatch(word)]
    if strange:
        raise ValueError(f"one claim at a time, got {claim!r} and {strange[0]!r}. Put a claim with spaces in quotes.")
    return claim, [*over, *others]


def _show(verdict: "Verdict") -> None:
    """A claim; or a theorem's claims, what it assumes and what follows; or several theorems."""
    if not verdict.parts:
        _show_claim(verdict, verdict.name)
        _show_definitions(verdict)
    elif any(part.parts for part in verdict.parts):
        for part in verdict.parts:
            _show(part)
        say_table(["", ""], [[part.name, part.verdict] for part in verdict.parts])
    else:
        _show_theorem(verdict)


def _show_theorem(verdict: "Verdict") -> None:
    say(verdict.name, style="bold")
    say_table(["", ""], [[" ", verdict.message]])
    say()
    for claim in verdict.parts:
        _show_claim(claim, claim.name.removeprefix(f"{verdict.name}: "))
    if verdict.hypotheses:
        marks = {True: "holds", False: "does not hold", None: "not checkable"}
        assumed = [[f"  {each.name}", f"{marks[each.holds]}: {each.detail}"] for each in verdict.hypotheses]
        say_table(["  assumed", ""], assumed)
        say()
    if verdict.remarks:
        say_table(["", ""], [["  -", remark] for remark in verdict.remarks])
        say()
    _show_definitions(verdict)
    say(f"{verdict.name}: {verdict.verdict}", style=_COLOURS[verdict.verdict])
    say()


def _show_claim(claim: "Verdict", name: str) -> None:
    say_table(["", ""], [[f"  {name}", claim.statement]])
    if claim.exponents:
        say_table(["    variable", "claimed", "measured", "interval", ""], _exponents(claim), right=[1, 2, 3])
    drifts = _drifts(claim)
    rows = [
        ["  =>", f"{claim.verdict}: {claim.message}"],
        *([["", f"the ratio drifts like {drifts}"]] if drifts else []),
    ]
    say_table(["", ""], rows)
    say()


def _drifts(claim: "Verdict") -> str:
    """What is left of the ratio's dependence on the variables, as a product of powers."""
    drift = {} if claim.ratio is None else claim.ratio.drift
    left = {name: each.value for name, each in drift.items() if not -_SAME_POWER <= each.value <= _SAME_POWER}
    return " × ".join(f"{name}^{power:.3f}" for name, power in left.items())


def _show_definitions(verdict: "Verdict") -> None:
    """What was run, and how to try others."""
    if not verdict.definitions:
        return
    say_table(["  defined by", ""], [[f"  {name}", _told(what)] for name, what in verdict.definitions.items()])
    say("  Other definitions: --logit-scale 'D**(-3/2)'; other ranges: --over D=8..256 K=1,2.")
    say()


def _exponents(claim: "Verdict") -> list[list[str]]:
    words = {True: "agrees", False: "differs", None: "undecided"}
    return [
        [
            f"    {name}",
            f"{each.claimed:g}",
            f"{each.measured.value:z.4f}",
            f"{each.measured.low:z.4f} .. {each.measured.high:z.4f}",
            words[each.agrees],
        ]
        for name, each in claim.exponents.items()
    ]


def _told(what: object) -> str:
    """A definition in words; ranges as --over takes them."""
    if not isinstance(what, Mapping):
        return str(what)
    return " ".join(f"{name}={','.join(f'{value:g}' for value in values)}" for name, values in what.items())


def _write(verdict: "Verdict", file: Path) -> None:
    from docendo.files import writable_folder, write_json
    from docendo.verification import record

    write_json(writable_folder(file.parent) / file.name, record(verdict))
    say(f"saved {file}")


def _draw(verdict: "Verdict", folder: Path) -> None:
    from docendo.files import writable_folder
    from docendo.plots import save_figure
    from docendo.plots.powers import verdict_figures

    drawn = [save_figure(figure, writable_folder(folder)) for figure in verdict_figures(verdict)]
    say(f"drawn {len(drawn)} figures in {folder}")
