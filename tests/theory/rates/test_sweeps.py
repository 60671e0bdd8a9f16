"""Exponents in swept variables, on formulas whose powers are known in the limit of large D."""

import numpy as np
import pytest

from docendo.theory import rates

D = 2.0 ** np.arange(3, 11)
K = np.array([1.0, 2.0, 4.0])
LAW = K[:, None] * D * (D - K[:, None]) / 4  # the limit of ηT × excess loss for equal K and τ = 1/√D


@pytest.mark.parametrize("row", [0, 1, 2])
def test_powers_of_d_are_limits(row: int) -> None:
    found = rates.power_in(D, LAW[row])
    assert 2 in found
    assert found.width < 0.01
    assert found.window == (8, 1024)


def test_powers_of_k_are_taken_at_large_d() -> None:
    """At D = 8 alone the local exponents in K are far from 1."""
    found = rates.power_in(K, LAW, asymptotic_in=D)
    assert 1 in found
    assert found.width < 2e-3
    assert 1 not in rates.power_in(K, LAW[:, :1], asymptotic_in=D[:1])


@pytest.mark.parametrize(
    ("values", "power"),
    [
        (D**1.5 * np.sqrt(1 - 1 / D), 1.5),
        (D * np.sqrt(D - 1), 1.5),
        (D**2 * np.log(D), 2.0),
        (D**-0.5 * (1 + D**-0.5), -0.5),
    ],
)
def test_other_powers_are_covered(values: np.ndarray, power: float) -> None:
    found = rates.power_in(D, values)
    assert power in found
    assert found.width < 0.15


def test_uneven_values_are_eliminated_exactly() -> None:
    values = np.array([8.0, 10.0, 50.0, 51.0, 400.0])
    assert rates.power_in(values, values**2 * np.exp(3 / values)).value == pytest.approx(2, abs=1e-9)


def test_exact_powers_are_tight() -> None:
    found = rates.power_in([0.01, 0.02, 0.1], [300.0, 150.0, 30.0])
    assert found.value == pytest.approx(-1, abs=1e-13)
    assert found.width < 1e-11
    assert not found.flag


def test_two_points_say_so() -> None:
    assert rates.power_in([0.01, 0.1], [100.0, 10.0]).flag == "two points: the mean exponent between them"
    assert rates.power_in([1, 2], [[3.0], [6.0]], asymptotic_in=[8]).flag.startswith("two points")
    assert not rates.power_in([1, 2], [[3.0, 4.0], [6.0, 8.0]], asymptotic_in=[8, 16]).flag


def test_errors_of_the_measurements_widen() -> None:
    """A relative error e moves a chord over log 2 by at most 2e / log 2, and eliminations more."""
    found = rates.power_in(D, D**2, relative_error=1e-3)
    assert found.width >= 2 * 2e-3 / np.log(2)
    assert rates.power_in(D, D**2 * (1 + 1e-3 * (-1.0) ** np.arange(8)), relative_error=1e-3).low < 2 < found.high


def test_what_is_no_power_is_wide() -> None:
    found = rates.power_in(K, np.exp(K)[:, None] * D, asymptotic_in=D)
    assert found.low < 1 / np.log(2) + 1e-6
    assert found.high > 2 / np.log(2) - 1e-6


def runs(*axes: np.ndarray) -> list[np.ndarray]:
    return [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]


def test_a_claim_that_holds_is_sandwiched() -> None:
    k, d, eta = runs(K, D, np.array([0.1, 0.2]))
    found = rates.sandwich(k * d * (d - k) / 4 / (k * d**2), {"K": k, "D": d, "eta": eta})
    assert found.low == pytest.approx((1 - 4 / 8) / 4)
    assert found.high == pytest.approx((1 - 1 / 1024) / 4)
    assert set(found.drift) == {"K", "D", "eta"}
    assert all(0 in estimate and estimate.width < 0.01 for estimate in found.drift.values())


def test_a_claim_that_fails_drifts() -> None:
    k, d = runs(K, D)
    found = rates.sandwich(k * d * (d - k) / 4 / (k * d**4), {"K": k, "D": d})
    assert -2 in found.drift["D"]
    assert 0 not in found.drift["D"]
    assert 0 in found.drift["K"]


def test_runs_need_no_full_grid() -> None:
    k, d = runs(np.array([1.0, 2.0, 4.0, 16.0]), D)
    kept = k < d
    found = rates.sandwich((d - k)[kept] / d[kept], {"K": k[kept], "D": d[kept]})
    assert 0 in found.drift["K"]
    assert 0 in found.drift["D"]


def test_a_variable_without_a_pair_has_no_drift() -> None:
    found = rates.sandwich([1.0, 2.0], {"K": [1.0, 2.0], "D": [8.0, 16.0]})
    assert found.drift == {}


@pytest.mark.parametrize(
    ("ratio", "variables", "message"),
    [
        ([1.0], {}, "needs the swept variables, got none"),
        ([1.0, 2.0], {"D": [8.0]}, "one number per run, got D of shape"),
        ([1.0, 0.0], {"D": [8.0, 16.0]}, r"ratio must be positive and finite, but ratio\[1\] = 0"),
        ([1.0, 2.0], {"D": [8.0, np.nan]}, r"D\[1\] = nan"),
        ([1.0, 2.0], {"D": [8.0, 8.0]}, "runs 0 and 1 share D=8"),
        ([[1.0]], {"D": [[8.0]]}, "one number per run"),
    ],
)
def test_bad_runs_are_refused(ratio: list[float], variables: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rates.sandwich(ratio, variables)


@pytest.mark.parametrize(
    ("variable", "measured", "options", "message"),
    [
        ([8.0], [1.0], {}, "at least 2 points are needed, got 1"),
        ([8.0, 4.0], [1.0, 1.0], {}, "variable must increase"),
        ([8.0, 16.0], [1.0, -1.0], {}, r"measured must be positive.*measured\[1\] = -1"),
        ([8.0, 16.0], [1.0, 1.0], {"asymptotic_in": [8.0]}, r"here \(2, 1\), got shape \(2,\)"),
        ([8.0, 16.0], [[1.0], [0.0]], {"asymptotic_in": [8.0]}, "measured must be positive"),
        ([8.0, 16.0], [1.0, 1.0], {"relative_error": -1.0}, "relative_error is a number of at least 0, got -1"),
    ],
)
def test_bad_sweeps_are_refused(
    variable: list[float], measured: list[float], options: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        rates.power_in(variable, measured, **options)
