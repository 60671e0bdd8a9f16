"""Trees of laws: values and monomials."""

from fractions import Fraction

import numpy as np
import pytest

from docendo.theory.grammar.expressions import Monomial, Number, Operation, Power, Variable, evaluate, monomial

D, K, TWO = Variable("D"), Variable("K"), Number(2.0)


def test_values_broadcast() -> None:
    found = evaluate(Operation("-", D, Power(K, Fraction(1, 2))), {"D": np.array([[8.0], [9.0]]), "K": [1.0, 4.0]})
    assert found.tolist() == [[7.0, 6.0], [8.0, 7.0]]


def test_singular_values_follow_numpy() -> None:
    assert np.isinf(evaluate(Operation("/", TWO, D), {"D": 0.0}))
    assert np.isnan(evaluate(Power(D, Fraction(1, 2)), {"D": -1.0}))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (TWO, Monomial(2.0, {})),
        (
            Operation("/", Power(D, Fraction(5, 2)), Operation("*", TWO, K)),
            Monomial(0.5, {"D": Fraction(5, 2), "K": Fraction(-1)}),
        ),
        (Operation("/", D, D), Monomial(1.0, {})),
        (Power(Operation("*", TWO, D), Fraction(-2)), Monomial(0.25, {"D": Fraction(-2)})),
        (Operation("-", TWO, Number(5.0)), Monomial(-3.0, {})),
        (Operation("+", D, TWO), None),
        (Power(Operation("-", D, K), Fraction(2)), None),
        (Operation("*", D, Operation("-", D, K)), None),
    ],
)
def test_monomials(expression: Operation, expected: Monomial | None) -> None:
    assert monomial(expression) == expected


def test_a_value_is_missing() -> None:
    with pytest.raises(ValueError, match="the law needs values of K"):
        evaluate(Operation("*", D, K), {"D": 1.0})
