"""What `docendo verify` stores (its `--json`), checked and named for the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docendo.files import read_json

__all__ = ["Claim", "Exponent", "Hypothesis", "read_claims"]


@dataclass(frozen=True)
class Exponent:
    """The power of one variable: as claimed, as measured, and the measured one's interval."""

    variable: str
    claimed: float | None
    measured: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Hypothesis:
    """What a claim assumes; `holds` is None where it can't be checked."""

    name: str
    holds: bool | None
    detail: str


@dataclass(frozen=True)
class Claim:
    """One claim about a power law, and how it fared."""

    name: str
    statement: str
    exponents: tuple[Exponent, ...]
    ratio: Mapping[str, Any]
    hypotheses: tuple[Hypothesis, ...]
    verdict: str
    label: str
    definitions: Mapping[str, Any]


def read_claims(path: Path) -> list[Claim]:
    """The claims of one file.

    Raises:
        ValueError: it is damaged, or not what `docendo verify --json` writes.
    """
    data = read_json(path)
    try:
        return [_claim(claim, data.get("definitions", {})) for claim in data["claims"]]
    except (KeyError, TypeError, AttributeError) as error:
        what = f"{path} is not what docendo verify stores: {type(error).__name__}: {error}."
        raise ValueError(f"{what} Try docendo verify all --json {path}.") from error


def _claim(data: Mapping[str, Any], definitions: Mapping[str, Any]) -> Claim:
    exponents = [
        Exponent(variable, *(found.get(key) for key in ("claimed", "measured", "low", "high")))
        for variable, found in data["exponents"].items()
    ]
    hypotheses = [Hypothesis(each["name"], each["holds"], each.get("detail", "")) for each in data["hypotheses"]]
    statement = f"{data['quantity']} {data['sense']} {data['law']}"
    ratio, verdict, label = data.get("ratio") or {}, data["verdict"], data["label"]
    return Claim(data["name"], statement, tuple(exponents), ratio, tuple(hypotheses), verdict, label, definitions)
