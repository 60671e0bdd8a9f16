"""What can be drawn of a description: points, colours, ranges, notes."""

import numpy as np
import pytest

from docendo.figures import Curve, Curves, Figure, Heatmap
from docendo.plots import ReadyCurves, ReadyHeatmap, prepare
from docendo.plots.style import REFERENCE, family_colours


def curves(*given: Curve, x_log: bool = True, y_log: bool = True, **more: tuple[float, float]) -> ReadyCurves:
    panel = Curves("title", "x", "y", given, x_log=x_log, y_log=y_log, **more)
    (ready,) = prepare(Figure("f", "f", "f", (panel,)))
    assert isinstance(ready, ReadyCurves)
    return ready


def heatmap(values: list[list[float | None]], **more: float | bool) -> ReadyHeatmap:
    (ready,) = prepare(Figure("f", "f", "f", (Heatmap("title", "x", "y", values, "value", **more),)))  # type: ignore[arg-type]
    assert isinstance(ready, ReadyHeatmap)
    return ready


def test_zero_and_below_leave_a_logarithmic_axis_with_a_note() -> None:
    ready = curves(Curve("noisy", [0, 1, 2, 3, 4], [5.0, 4.0, -3.0, 0.0, 1.0]))
    assert ready.curves[0].x.tolist() == [1, 4]
    assert ready.curves[0].y.tolist() == [4, 1]
    assert ready.notes == ["Not drawn, zero or negative on a logarithmic axis: 3 of 5 points of “noisy”."]


def test_a_linear_axis_keeps_everything() -> None:
    ready = curves(Curve("c", [-1, 0, 1], [0.0, -3.0, 2.0]), x_log=False, y_log=False)
    assert ready.curves[0].y.tolist() == [0, -3, 2]
    assert ready.notes == []
    assert ready.y_range[0] < -3
    assert ready.y_range[1] > 2


@pytest.mark.parametrize("missing", [None, float("nan"), float("inf")])
def test_what_is_not_finite_leaves_a_gap_with_a_note(missing: float | None) -> None:
    ready = curves(Curve("c", [1, 2, 3], [1.0, missing, 2.0]))
    np.testing.assert_array_equal(ready.curves[0].y, [1, np.nan, 2])
    assert ready.notes == ["Not drawn, not a finite number: 1 point of “c”."]
    assert ready.y_range[1] < 3


def test_notes_name_two_curves_and_count_more() -> None:
    steps = [1, 2]
    two = curves(Curve("a", steps, [0, 1]), Curve("b", steps, [0, 0]), Curve("c", steps, [1, 1]))
    assert two.notes == ["Not drawn, zero or negative on a logarithmic axis: 1 point of “a”, 2 of 2 points of “b”."]
    many = curves(*(Curve(label, steps, [-1, None]) for label in "abcd"))
    assert many.notes == [
        "Not drawn, zero or negative on a logarithmic axis: 4 of 8 points, in 4 curves.",
        "Not drawn, not a finite number: 4 of 8 points, in 4 curves.",
    ]


def test_groups_share_a_colour_across_panels_and_others_have_their_own() -> None:
    one = Curves("1", "x", "y", (Curve("a", [1], [1], group=7), Curve("b", [1], [1]), Curve("c", [1], [1], group=3)))
    two = Curves("2", "x", "y", (Curve("guide", [1], [1], "reference"), Curve("d", [1], [1], "points", group=7)))
    first, second = prepare(Figure("f", "f", "f", (one, two)))
    assert isinstance(first, ReadyCurves)
    assert isinstance(second, ReadyCurves)
    colours = family_colours(3)
    assert [curve.colour for curve in first.curves] == [colours[1], colours[2], colours[0]]
    assert [curve.colour for curve in second.curves] == [REFERENCE, colours[1]]


def test_guides_do_not_stretch_the_axes() -> None:
    data, guide = Curve("data", [1, 10], [1, 0.1]), Curve("guide", [1e-5, 1e9], [1e5, 1e-9], "reference")
    assert curves(data, guide).y_range == curves(data).y_range
    assert curves(data, guide).x_range == curves(data).x_range
    assert curves(guide).y_range[1] > 1e5


def test_a_band_that_reaches_zero_adds_one_decade_and_is_cut_at_the_axis() -> None:
    ready = curves(Curve("c", [1, 2], [1.0, 0.5], low=[0.5, -0.1], high=[2.0, 1.0]))
    low, high = ready.y_range
    assert 0.02 < low < 0.05 < 2 < high < 4
    assert ready.curves[0].low is not None
    assert ready.curves[0].low.tolist() == [0.5, low]


def test_a_given_range_is_kept() -> None:
    assert curves(Curve("c", [1, 2], [1, 2]), y_log=False, y_range=(-5, 5)).y_range == (-5, 5)


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("values", [[], [3.0], [1.0, 1.0 + 1e-15], [0.0, 0.0], [-2.0], [1e-320, 1e308]])
def test_every_range_can_be_drawn(values: list[float], log: bool) -> None:
    ready = curves(Curve("c", list(range(1, 1 + len(values))), values), y_log=log)
    for low, high in (ready.x_range, ready.y_range):
        assert np.isfinite([low, high]).all()
        assert low < high
        assert low > 0 or not log or (low, high) == ready.x_range


def test_a_constant_is_not_blown_up() -> None:
    low, high = curves(Curve("cosine", [1, 2], [1.0, 1 - 1e-12]), y_log=False).y_range
    assert high - low > 0.1


def test_missing_entries_are_counted_and_leave_the_scale_alone() -> None:
    ready = heatmap([[0.0, None], [float("nan"), 2.0]])
    assert (ready.low, ready.high) == (0, 2)
    assert ready.notes == ["2 of 4 entries missing, drawn in grey."]


def test_signed_weights_have_zero_in_the_middle() -> None:
    ready = heatmap([[-1.0, 3.0]], diverging=True)
    assert (ready.low, ready.high) == (-3, 3)
    assert ready.colour_map != heatmap([[-1.0, 3.0]]).colour_map


def test_a_given_scale_is_kept() -> None:
    ready = heatmap([[0.1, 0.2]], low=0.0, high=0.5)
    assert (ready.low, ready.high) == (0, 0.5)


@pytest.mark.parametrize("values", [[[0.0]], [[2.0, 2.0]], [[-2.0]], [[None]]])
@pytest.mark.parametrize("diverging", [True, False])
def test_every_scale_can_be_drawn(values: list[list[float | None]], diverging: bool) -> None:
    ready = heatmap(values, diverging=diverging)
    assert ready.low < ready.high
    assert np.isfinite([ready.low, ready.high]).all()
