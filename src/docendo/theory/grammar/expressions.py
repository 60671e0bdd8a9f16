"""Laws as small trees of numbers, variables, + − * /, and constant rational powers.

A monomial is c · Π_v v^(e_v) with a number c and rational exponents e_v.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LARGEST_POWER",
    "Expression",
    "Monomial",
    "Number",
    "Operation",
    "Power",
    "Variable",
    "evaluate",
    "monomial",
    "variables",
]

LARGEST_POWER = 64


@dataclass(frozen=True)
class Number:
    """A number of the text."""

    value: float


@dataclass(frozen=True)
class Variable:
    """One of the variables of claims."""

    name: str


@dataclass(frozen=True)
class Operation:
    """`left symbol right`."""

    symbol: Literal["+", "-", "*", "/"]
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Power:
    """`base ** exponent` with a constant rational exponent; sqrt is the power 1/2."""

    base: "Expression"
    exponent: Fraction


Expression = Number | Variable | Operation | Power


@dataclass(frozen=True)
class Monomial:
    """`coefficient` times the product of the variables to their `exponents` (those that are not 0)."""

    coefficient: float
    exponents: dict[str, Fraction]


def evaluate(expression: Expression, values: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
    """The expression's value, broadcast over arrays of the variables' values.

    Division by zero and roots of negative numbers give inf and nan, as everywhere in NumPy.

    Raises:
        ValueError: a variable of the expression has no value.
    """
    missing = sorted(set(variables(expression)) - set(values))
    if missing:
        raise ValueError(f"the law needs values of {', '.join(missing)}. For example values={{{missing[0]!r}: 8.0}}.")
    arrays = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
    with np.errstate(all="ignore"):
        return np.asarray(_value(expression, arrays), dtype=np.float64)


def monomial(expression: Expression) -> Monomial | None:
    """The expression as one product of powers, or None where it adds or subtracts variables.

    The coefficient may come out infinite or nan, where the numbers of the text overflow or divide by zero.
    """
    match expression:
        case Number(value):
            return Monomial(value, {})
        case Variable(name):
            return Monomial(1.0, {name: Fraction(1)})
        case Power(base, exponent):
            inside = monomial(base)
            return None if inside is None else _raised(inside, exponent)
        case Operation(symbol, left, right):
            first, second = monomial(left), monomial(right)
            return None if first is None or second is None else _combined(symbol, first, second)


def variables(expression: Expression) -> Iterator[str]:
    """The names of the variables in an expression, in its order, with repetitions."""
    match expression:
        case Variable(name):
            yield name
        case Power(base, _):
            yield from variables(base)
        case Operation(_, left, right):
            yield from variables(left)
            yield from variables(right)


def _value(expression: Expression, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64] | np.float64:
    match expression:
        case Number(value):
            return np.float64(value)
        case Variable(name):
            return values[name]
        case Power(base, exponent):
            return np.power(_value(base, values), float(exponent))
        case Operation(symbol, left, right):
            return _OPERATIONS[symbol](_value(left, values), _value(right, values))


_OPERATIONS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}


def _combined(symbol: str, first: Monomial, second: Monomial) -> Monomial | None:
    if symbol in "+-" and (first.exponents or second.exponents):
        return None
    sign = {"*": 1, "/": -1}.get(symbol, 0)
    with np.errstate(all="ignore"):
        coefficient = float(_OPERATIONS[symbol](np.float64(first.coefficient), np.float64(second.coefficient)))
    names = {**first.exponents, **second.exponents}
    zero = Fraction(0)
    sums = {name: first.exponents.get(name, zero) + sign * second.exponents.get(name, zero) for name in names}
    return Monomial(coefficient, {name: exponent for name, exponent in sums.items() if exponent})


def _raised(inside: Monomial, exponent: Fraction) -> Monomial:
    with np.errstate(all="ignore"):
        coefficient = float(np.float64(inside.coefficient) ** float(exponent))
    powers = {name: power * exponent for name, power in inside.exponents.items() if exponent}
    return Monomial(coefficient, powers)
