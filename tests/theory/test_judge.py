"""Claims held against formulas whose powers are known: each sense, each outcome."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from docendo.theory.claims import Claim, Hypothesis, Verdict, judge
from docendo.theory.curve import Curve, Families
from docendo.theory.grammar import parse_claim
from tests.theory.synthetic import STEPS, family

D = (8, 16, 32, 64, 128, 256)
K = (1, 2, 4)


def law(T: Any, D: float, K: float = 1, V: float = 1) -> np.ndarray:
    """K D (D − K)/4 V^(−1/2) over T, approached like 1/T: powers 2 in D and 1 in K as D → ∞."""
    return K * D * (D - K) / 4 * V**-0.5 / T * (1 + 30 / T)


FAMILIES: Families = [family({"D": D, "K": K, "V": (1.0, 16.0)}, law)]


def judged(text: str, families: Families = FAMILIES, **more: Any) -> Verdict:
    name = text.split()[0]
    return judge(Claim("claim", parse_claim(text, [name]), "measured", "a test"), families, **more)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("q = Theta(K * D**2 / (sqrt(V) * T))", "holds"),
        ("q = Theta(K * D**3 / (sqrt(V) * T))", "fails"),
        ("q = O(K * D**3 / (sqrt(V) * T))", "holds"),
        ("q = Omega(K * D**3 / (sqrt(V) * T))", "fails"),
        ("q = O(K * D / (sqrt(V) * T))", "fails"),
        ("q = Omega(K * D / (sqrt(V) * T))", "holds"),
        ("q = Theta(K * D**2 / (sqrt(V) * sqrt(T)))", "fails"),
        ("q = O(K * D**2 / (sqrt(V) * sqrt(T)))", "holds"),
        ("q = Theta(D**2 / (sqrt(V) * T))", "fails"),
        ("q = Theta(K * D**2 / T)", "fails"),
        ("q = O(K * D**2 / T)", "holds"),
    ],
)
def test_growth(text: str, outcome: str) -> None:
    assert judged(text).verdict == outcome


def test_exponents_and_sandwich() -> None:
    found = judged("q = Theta(K * D**3 / (sqrt(V) * T))")
    assert set(found.exponents) == {"D", "K", "T", "V"}
    measured = {name: each.measured for name, each in found.exponents.items()}
    for name, power in {"T": -1, "D": 2, "K": 1, "V": -0.5}.items():
        assert power in measured[name]
        assert measured[name].width < 0.1
    assert [found.exponents[name].agrees for name in "TDKV"] == [True, False, True, True]
    assert found.ratio is not None
    # (D − K)/(4 D²) at the ends of the sweep: D = 256, K = 1 … D = 8, K = 1
    assert found.ratio.low == pytest.approx((256 - 4) / 4 / 256**2, rel=1e-3)
    assert found.ratio.high == pytest.approx(7 / 4 / 64, rel=1e-3)
    assert -1 in found.ratio.drift["D"]
    assert found.message.startswith("D: claimed 3, measured 2.0")


def test_a_variable_that_the_law_leaves_out_must_not_matter() -> None:
    found = judged("q = Theta(K * D**2 / T)")
    assert found.exponents["V"].claimed == 0
    assert found.exponents["V"].agrees is False


def test_a_known_local_exponent_is_used() -> None:
    curves = [replace(curve, exponents=np.full(STEPS.shape, -2.0)) for curve in FAMILIES[0]]
    measured = judged("q = Theta(K * D**2 / (sqrt(V) * T))", [curves]).exponents["T"].measured
    assert measured.value == pytest.approx(-2, rel=1e-12)


def test_families_are_judged_apart() -> None:
    """Runs of another kind may have another constant; a variable's power is that of the family that sweeps it."""
    other = family(
        {"D": (8,), "K": (1,), "V": (1.0,), "eta": (0.1, 0.2, 0.4)}, lambda T, D, K, V, eta: 7 * law(T, D, K) / eta
    )
    first = [replace(curve, variables={**curve.variables, "eta": 1.0}) for curve in FAMILIES[0]]
    found = judged("q = Theta(K * D**2 / (sqrt(V) * eta * T))", [first, other])
    assert found.verdict == "holds"
    assert found.exponents["eta"].claimed == -1


def test_a_curve_before_its_onset_decides_nothing() -> None:
    early = [family({"D": D}, lambda T, D: D**2 / (T + 1e9 * D))]
    found = judged("q = Theta(D**2 / T)", early)
    assert found.verdict == "undecided"
    assert "not asymptotic" in found.message


def test_two_values_of_d_give_no_limit() -> None:
    found = judged("q = Theta(D**2 / T)", [family({"D": (8, 16)}, law)])
    assert found.exponents["D"].agrees is None
    assert found.verdict == "undecided"


def test_a_power_that_no_sweep_tries_is_not_confirmed() -> None:
    found = judged("q = Theta(D**2 * K / T)", [family({"D": D, "K": (1,)}, law)])
    assert found.verdict == "undecided"
    assert "K is not swept" in found.message
    assert judged("q = Theta(D**3 * K / T)", [family({"D": D, "K": (1,)}, law)]).verdict == "fails"


