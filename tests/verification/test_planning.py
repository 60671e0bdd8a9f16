"""Which runs a sweep needs, how long they go, and what is out of reach."""

import numpy as np
import pytest

from docendo.verification import Settings, planning

PLAIN = Settings({"D": (8, 16, 32), "K": (1, 2), "V": (2.0,)})
POINT = {"D": 8, "K": 1, "V": 2.0, "kappa": 1.0, "tau": 8**-0.5}


def test_grid_leaves_out_full_supports() -> None:
    points = planning.grid(Settings({"D": (2, 4, 8), "K": (1, 4)}), ("D", "K", "V", "kappa", "tau"))
    assert [(point["D"], point["K"]) for point in points] == [(2, 1), (4, 1), (8, 1), (8, 4)]
    assert [point["tau"] for point in points] == pytest.approx([point["D"] ** -0.5 for point in points])


def test_grid_of_a_swept_scale() -> None:
    points = planning.grid(Settings({"D": (4, 8), "tau": (0.5, 1.0)}), ("D", "K", "V", "kappa", "tau"))
    assert [(point["D"], point["tau"]) for point in points] == [(4, 0.5), (4, 1.0), (8, 0.5), (8, 1.0)]


def test_onset() -> None:
    """a = τ²‖V*‖²(α+β) D/K³ = 4 and e^g = 8 at t = 64/8; C1 takes 1/8 more."""
    assert planning.onset(POINT) == pytest.approx(8.125)
    assert planning.onset(POINT | {"kappa": 0.0}) == pytest.approx(16.25)


def test_largest_rate() -> None:
    """0.9 of the limit 2K/((α+β) D) = 1/4; and η τ²‖V*‖²(α+β)/K² ≤ 1/2, which decides for a large ‖V*‖."""
    assert planning.largest_rate(POINT) == pytest.approx(0.225)
    assert planning.largest_rate(POINT | {"V": 32.0}) == pytest.approx(0.5 / (32**2 / 8))


def test_base_point_comes_first_of_those_that_descent_follows() -> None:
    settings = Settings({"D": (8, 16, 32), "V": (2.0, 32.0), "K": (1, 2)})
    assert planning.base_point(settings, 0.2)["V"] == 2.0
    quick = planning.base_point(settings, 0.001)
    points = planning.grid(settings, ("D", "K", "V", "kappa", "tau"))
    assert planning.onset(quick) == min(planning.onset(point) for point in points)


def test_rates_that_no_point_allows() -> None:
    with pytest.raises(
        ValueError, match=r"descent at eta=0\.9 does not settle, .*At D=8, K=2, V=2 it takes eta up to 0\.45"
    ):
        planning.base_point(PLAIN, 0.9)


def test_flow_times() -> None:
    points = planning.grid(PLAIN, ("D", "K", "V", "kappa", "tau"))
    times = planning.flow_times(PLAIN, points)
    assert times.shape[0] == len(points) == 6
    onsets = np.array([planning.onset(point) for point in points])
    np.testing.assert_allclose(times[:, 0], onsets * 1e-6)
    np.testing.assert_allclose(times[:, -1], onsets * 1e10)


def test_flow_times_in_a_window() -> None:
    """T counts steps of the smallest η, here the fixed 0.1."""
    points = planning.grid(PLAIN, ("D", "K", "V", "kappa", "tau"))
    times = planning.flow_times(Settings(PLAIN.over, window=(1e2, 1e7)), points)
    np.testing.assert_allclose(times[:, [0, -1]], [[1e1, 1e6]] * 6)


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (
            (10, 1e4),
            r"5 of 6 runs do not become asymptotic by T = 1e\+04\. The slowest, D=32, K=2, V=2, needs T ≥ 2\.56e\+05",
        ),
        ((1e9, 1e10), r"6 of 6 runs do not become asymptotic by T = 1e\+10.*needs T ≥ 1e\+11"),
        ((10, 1e40), r"a flow reaches ηT = 1e\+30, but T up to 1e\+40 at eta=0\.1 is asked of it\. End T at 1e\+31"),
    ],
)
def test_windows_that_flows_cannot_fill(window: tuple[float, float], message: str) -> None:
    points = planning.grid(PLAIN, ("D", "K", "V", "kappa", "tau"))
    with pytest.raises(ValueError, match=message):
        planning.flow_times(Settings(PLAIN.over, window=window), points)


def test_descent_steps() -> None:
    first, last = planning.descent_steps(PLAIN, POINT, 0.1, 10**8, "descent")
    assert (first, last) == (81, 8_100_000)
    assert planning.descent_steps(PLAIN, POINT, 0.1, 10**6, "descent") == (81, 10**6)
    window = Settings(PLAIN.over, window=(1e3, 1e6))
    assert planning.descent_steps(window, POINT, 0.1, 10**8, "descent") == (1000, 10**6)


@pytest.mark.parametrize(
    ("window", "most", "message"),
    [
        (
            None,
            10**4,
            r"full descent at eta=0\.1 goes to T = 10000, but 8\.1e\+04 steps are asked of it at D=8, K=1, V=2",
        ),
        ((10, 1000), 10**8, r"no descent at eta=0\.1 becomes asymptotic by T = 1000: .* it needs T ≥ 8\.1e\+03"),
        ((10, 1e9), 10**8, r"goes to T = 1e\+08, but 1e\+09 steps are asked of it"),
    ],
)
def test_steps_out_of_reach(window: tuple[float, float] | None, most: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        planning.descent_steps(Settings(PLAIN.over, window=window), POINT, 0.1, most, "full descent")


def test_full_descent_takes_small_points() -> None:
    settings = Settings({"D": (8, 16, 1024), "K": (1, 2), "V": (2.0, 8.0)}, chosen=True)
    point = planning.full_point(settings)
    assert point["D"] == 8
    assert point["eta"] == planning.largest_rate(point) / 2
    structure = planning.structure_points(settings)
    assert [(each["D"], each["K"], each["V"]) for each in structure] == [(8, 1, 2), (8, 2, 2), (16, 1, 2), (16, 2, 2)]
    assert all(each["eta"] <= min(0.1, planning.largest_rate(each)) for each in structure)


def test_counts() -> None:
    settings = Settings({"D": (8, 16), "eta": (0.1, 0.2), "M": (1, 2), "d": (2, 3, 4)}, chosen=True)
    counts = {kind: planning.count_runs(settings, kind) for kind in ("flows", "rates", "shapes", "structure")}
    assert counts == {"flows": 1, "rates": 2, "shapes": 6, "structure": 12}


def test_structure_where_nothing_was_chosen() -> None:
    points = planning.structure_points(Settings({"D": (8, 1024)}))
    assert {(point["D"], point["kappa"]) for point in points} == {(D, kappa) for D in (6, 10) for kappa in (0, 0.1, 1)}


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ({"D": (64, 128)}, "full descent is run where K < D ≤ 32, which no point of the sweep is"),
        ({"D": (8, 16, 32), "M": tuple(range(1, 31))}, "at up to 64 points of a sweep, got 90 with D ≤ 32"),
    ],
)
def test_sweeps_that_full_descent_cannot_make(over: dict[str, tuple[float, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        planning.structure_points(Settings(over, chosen=True))
