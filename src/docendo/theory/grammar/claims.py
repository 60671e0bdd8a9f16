"""A claim as it was stated: which quantity, in which sense, follows which law."""

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docendo.theory.grammar.errors import ClaimError
from docendo.theory.grammar.expressions import LARGEST_POWER, Expression, Monomial, evaluate, monomial, variables
from docendo.theory.grammar.names import ALIASES, VARIABLES, suggestion
from docendo.theory.grammar.reading import LawReader, check_text

__all__ = ["ParsedClaim", "Sense", "parse_claim", "parse_law"]

Sense = Literal["=", "<=", "Theta", "O", "Omega"]

_EXAMPLE = "excess_loss = Theta(K * D**4 / (eta * T))"
_RELATION = re.compile(r"<=|>=|==|!=|[=<>≤≥~]")
_BETTER = {
    "==": "=",
    "~": "= Theta(…)",
    "<": "<=",
    ">": "= Omega(…), or <= the other way round",
    ">=": "= Omega(…), or <= the other way round",
    "≥": "= Omega(…), or <= the other way round",
    "!=": "=",
}


@dataclass(frozen=True)
class ParsedClaim:
    """A claim about one recorded quantity.

    Attributes:
        text: as it was given.
        quantity: the recorded variable it is about.
        sense: "=", "<=", "Theta", "O" or "Omega".
        law: the text of the law alone.
        expression: the law's tree.
    """

    text: str
    quantity: str
    sense: Sense
    law: str
    expression: Expression

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables the law depends on, in the order of `VARIABLES`."""
        present = set(variables(self.expression))
        return tuple(name for name in VARIABLES if name in present)

    @property
    def monomial(self) -> Monomial | None:
        """The law as one product of powers, None where it is none (only with "=" and "<=")."""
        return monomial(self.expression)

    @property
    def exponents(self) -> dict[str, Fraction] | None:
        """The claimed exponent of every variable that has one, None where the law is no monomial."""
        found = self.monomial
        return None if found is None else found.exponents

    def __call__(self, values: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
        """The law's value, broadcast over arrays of the variables' values."""
        return evaluate(self.expression, values)

    def __str__(self) -> str:
        law = f"{self.sense}({self.law})" if self.sense in ("Theta", "O", "Omega") else self.law
        return f"{self.quantity} {'<=' if self.sense == '<=' else '='} {law}"


def parse_claim(text: str, quantities: Collection[str]) -> ParsedClaim:
    """Read a claim.

    Args:
        text: for example "excess_loss = Theta(K * D**4 / (eta * T))"; the module `docendo.theory.grammar` says what
            may be written.
        quantities: the names of the quantities a run records.

    Raises:
        ClaimError: (a ValueError) the text is no claim. It points at the character, and names the closest quantity
            or variable where a name is unknown.
    """
    text = check_text(text)
    relation = _relation(text)
    quantity = _quantity(text, relation.start(), quantities)
    start = relation.end() + len(text[relation.end() :]) - len(text[relation.end() :].lstrip(" "))
    if start == len(text):
        raise ClaimError(f"the law is missing. A claim reads: {_EXAMPLE}.", text, start)
    reader = LawReader(text, start)
    sense, body = _sense(reader, reader.parse(), "=" if relation[0] == "=" else "<=")
    expression = reader.build(body)
    _check_law(reader, body, sense, expression)
    return ParsedClaim(text, quantity, sense, reader.source(body), expression)


def parse_law(text: str) -> Expression:
    """Read a law alone, for example "D**(-3/2)", as the right side of a claim.

    Raises:
        ClaimError: (a ValueError) the text is no law; it points at the character.
    """
    text = check_text(text)
    reader = LawReader(text, len(text) - len(text.lstrip(" ")))
    return reader.build(reader.parse())


def _relation(text: str) -> re.Match[str]:
    found = _RELATION.search(text)
    if found is None:
        raise ClaimError(f"no relation found. A claim reads: {_EXAMPLE}.", text, len(text))
    if found[0] in _BETTER:
        raise ClaimError(f"a claim has no {found[0]}: write {_BETTER[found[0]]}.", text, found.start())
    second = _RELATION.search(text, found.end())
    if second:
        raise ClaimError("a claim has one relation. Split it in two claims.", text, second.start())
    return found


def _quantity(text: str, end: int, quantities: Collection[str]) -> str:
    name = text[:end].strip(" ")
    if name in quantities:
        return name
    position = len(text[:end]) - len(text[:end].lstrip(" ")) if name else end
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ClaimError(
            f"the left side is the name of one recorded quantity.{suggestion(name, quantities)}", text, position
        )
    raise ClaimError(f"unknown quantity {name}.{suggestion(name, quantities)}", text, position)


def _sense(reader: LawReader, node: ast.expr, relation: Sense) -> tuple[Sense, ast.expr]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return relation, node
    name = ALIASES.get(node.func.id, node.func.id)
    if name not in ("Theta", "O", "Omega"):
        return relation, node
    if relation == "<=":
        reader.fail(f"{name} follows =, not <=: write = {name}(…), or <= and the law itself.", node)
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        reader.fail(f"{name} takes one law, as in {name}(K * D**4 / (eta * T)).", node)
    return cast(Sense, name), node.args[0]


def _check_law(reader: LawReader, node: ast.expr, sense: Sense, expression: Expression) -> None:
    found = monomial(expression)
    if found is None:
        if sense in ("Theta", "O", "Omega"):
            leading = "keep its leading term, for example K * D for K * (D - K), or compare numbers with = or <="
            reader.fail(f"a sum has no exponents, which {sense} is judged by: {leading}.", node)
        return
    if not np.isfinite(found.coefficient):
        reader.fail(f"the numbers of the law give {found.coefficient}, which is no finite number.", node)
    if sense in ("Theta", "O", "Omega") and found.coefficient <= 0:
        reader.fail(f"the law's coefficient must be positive for {sense}, got {found.coefficient:g}.", node)
    if any(abs(exponent) > LARGEST_POWER for exponent in found.exponents.values()):
        reader.fail(f"powers stay within ±{LARGEST_POWER}.", node)
