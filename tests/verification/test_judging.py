"""Claims and cards against runs, at small sizes: what is confirmed, what is refuted, and what is stored."""

import json
from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
import pytest

import docendo as dc
from docendo.files import to_json
from docendo.theory.curve import Curve
from docendo.verification import record, settings_for
from docendo.verification.quantities import FULL, REDUCED
from docendo.verification.runs import Runs

SMALL = ["D=4,6,8", "K=1,2"]
OVER = ["D=8..64", "K=1,2", "V=2,8", "eta=0.1,0.2"]


@pytest.fixture(scope="module")
def runs() -> Runs:
    return Runs(settings_for([*OVER, "M=1,2", "kappa=0,1"], None), lambda: None)


@pytest.fixture(scope="module")
def theorem() -> dc.claims.Verdict:
    return dc.verify("theorem-3.1", over=OVER)


def test_theorem_3_1(theorem: dc.claims.Verdict) -> None:
    """Powers of T, K, ‖V*‖ and η as claimed, those of D two halves to two below."""
    assert theorem.verdict == "fails"
    for part, power in zip(theorem.parts, (1.5, 1, 2), strict=True):
        outcomes = {name: each.agrees for name, each in part.exponents.items()}
        assert outcomes == {"T": True, "D": False, "K": True, "V": True, "eta": True}
        assert power in part.exponents["D"].measured
        assert part.exponents["eta"].measured.width < 0.02
        assert part.ratio is not None
        assert part.ratio.high > 5 * part.ratio.low


def test_theorem_3_1_with_smaller_logits() -> None:
    again = dc.verify(dc.claims.theorem_3_1(), over=OVER, logit_scale="D**(-3/2)")
    assert again.verdict == "holds"
    assert again.definitions["logit_scale"] == "D**(-3/2)"
    for part in again.parts:
        assert part.exponents["eta"].measured.width < 0.02


def test_a_card_s_record(theorem: dc.claims.Verdict) -> None:
    stored = json.loads(to_json(record(theorem)))
    assert [claim["name"] for claim in stored["claims"]] == [
        f"theorem-3.1: {n}" for n in ("scores", "values", "excess loss")
    ]
    keys = {"name", "quantity", "sense", "law", "exponents", "ratio", "hypotheses", "verdict", "label"}
    for claim in stored["claims"]:
        assert keys <= set(claim)
        assert {"claimed", "measured", "low", "high"} <= set(claim["exponents"]["D"])
        assert set(claim["ratio"]) == {"min", "max", "drift"}
        assert all(set(each) == {"name", "holds", "detail"} for each in claim["hypotheses"])
    assert stored["definitions"]["over"] == {"D": [8, 16, 32, 64], "K": [1, 2], "V": [2, 8], "eta": [0.1, 0.2]}
    assert stored["versions"]["numpy"] == version("numpy")
    (card,) = stored["cards"]
    assert card["verdict"] == "fails"
    assert len(card["remarks"]) == 2


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        ("excess_loss = K * (D - K) / (4 * tau**2 * eta * T)", "holds"),
        ("excess_loss = K * (D - K) / (4.1 * tau**2 * eta * T)", "fails"),
        ("excess_loss <= 0.51 * V**2 * D / K", "holds"),
        ("excess_loss <= 0.49 * V**2 * D / K", "fails"),
        ("leakage = O(1 / sqrt(T))", "undecided"),
        ("c1 = Theta(1)", "holds"),
    ],
)
def test_claims_of_one_s_own(claim: str, outcome: str) -> None:
    """The loss starts at (α+β)‖V*‖²D/(2K), here α + β = 1, so bounds are tried from the start on."""
    found = dc.verify(claim, over=OVER)
    assert found.label == "measured"
    if claim.startswith("leakage"):
        # it falls like 1/(‖V*‖ √(ηT)), and grows with D more slowly than any power that the claim allows
        assert found.exponents["V"].measured.value == pytest.approx(-1, abs=1e-3)
    else:
        assert found.verdict == outcome


def test_channels_and_features_do_not_matter() -> None:
    found = dc.verify("value_error = Theta(sqrt(1 / (eta * T)))", over=["M=1,2", "d=2,3", "eta=0.1,0.2"])
    assert found.verdict == "holds"
    for name in ("M", "d"):
        assert found.exponents[name].measured.value == pytest.approx(0, abs=1e-4)


def test_the_certificate_and_the_structure() -> None:
    found = dc.verify("theorem-3.2", over=SMALL)
    assert found.parts[1].verdict == "holds"
    share = found.parts[1].ratio
    assert share is not None
    assert share.low == pytest.approx(1, abs=1e-9)  # the identity
    assert dc.verify("decomposition", over=SMALL).verdict == "holds"


def test_a_perturbed_start_leaves_the_structure() -> None:
    """The card's bound on the distance from the line through V* is one that other starts break."""
    teacher = dc.teachers.random(tokens=4, sparsity=2, features=3, channels=2, activation=dc.identity, seed=0)
    start = dc.PositionOnly(1e-6 * np.eye(2, 3), np.zeros((4, 4)), activation=dc.identity)
    run = dc.train(teacher, start, dc.GradientDescent(0.05), steps=10)
    bound = dc.claims.decomposition().claims[0]
    curve = Curve({"D": 4.0}, np.asarray(run.data.step, float), np.asarray(run.data.value_off_line))
    assert dc.claims.judge(bound, [[curve]]).verdict == "fails"


