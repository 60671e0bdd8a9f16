"""Claims are read as they are meant, and what is no claim is pointed at."""

import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from docendo.theory.grammar import VARIABLES, ClaimError, ParsedClaim, parse_claim

QUANTITIES = ("excess_loss", "value_error", "score_error", "value_cosine", "local_exponent")
HALF = Fraction(1, 2)


def read(text: str) -> ParsedClaim:
    return parse_claim(text, QUANTITIES)


@pytest.mark.parametrize(
    ("text", "quantity", "sense", "exponents"),
    [
        ("excess_loss = Theta(K * D**4 / (eta * T))", "excess_loss", "Theta", {"K": 1, "D": 4, "eta": -1, "T": -1}),
        (
            "score_error = O(D**(5/2) / (V*sqrt(eta*T)))",
            "score_error",
            "O",
            {"D": Fraction(5, 2), "V": -1, "eta": -HALF, "T": -HALF},
        ),
        (
            "value_error=Omega(D**2*(K/(eta*T))**0.5)",
            "value_error",
            "Omega",
            {"D": 2, "K": HALF, "eta": -HALF, "T": -HALF},
        ),
        ("excess_loss <= 3*d*M/tau**2", "excess_loss", "<=", {"d": 1, "M": 1, "tau": -2}),
        (
            "excess_loss = Θ(K/(η*T)*τ**-2*κ)",
            "excess_loss",
            "Theta",
            {"K": 1, "eta": -1, "T": -1, "tau": -2, "kappa": 1},
        ),
        ("local_exponent = -1", "local_exponent", "=", {}),
        ("  value_cosine\t=\n 1 ", "value_cosine", "=", {}),
        ("excess_loss = Theta(D * D / D**3 * K**0)", "excess_loss", "Theta", {"D": -1}),
        ("excess_loss = Theta((1 + 2**0.5) * T**+1/T)", "excess_loss", "Theta", {}),
        ("excess_loss = Theta(-(-1) * D)", "excess_loss", "Theta", {"D": 1}),
    ],
)
def test_monomials(text: str, quantity: str, sense: str, exponents: dict[str, Fraction]) -> None:
    claim = read(text)
    assert (claim.quantity, claim.sense, claim.exponents) == (quantity, sense, exponents)


@pytest.mark.parametrize(
    ("law", "coefficient"), [("D/4", 0.25), ("sqrt(2)*D", 2**0.5), ("(3 - 1/2)*D", 2.5), ("2e-3*(2*D)**2", 8e-3)]
)
def test_coefficients(law: str, coefficient: float) -> None:
    found = read(f"excess_loss = {law}").monomial
    assert found is not None
    assert found.coefficient == pytest.approx(coefficient, rel=1e-15)


@pytest.mark.parametrize("sense", ["=", "<="])
def test_numbers_may_be_compared_with_any_expression(sense: str) -> None:
    claim = read(f"excess_loss {sense} K*(D - K)*D/(4*eta*T) + sqrt(D)")
    assert claim.exponents is None
    assert claim.monomial is None
    assert claim.variables == ("D", "K", "T", "eta")
    sizes = np.array([8.0, 16.0])
    found = claim({"D": sizes, "K": 2.0, "eta": 0.5, "T": 10.0})
    assert found == pytest.approx(2 * (sizes - 2) * sizes / 20 + np.sqrt(sizes), rel=1e-15)


def test_a_value_is_missing() -> None:
    with pytest.raises(ValueError, match="the law needs values of D, T"):
        read("excess_loss = K * D / T")({"K": 1.0})


