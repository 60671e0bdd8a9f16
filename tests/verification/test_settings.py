"""What a sweep is made of: ranges as given, defaults for what a law needs beside them, and the logit scale."""

from typing import Any

import numpy as np
import pytest

from docendo.theory.grammar import ParsedClaim, parse_claim
from docendo.verification import Settings, settings_for
from docendo.verification.settings import DEFAULT_OVER

LAW = "q = Theta(K * D**2 / (eta * T))"


def law(text: str = LAW) -> ParsedClaim:
    return parse_claim(text, ["q"])


def test_defaults() -> None:
    settings = settings_for(None, None, [law()])
    assert settings.over == DEFAULT_OVER
    assert not settings.chosen
    assert settings.window is None
    assert settings.logit_scale({"D": 16}) == 0.25


@pytest.mark.parametrize(
    ("over", "swept"),
    [
        (["D=8..64", "K=1,2", "eta=0.1,0.2"], {"D", "K", "eta"}),
        (["D=8..64"], {"D", "K", "eta"}),
        (["V=1,2"], {"V", "D", "K", "eta"}),
        ([], {"D", "K", "eta"}),
        ("D=8..64 V=1,2", {"D", "V", "K", "eta"}),
        ({"D": np.array([8, 16, 32]), "M": (1, 2)}, {"D", "M", "K", "eta"}),
    ],
)
def test_what_the_law_names_is_swept(over: Any, swept: set[str]) -> None:
    settings = settings_for(over, None, [law()])
    assert set(settings.over) == swept
    assert settings.chosen


@pytest.mark.parametrize(
    ("text", "swept"),
    [
        ("q = Theta(1 / T)", {"V", "eta"}),
        ("q = Theta(D * tau)", {"V", "D", "tau"}),
        ("q = D * tau * kappa", {"V", "D", "kappa"}),
        ("q <= 1", {"V"}),
        ("q = O(M)", {"V", "M"}),
        ("q = O(K)", {"V", "K", "D"}),
        ("q = O(d)", {"V", "d"}),
    ],
)
def test_what_else_is_swept(text: str, swept: set[str]) -> None:
    """η wherever T is, D wherever K is; τ has a law of its own, so only powers of it are tried."""
    assert set(settings_for(["V=1,2"], None, [law(text)]).over) == swept


def test_ranges() -> None:
    settings = settings_for(["D=8..64", "T=1e3,1e9"], "D**(-3/2)", [law()])
    assert settings.values("D") == (8, 16, 32, 64)
    assert settings.values("V") == (2.0,)
    assert settings.window == (1e3, 1e9)
    assert settings.logit_scale({"D": 16}) == 1 / 64
    assert settings.definitions()["over"]["T"] == [1e3, 1e9]
    assert settings.definitions()["logit_scale"] == "D**(-3/2)"


def test_a_swept_scale_is_not_a_law() -> None:
    settings = settings_for(["D=8..64", "tau=0.5,1"], None, [law("q = Theta(D)")])
    assert settings.definitions()["logit_scale"] == "swept"


def test_the_scale_may_use_k_and_v() -> None:
    settings = settings_for(["D=8..64"], "1 / (K * V * sqrt(D))", [law()])
    assert settings.logit_scale({"D": 16, "K": 2, "V": 8.0}) == 1 / 64


@pytest.mark.parametrize(
    ("over", "scale", "message"),
    [
        (["D=8"], None, "D needs at least two values"),
        (["D="], None, "a number is missing here, got nothing"),
        ({"D": []}, None, "a number is missing here, got nothing"),
        ({"D": 8}, None, "D needs at least two values"),
        (["Dim=8,16"], None, r"unknown variable 'Dim'\. Did you mean"),
        (["D=8,16"], None, r"at least 3 values of D are needed, got 8, 16\. For example D=8\.\.1024"),
        (["D=2,4,8", "K=8,16"], None, r"rates are judged where D > K .*got D up to 8 and K from 8"),
        (None, "-D", r"logit_scale must be positive, but -D is -8 at D = 8, K = 1\. For example '1 / sqrt\(D\)'"),
        (None, "D - 64", "logit_scale must be positive, but D - 64 is -56 at D = 8"),
        (None, "1 / (D - 16)", "logit_scale must be positive"),
        (None, "eta / D", "logit_scale is a law in D, K and V, but eta / D has eta"),
        (None, "1 / sqroot(D)", "sqroot is no function here"),
    ],
)
def test_bad_input(over: Any, scale: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        settings_for(over, scale, [law()])


def test_two_values_of_d_do_for_numbers() -> None:
    assert settings_for(["D=8,16"], None, [law("q = K * D / T")]).values("D") == (8, 16)


def test_values_of_what_is_not_swept() -> None:
    assert Settings({"D": (8, 16)}).values("kappa") == (1.0,)