def test_bad_claims() -> None:
    with pytest.raises(ValueError, match=r"unknown quantity exces_loss\. Did you mean excess_loss"):
        dc.verify("exces_loss = Theta(1 / T)")
    with pytest.raises(ValueError, match=r"unknown variable Q\."):
        dc.verify("excess_loss = Theta(Q / T)")
    with pytest.raises(ValueError, match=r"do not become asymptotic by T = 1e\+03"):
        dc.verify("excess_loss = Theta(1 / T)", over=[*OVER, "T=10,1000"])
    with pytest.raises(ValueError, match="must be positive to have a power, but it is 0"):
        dc.verify("logit_spread_inside = Theta(1)", over=["D=4,6,8"])


@pytest.mark.parametrize("kind", ["flows", "rates", "shapes"])
def test_everything_claimable_is_recorded(kind: str, runs: Runs) -> None:
    for recorded in getattr(runs, kind):
        for name in REDUCED:
            curve = recorded.curve(name, early=True)
            assert curve.steps[0] <= 1
            assert curve.values.shape == curve.steps.shape


def test_what_only_full_descent_shows_is_recorded() -> None:
    small = Runs(settings_for(["D=4,5,6"], None), lambda: None)
    for recorded in small.structure:
        assert all(np.isfinite(recorded.curve(name, early=True).values).all() for name in FULL)


def test_limits_begin_at_the_onset(runs: Runs) -> None:
    for kind in ("flows", "rates"):
        for recorded in getattr(runs, kind):
            assert recorded.curve("excess_loss", early=False).steps[0] >= recorded.onset * (1 - 1e-12)


def test_flows_and_descents_agree(runs: Runs) -> None:
    """ηT × excess loss of both tends to one number at the same point; descent is within 1e-4 of it by its end."""
    descent = runs.rates[0]
    same = ("D", "K", "V", "kappa")
    (flow,) = [each for each in runs.flows if all(each.variables[name] == descent.variables[name] for name in same)]
    ends = [float((each.values["excess_loss"] * each.steps * each.variables["eta"])[-1]) for each in (flow, descent)]
    assert ends[1] == pytest.approx(ends[0], rel=1e-3)
    D, K = descent.variables["D"], descent.variables["K"]
    assert ends[0] == pytest.approx(K * (D - K) * D / 4, rel=1e-4)


def test_derived_quantities(runs: Runs) -> None:
    """From the definitions: |C1 − 1|, and e^(2 gap), beside what the run records."""
    descent = runs.rates[0]
    np.testing.assert_allclose(
        descent.values["c1_error"], descent.values["value_error"] / descent.variables["V"], rtol=1e-6
    )
    np.testing.assert_allclose(descent.values["squared_odds"], np.exp(2 * descent.values["gap"]))


def test_encodings_of_another_norm_act_like_a_logit_scale() -> None:
    """ℓ = τ PᵀWP moves by −η τ² PᵀP G PᵀP: with PᵀP = c² this is τ c² in place of τ."""
    teacher = dc.teachers.random(tokens=6, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
    norm, scale, descent = 6**-0.5, 6**-0.5, dc.GradientDescent(0.1)
    encodings = norm * np.asarray(dc.positions.orthogonal(6, seed=1))
    scaled = dc.train(teacher, dc.PositionOnly.zeros(teacher, encodings), descent, steps=1000)
    plain = dc.train(teacher, dc.PositionOnly.zeros(teacher, logit_scale=scale * norm**2), descent, steps=1000)
    np.testing.assert_allclose(scaled.data.excess_loss, plain.data.excess_loss, rtol=1e-9)


def test_definitions_name_what_was_run() -> None:
    structure = dc.verify("decomposition", over=["D=3,4,5"])
    assert structure.definitions["over"] == {"D": [3, 4, 5]}
    assert structure.definitions["fixed"] == "K=1 V=2 kappa=1"
    both = dc.verify("theorem-3.2", over=SMALL)
    assert both.definitions["full descents"] == {"D": [4, 6, 8], "K": [1, 2]}


def test_progress_counts_every_run(capsys: pytest.CaptureFixture[str]) -> None:
    """One for the flows, two descents at two learning rates, and two at two numbers of channels."""
    dc.verify("excess_loss = Theta(1 / (eta * T))", over=["M=1,2", "eta=0.1,0.2"], progress=True)
    assert "verify: 5 of 5 runs (100 %)" in capsys.readouterr().err


def test_ctrl_c_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was interrupted is no run to judge."""

    def interrupted(*_: object, **__: object) -> object:
        return SimpleNamespace(status="interrupted")

    monkeypatch.setattr("docendo.verification.runs.train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        dc.verify("decomposition", over=["D=3,4,5"])


def test_a_window_says_which_steps_count() -> None:
    """ηT L goes beyond its limit before it settles: the bound that fails over all T holds from T = 10⁴ on."""
    claim = "excess_loss <= 1.3 * K * (D - K) / (4 * tau**2 * eta * T)"
    over = ["D=8,16", "K=1,2", "eta=0.1,0.2"]
    assert dc.verify(claim, over=over).verdict == "fails"
    assert dc.verify(claim, over=[*over, "T=1e4,1e6"]).verdict == "holds"