def test_a_logit_scale_that_follows_d_is_part_of_its_power() -> None:
    curves = [
        replace(curve, variables={**curve.variables, "tau": curve.variables["D"] ** -0.5}) for curve in FAMILIES[0]
    ]
    found = judged("q = Theta(K * D**2 / (sqrt(V) * T))", [curves])
    assert "tau" not in found.exponents
    assert found.verdict == "holds"


def test_a_logit_scale_swept_by_itself_has_a_power() -> None:
    curves = family({"D": D, "tau": (0.5, 1.0, 2.0)}, lambda T, D, tau: law(T, D) / (D * tau**2))
    found = judged("q = Theta(D / (tau**2 * T))", [curves])
    assert found.verdict == "holds"
    assert found.exponents["tau"].measured.value == pytest.approx(-2, abs=1e-6)


def test_slopes_only_tell_curves_apart() -> None:
    curves = family({"D": D, "kappa": (0.0, 0.1, 1.0)}, lambda T, D, kappa: (1 + kappa) * law(T, D))
    found = judged("q = Theta(D**2 / T)", [curves])
    assert found.verdict == "holds"
    assert "kappa" not in found.exponents


def test_growth_of_what_is_not_positive() -> None:
    with pytest.raises(
        ValueError, match=r"q must be positive to have a power, but it is 0 in a formula\. Claim a bound"
    ):
        judged("q = Theta(1 / T)", [family({"D": D}, lambda T, D: 0 * T)])


def test_growth_in_a_slope() -> None:
    with pytest.raises(ValueError, match="kappa does not grow, so Theta says nothing about it"):
        judged("q = Theta(D**2 / (kappa * T))")


def test_no_curves() -> None:
    with pytest.raises(ValueError, match="judged on at least one curve, got none"):
        judged("q = Theta(1 / T)", [[]])


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("q = K * D * (D - K) / (4 * sqrt(V) * T)", "holds"),
        ("q = 1.01 * K * D * (D - K) / (4 * sqrt(V) * T)", "fails"),
        ("q = K * D**2 / (4 * sqrt(V) * T)", "fails"),
    ],
)
def test_equalities_compare_limits(text: str, outcome: str) -> None:
    found = judged(text)
    assert found.verdict == outcome
    assert not found.exponents


def test_an_equality_not_reached_yet_is_undecided() -> None:
    early = [family({"D": D}, lambda T, D: D**2 / (T + 1e9))]
    found = judged("q = D**2 / T", early)
    assert found.verdict == "undecided"
    assert "6 of them not known closely enough" in found.message


def test_bounds_hold_at_every_point() -> None:
    largest = 1 + 30 / STEPS[0]
    assert judged(f"q <= {largest * 1.001} * K * D * (D - K) / (4 * sqrt(V) * T)").verdict == "holds"
    found = judged(f"q <= {largest * 0.999} * K * D * (D - K) / (4 * sqrt(V) * T)")
    assert found.verdict == "fails"
    assert found.ratio is not None
    assert found.ratio.high == pytest.approx(1 / 0.999)


def test_bounds_need_no_positive_law() -> None:
    below = [family({"D": D}, lambda T, D: -D / T)]
    assert judged("q <= 0", below).verdict == "holds"
    assert judged("q <= 0 * D - 1", below).verdict == "fails"


def test_laws_that_are_no_numbers() -> None:
    with pytest.raises(ValueError, match=r"sqrt\(K - D\) is no finite number at D=8, K=1, V=1"):
        judged("q <= sqrt(K - D)")
    with pytest.raises(ValueError, match="0 somewhere, and = compares quotients"):
        judged("q = D - D")


def test_what_does_not_apply_is_not_judged() -> None:
    assumed = [Hypothesis("D > K", False, "3 of 4 curves have D = K"), Hypothesis("large", None, "no number")]
    found = judged("q = Theta(D**9)", hypotheses=assumed)
    assert found.verdict == "not applicable"
    assert found.message == "D > K does not hold: 3 of 4 curves have D = K"
    assert found.hypotheses == assumed


def test_hypotheses_that_cannot_be_checked_stand_in_no_way() -> None:
    found = judged("q = Theta(K * D**2 / (sqrt(V) * T))", hypotheses=[Hypothesis("large", None, "no number")])
    assert found.verdict == "holds"


def test_evidence() -> None:
    found = judged("q = Theta(K * D**2 / (sqrt(V) * T))")
    (evidence,) = found.evidence
    assert [len(each) for each in (evidence.curves, evidence.amplitudes, evidence.laws)] == [36, 36, 36]
    first: Curve = evidence.curves[0]
    assert evidence.amplitudes[0].value == pytest.approx(8 * 7 / 4, rel=1e-6)
    assert evidence.laws[0] == 64
    ratios = judged("q = K * D * (D - K) / (4 * sqrt(V) * T)").evidence[0].curves
    np.testing.assert_allclose(ratios[0].values, 1 + 30 / first.steps)