@pytest.mark.parametrize(
    ("text", "law", "printed"),
    [
        ("excess_loss=Theta( K*D )", "K*D", "excess_loss = Theta(K*D)"),
        ("excess_loss = Ω(η*T)", "η*T", "excess_loss = Omega(η*T)"),
        ("excess_loss<=(K+D)*2", "(K+D)*2", "excess_loss <= (K+D)*2"),
    ],
)
def test_the_law_keeps_its_words(text: str, law: str, printed: str) -> None:
    claim = read(text)
    assert claim.law == law
    assert str(claim) == printed
    assert str(read(printed)) == printed


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("excess_los = Theta(T)", 0, "unknown quantity excess_los. Did you mean excess_loss?"),
        ("loss function = Theta(T)", 0, "the left side is the name of one recorded quantity"),
        ("= 3", 0, "the left side is the name"),
        ("excess_loss", 11, "no relation found"),
        ("excess_loss = ", 14, "the law is missing"),
        ("excess_loss = Theta(Dd)", 20, "unknown variable Dd. Did you mean"),
        ("excess_loss = Theta(k)", 20, "unknown variable k. Did you mean K?"),
        ("excess_loss = D^4", 15, "'^' has no meaning here: powers are written with **"),
        ("excess_loss = D; T", 15, "';' has no meaning here"),
        ("excess_loss = 'D'", 14, '"\'" has no meaning here'),
        ("excess_loss >= D", 12, "a claim has no >=: write = Omega"),
        ("excess_loss == D", 12, "a claim has no ==: write =."),
        ("excess_loss ~ D", 12, "a claim has no ~: write = Theta"),
        ("excess_loss = D = T", 16, "a claim has one relation"),
        ("excess_loss = Theta(K * (D - K))", 20, "a sum has no exponents, which Theta is judged by"),
        ("excess_loss = O(sqrt(1 + T))", 16, "a sum has no exponents, which O is judged by"),
        ("excess_loss = Theta", 14, "Theta needs parentheses"),
        ("excess_loss = 2*O(T)", 16, "O(…) holds the whole law"),
        ("excess_loss <= O(T)", 15, "O follows =, not <="),
        ("excess_loss = Theta()", 14, "Theta takes one law"),
        ("excess_loss = Theta(*D)", 14, "Theta takes one law"),
        ("excess_loss = Theta(0*D)", 20, "the law's coefficient must be positive for Theta, got 0"),
        ("excess_loss = Omega(-D)", 20, "must be positive for Omega, got -1"),
        ("excess_loss = D/0", 14, "the numbers of the law give inf"),
        ("excess_loss = sqrt(-2)", 14, "the numbers of the law give nan"),
        ("excess_loss = 1e200**9", 14, "the numbers of the law give inf"),
        ("excess_loss = log(T)/T", 14, "log is no function here: sqrt is the only one"),
        ("excess_loss = D(K)", 14, "D is no function here"),
        ("excess_loss = (D)(K)", 14, "D is no function here"),
        ("excess_loss = 2(K)", 14, "only a name can be called"),
        ("excess_loss = sqrt()", 14, "sqrt takes one argument"),
        ("excess_loss = sqrt", 14, "sqrt needs parentheses"),
        ("excess_loss = 2K", 14, "the law can't be read from here on"),
        ("excess_loss = K D", 16, "the law can't be read from here on"),
        ("excess_loss = (K", 14, "the law can't be read from here on"),
        ("excess_loss = D**K", 17, "a power is a plain number"),
        ("excess_loss = D**2**2", 17, "a power is a plain number"),
        ("excess_loss = D**(1/0)", 18, "a power is a plain number"),
        ("excess_loss = D**65", 17, "powers are fractions within ±64"),
        ("excess_loss = D**(1/1001)", 18, "denominators at most 1000"),
        ("excess_loss = (D**60)**60", 14, "powers stay within ±64"),
        ("excess_loss = D % 2", 16, "'%' has no meaning here"),
        ("excess_loss = D // 2", 14, "a law has only numbers, variables"),
        ("excess_loss = K if D else T", 14, "a law has only numbers, variables"),
        ("excess_loss = D.real", 14, "a law has only numbers, variables"),
        ("excess_loss = not D", 14, "a law has only numbers, variables"),
        ("excess_loss = ()", 14, "a law has only numbers, variables"),
        ("excess_loss = True", 14, "True is no real number and no variable"),
        ("excess_loss = 1j", 14, "1j is no real number"),
        ("excess_loss = 1e999", 14, "numbers stay below 1e300"),
        ("excess_loss = η * Q", 18, "unknown variable Q"),
        ("excess_loss = " + "-" * 90 + "D", 75, "the law is nested more than 60 deep"),
        ("excess_loss = D" + "*D" * 200, 300, "a claim has at most 300 characters, got 415"),
        ("excess_loss = " + "(" * 250 + "D", 264, "the law can't be read"),
    ],
)
def test_errors_point_at_the_character(text: str, column: int, reason: str) -> None:
    with pytest.raises(ClaimError, match=re.escape(reason)) as caught:
        read(text)
    if len(text) < 100:
        *_, shown, caret = str(caught.value).splitlines()
        assert shown == f"  {text.expandtabs(1)}"
        assert caret.index("^") - 2 == column
    else:
        assert reason in caught.value.reason


def test_long_texts_are_cut_around_the_character() -> None:
    with pytest.raises(ClaimError, match="unknown variable Q") as caught:
        read("excess_loss = " + " " * 120 + "Q*T" + " " * 100)
    *_, shown, caret = str(caught.value).splitlines()
    assert len(shown) <= 102
    assert shown[caret.index("^")] == "Q"


def test_errors_travel_between_processes() -> None:
    with pytest.raises(ClaimError) as caught:
        read("excess_loss = Q")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def either_claim_or_error(text: str) -> ParsedClaim | None:
    try:
        return read(text)
    except ClaimError:
        return None


PIECES = [
    *VARIABLES,
    *QUANTITIES,
    *"0123456789.()+-*/^ =<",
    "**",
    "<=",
    "sqrt(",
    "Theta(",
    "O(",
    "Omega(",
    "η",
    "1e9",
    "lambda",
]


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)))
def test_any_text_is_a_claim_or_one_error(text: str) -> None:
    either_claim_or_error(text)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_law_is_read_or_one_error(law: str) -> None:
    claim = either_claim_or_error(f"excess_loss = {law}")
    if claim is not None:
        found = claim(dict.fromkeys(VARIABLES, 2.0))
        assert found.shape == ()
        assert claim.exponents is None or all(abs(power) <= 64 for power in claim.exponents.values())


LAWS = st.recursive(
    st.sampled_from([*VARIABLES, "2", "0.5"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("*/"), inner).map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
        st.tuples(inner, st.sampled_from(["2", "-1", "(1/2)"])).map("**".join).map("({})".format),
        inner.map("sqrt({})".format),
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=100)
@given(LAWS)
def test_exponents_are_those_of_the_value(law: str) -> None:
    """Doubling one variable multiplies a monomial by 2 to its exponent."""
    claim = either_claim_or_error(f"excess_loss = {law}")
    if claim is None or claim.exponents is None:
        return
    ones = dict.fromkeys(VARIABLES, 1.0)
    for name in VARIABLES:
        factor = claim({**ones, name: 2.0}) / claim(ones)
        assert np.log2(factor) == pytest.approx(float(claim.exponents.get(name, 0)), abs=1e-12)
