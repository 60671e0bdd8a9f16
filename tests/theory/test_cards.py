"""The cards: what each claims, assumes and remarks, on curves made by formulas."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import docendo as dc
from docendo.theory import claims
from docendo.theory.card import judge_card
from docendo.theory.claims import CARDS
from docendo.theory.curve import Curve, Families
from tests.theory.synthetic import family

D = (8, 16, 32, 64, 128, 256)
OVER: dict[str, Any] = {"D": D, "K": (1, 2), "V": (2.0, 8.0), "kappa": (1.0,), "eta": (0.1,)}
RATES: dict[str, Any] = {"D": (8,), "K": (1,), "V": (2.0,), "kappa": (1.0,), "eta": (0.1, 0.2)}


def with_scale(curves: list[Curve], power: float) -> list[Curve]:
    return [replace(curve, variables={**curve.variables, "tau": curve.variables["D"] ** power}) for curve in curves]


def with_full_supports(curve: Curve) -> Curve:
    return replace(curve, variables={**curve.variables, "K": curve.variables["D"]})


@cache
def limits(power: float) -> dict[str, Families]:
    """The 1/T law for equal K and white inputs, at τ = D^power."""

    def excess(T: Any, D: float, K: float, V: float, kappa: float, eta: float) -> Any:
        return K * (D - K) / (4 * D ** (2 * power)) / (eta * T)

    def values(T: Any, D: float, K: float, V: float, kappa: float, eta: float) -> Any:
        return (D - K) * np.sqrt(K / (1 + kappa**2) / D / (eta * T)) / D**power

    def scores(T: Any, D: float, K: float, V: float, kappa: float, eta: float) -> Any:
        return D * np.sqrt((D - K) / (1 + kappa**2) / D / (eta * T)) / (V * D**power)

    made = {"excess_loss": excess, "value_error": values, "score_error": scores}
    return {
        name: [with_scale(family(over, each, "reduced descent"), power) for over in (OVER, RATES)]
        for name, each in made.items()
    }


def test_theorem_3_1_under_its_own_definitions() -> None:
    found = judge_card(claims.theorem_3_1(), limits(-0.5), {"logit_scale": "1 / sqrt(D)"})
    assert found.verdict == "fails"
    powers = {part.quantity: part.exponents["D"] for part in found.parts}
    assert {name: each.claimed for name, each in powers.items()} == {
        "score_error": 2.5,
        "value_error": 2,
        "excess_loss": 4,
    }
    for name, power in {"score_error": 1.5, "value_error": 1, "excess_loss": 2}.items():
        assert power in powers[name].measured
    agreed = {(part.quantity, name) for part in found.parts for name, each in part.exponents.items() if each.agrees}
    assert agreed == {(part.quantity, name) for part in found.parts for name in ("T", "K", "V", "eta")}
    assert [part.name for part in found.parts] == [
        f"theorem-3.1: {name}" for name in ("scores", "values", "excess loss")
    ]
    assert all(part.definitions == {"logit_scale": "1 / sqrt(D)"} for part in found.parts)


def test_theorem_3_1_with_smaller_logits() -> None:
    found = judge_card(claims.theorem_3_1(), limits(-1.5))
    assert found.verdict == "holds"
    assert found.remarks == ["Judged with a logit scale that is 0.000244 at D = 256, where the paper has 1/√D."]


def test_theorem_3_1_by_hand() -> None:
    """At D = 256, K = 1, ‖V*‖ = 2: D²‖V*‖² = 262,144; (α+β)‖V*‖²D/(2K) = 512; their quotient 1/512."""
    first, second = judge_card(claims.theorem_3_1(), limits(-0.5)).remarks
    assert "D²‖V*‖², here 2.62e+05 (D = 256, K = 1, ‖V*‖ = 2)" in first
    assert "(α+β)‖V*‖²D/(2K) = 512 and only goes down, so the constant is below 0.002" in first
    assert "(D − K)/K = 255" in second


def test_theorem_3_1_says_what_its_orders_hide() -> None:
    assumed = judge_card(claims.theorem_3_1(), limits(-0.5)).hypotheses
    assert [each.holds for each in assumed] == [True, None, None, None]
    # η M D^(5/2) from 0.1 · 8^2.5 to 0.1 · 256^2.5
    assert "η M D^(5/2) is 18.1 to 1.05e+05 in the descents" in assumed[2].detail


def test_the_law_card_is_the_law() -> None:
    found = judge_card(claims.universal_law_card(), limits(-0.7))
    assert found.verdict == "holds"
    assert found.label == "law"


def test_the_law_card_does_not_apply_where_supports_are_full() -> None:
    closed = {
        name: [[with_full_supports(curve) for curve in each] for each in families]
        for name, families in limits(-0.5).items()
    }
    found = judge_card(claims.universal_law_card(), closed)
    assert found.verdict == "not applicable"
    assert "78 of 78 curves have D = K" in found.parts[0].message


def test_scalar_limits() -> None:
    """e^(2g) = 2 a t with a = τ²‖V*‖²(α+β) D/K³: the power of D is 0 for τ² = 1/D, and −2 for τ² = D^(−3)."""

    def odds(power: float) -> Any:
        return lambda T, D, K, V, kappa, eta: 2 * D ** (2 * power) * V**2 * D / K**3 * eta * T

    def shift(power: float) -> Any:
        return lambda T, D, K, V, kappa, eta: (D - K) * np.sqrt(K / 2 / D / (eta * T)) / D**power / V

    for power, outcome in ((-0.5, "fails"), (-1.5, "holds")):
        quantities = {"c1_error": shift(power), "squared_odds": odds(power)}
        families = {
            name: [with_scale(family(over, each), power) for over in (OVER, RATES)] for name, each in quantities.items()
        }
        found = judge_card(claims.scalar_limits(), families)
        assert found.verdict == outcome
        assert found.parts[1].exponents["D"].measured.value == pytest.approx(1 + 2 * power, abs=1e-6)


def test_decomposition_can_fail() -> None:
    names = [claim.statement.quantity for claim in claims.decomposition().claims]
    small = {name: [family(OVER, lambda T, **_: 1e-16 * np.sqrt(T))] for name in names}
    assert judge_card(claims.decomposition(), small).verdict == "holds"
    large = {name: [family(OVER, lambda T, **_: 0 * T + 2e-10)] for name in names}
    assert judge_card(claims.decomposition(), large).verdict == "fails"


@pytest.mark.parametrize("name", CARDS)
def test_cards_say_where_their_claims_are_made(name: str) -> None:
    card = CARDS[name]()
    assert card.name == name
    for claim in card.claims:
        source = "arXiv 2603.22801" if claim.label == "theorem" else "docs, "
        assert claim.reference.startswith(source)


@pytest.mark.parametrize(
    ("tokens", "size", "norm", "scale", "slope"), [(8, 1, 2.0, 8**-0.5, 1.0), (12, 3, 5.0, 0.7, 0.1)]
)
def test_the_law_card_says_what_the_law_computes(
    tokens: int, size: int, norm: float, scale: float, slope: float
) -> None:
    law = dc.universal_law(dc.teachers.symmetric(tokens, size, norm, dc.leaky_relu(slope)), logit_scale=scale)
    point = {"D": tokens, "K": size, "V": norm, "tau": scale, "kappa": slope, "eta": 1.0, "T": 1.0}
    stated = {each.statement.quantity: float(each.statement(point)) for each in claims.universal_law_card().claims}
    assert stated == pytest.approx(
        {"excess_loss": law.excess_loss, "value_error": law.value_error, "score_error": law.score_error}, rel=1e-12
    )
