"""From the text of a law to its tree: Python's parser, then only the nodes that a law may have."""

import ast
import math
import re
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NoReturn

from docendo.theory.grammar.errors import ClaimError
from docendo.theory.grammar.expressions import LARGEST_POWER, Expression, Number, Operation, Power, Variable
from docendo.theory.grammar.names import ALIASES, VARIABLES, suggestion

__all__ = ["LawReader", "check_text"]

_LONGEST = 300
_DEEPEST = 60
_LARGEST_DENOMINATOR = 1000
_POWER_RULE = (
    f"powers are fractions within ±{LARGEST_POWER}, denominators at most {_LARGEST_DENOMINATOR}, as in D**(5/2)."
)
_FORM = "products are written with *, powers with **, as in K * D**4 / (eta * T)"
_UNKNOWN_CHARACTER = re.compile(rf"[^A-Za-z0-9_.+\-*/()=<>≤≥~! {''.join(ALIASES)}]")
_OPERATORS: dict[type[ast.operator], Literal["+", "-", "*", "/"]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}


def check_text(text: str) -> str:
    """The text with plain spaces, refused if it is too long or has characters that no claim has."""
    text = re.sub(r"[\t\n\r]", " ", text)
    if len(text) > _LONGEST:
        raise ClaimError(f"a claim has at most {_LONGEST} characters, got {len(text)}. Shorten it.", text, _LONGEST)
    unknown = _UNKNOWN_CHARACTER.search(text)
    if unknown:
        hint = (
            "powers are written with **"
            if unknown[0] == "^"
            else "a claim is made of names, numbers and + - * / ** ( )"
        )
        raise ClaimError(f"{unknown[0]!r} has no meaning here: {hint}.", text, unknown.start())
    return text


@dataclass(frozen=True)
class LawReader:
    """Reads the part of `text` from `start` on. Positions in errors are those of the whole text."""

    text: str
    start: int

    def parse(self) -> ast.expr:
        """The syntax tree, not yet checked."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text[self.start :], mode="eval").body
        except SyntaxError as error:
            position = self.start + max((error.offset or 1) - 1, 0)
            raise ClaimError(f"the law can't be read from here on: {_FORM}.", self.text, position) from None
        except (ValueError, MemoryError, RecursionError):
            raise ClaimError(f"the law can't be read: {_FORM}.", self.text, self.start) from None

    def build(self, node: ast.expr, depth: int = 0) -> Expression:
        """The law's tree, or an error that points at the first node a law can't have."""
        if depth > _DEEPEST:
            self.fail(f"the law is nested more than {_DEEPEST} deep. Simplify it.", node)
        match node:
            case ast.Constant():
                return Number(self._number(node))
            case ast.Name():
                return Variable(self._variable(node))
            case ast.UnaryOp(ast.UAdd(), operand):
                return self.build(operand, depth + 1)
            case ast.UnaryOp(ast.USub(), operand):
                return Operation("*", Number(-1.0), self.build(operand, depth + 1))
            case ast.BinOp(base, ast.Pow(), exponent):
                return Power(self.build(base, depth + 1), self._power(exponent))
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                symbol = _OPERATORS[type(operator)]
                return Operation(symbol, self.build(left, depth + 1), self.build(right, depth + 1))
            case ast.Call():
                return Power(self.build(self._argument_of_sqrt(node), depth + 1), Fraction(1, 2))
        self.fail(f"a law has only numbers, variables, + - * / ** and sqrt: {_FORM}.", node)

    def source(self, node: ast.expr) -> str:
        """The node's own text."""
        return self.text[self.start :].encode()[node.col_offset : node.end_col_offset].decode()

    def fail(self, reason: str, node: ast.AST) -> NoReturn:
        """Raise, pointing at the node."""
        column = getattr(node, "col_offset", 0)  # counted in bytes of UTF-8
        before = self.text[self.start :].encode()[:column].decode(errors="ignore")
        raise ClaimError(reason, self.text, self.start + len(before))

    def _number(self, node: ast.Constant) -> float:
        value = node.value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            number = float(value) if abs(value) < 1e300 else math.inf
            if math.isfinite(number):
                return number
            self.fail("numbers stay below 1e300.", node)
        self.fail(f"{ast.unparse(node)} is no real number and no variable.{suggestion(str(value), VARIABLES)}", node)

    def _variable(self, node: ast.Name) -> str:
        name = ALIASES.get(node.id, node.id)
        if name in VARIABLES:
            return name
        if name in ("Theta", "O", "Omega", "sqrt"):
            self.fail(f"{name} needs parentheses, as in {name}(1 / T).", node)
        self.fail(f"unknown variable {name}.{suggestion(name, VARIABLES)}", node)

    def _power(self, node: ast.expr) -> Fraction:
        exponent = self._rational(node, 0)
        if abs(exponent) > LARGEST_POWER or exponent.denominator > _LARGEST_DENOMINATOR:
            self.fail(_POWER_RULE, node)
        return exponent

    def _rational(self, node: ast.expr, depth: int) -> Fraction:
        match node:
            case ast.Constant() if depth <= _DEEPEST:
                return Fraction(repr(self._number(node)))
            case ast.UnaryOp(ast.UAdd(), operand) if depth <= _DEEPEST:
                return self._rational(operand, depth + 1)
            case ast.UnaryOp(ast.USub(), operand) if depth <= _DEEPEST:
                return -self._rational(operand, depth + 1)
            case ast.BinOp(left, ast.Div(), right) if depth <= _DEEPEST:
                below = self._rational(right, depth + 1)
                if below:
                    return self._rational(left, depth + 1) / below
        self.fail("a power is a plain number, as in D**2, D**(5/2) or T**-0.5.", node)

    def _argument_of_sqrt(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if ALIASES.get(name, name) in ("Theta", "O", "Omega"):
            self.fail(f"{name}(…) holds the whole law, as in excess_loss = {name}(1 / T).", node)
        if name != "sqrt":
            what = f"{name} is no function here" if name else "only a name can be called"
            self.fail(f"{what}: sqrt is the only one; products need a *.", node)
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            self.fail("sqrt takes one argument, as in sqrt(K / T).", node)
        return node.args[0]
