"""Drawings: everything within the sheet, nothing over anything else, every axis labelled, no global state."""

import io
import itertools
import sys

import matplotlib
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from docendo.figures import Curve, Curves, Figure, Heatmap
from docendo.plots import Drawing, draw
from tests.pictures import FIGURES, MARKUP, STEPS, losses

OVERLAP = 1.0  # square pixels that two texts may share by rounding


def drawn(figure: Figure) -> tuple[Drawing, "matplotlib.backends.backend_agg.RendererAgg"]:
    drawing = draw(figure)
    canvas = FigureCanvasAgg(drawing)
    canvas.draw()
    return drawing, canvas.get_renderer()


def texts(axes: Axes) -> list[Text]:
    """What is written in and around axes, those of colour bars included."""
    found = [axes.xaxis.label, axes.yaxis.label, axes._left_title]  # type: ignore[attr-defined]
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        found += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        found += [tick.label2 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    legend = axes.get_legend()
    found += legend.get_texts() if legend else []
    found += [text for child in axes.child_axes for text in texts(child)]
    return [text for text in found if text.get_text() and text.get_visible()]


def shared(one: Bbox, other: Bbox) -> float:
    both = Bbox.intersection(one, other)
    return both.width * both.height if both else 0.0


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_nothing_is_cut_and_no_text_lies_on_another_or_on_the_data(figure: Figure) -> None:
    drawing, renderer = drawn(figure)
    sheet = drawing.bbox
    boxes = []
    for axes in drawing.axes:
        frame = axes.get_window_extent(renderer)
        assert axes.yaxis.label.get_window_extent(renderer).height <= 1.1 * frame.height
        for text in texts(axes):
            box = text.get_window_extent(renderer)
            assert sheet.x0 <= box.x0, text
            assert box.x1 <= sheet.x1, text
            assert sheet.y0 <= box.y0, text
            assert box.y1 <= sheet.y1, text
            assert shared(box, frame) <= OVERLAP, f"{text} covers data"
            boxes.append((text, box))
    for (one, here), (other, there) in itertools.combinations(boxes, 2):
        assert shared(here, there) <= OVERLAP, f"{one} lies on {other}"


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_every_axis_is_labelled_and_has_numbers(figure: Figure) -> None:
    drawing, _ = drawn(figure)
    assert len(drawing.axes) == len(figure.panels)
    for axes, panel in zip(drawing.axes, figure.panels, strict=True):
        assert axes.get_xlabel().startswith(panel.x_label)
        assert axes.get_ylabel().replace("\n", " ") == panel.y_label
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            assert 1 <= sum(low <= place <= high for place in axis.get_majorticklocs()) <= 12


def test_panels_of_a_row_stand_side_by_side_with_aligned_tops() -> None:
    drawing, renderer = drawn(FIGURES[1])
    left, right = (axes.get_window_extent(renderer) for axes in drawing.axes)
    assert left.x1 < right.x0
    assert left.y1 == pytest.approx(right.y1, abs=1)


def test_cells_are_square() -> None:
    drawing, renderer = drawn(FIGURES[1])
    for axes, (rows, columns) in zip(drawing.axes, ((81, 81), (12, 16)), strict=True):
        box = axes.get_window_extent(renderer)
        assert box.width / columns == pytest.approx(box.height / rows, rel=0.01)


def test_row_zero_is_on_top() -> None:
    (axes,) = draw(Figure("f", "f", "f", (Heatmap("h", "x", "y", [[1.0], [2.0]], "v"),))).axes
    bottom, top = axes.get_ylim()
    assert top < bottom


def test_colour_bar_shows_where_entries_lie_beyond_it() -> None:
    def ends(**bounds: float) -> str:
        (axes,) = draw(Figure("f", "f", "f", (Heatmap("h", "x", "y", [[0.0, 1.0]], "v", **bounds),))).axes
        return str(axes.images[0].colorbar.extend)  # type: ignore[union-attr]

    assert [ends(), ends(low=0.5), ends(high=0.5), ends(low=0.4, high=0.6)] == ["neither", "min", "max", "both"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0, 7.0], ["1", "2", "5"]), ([0.037, 0.0476], ["0.039", "0.042", "0.045"])],
)
def test_short_logarithmic_axes_have_plain_round_numbers(values: list[float], expected: list[str]) -> None:
    drawing, _ = drawn(Figure("f", "f", "f", (Curves("c", "x", "y", (Curve("c", [1, 2], values),)),)))
    axis = drawing.axes[0].yaxis
    low, high = sorted(axis.get_view_interval())
    shown = [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    assert set(expected) <= set(shown)
    assert all(text == text.strip("$") for text in shown)


def test_markup_and_dollars_are_plain_text() -> None:
    drawing, _ = drawn(FIGURES[2])
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in drawing.axes]
    assert titles[0] == f"Twelve curves {MARKUP}"
    assert not drawing.axes[1].xaxis.label.get_parse_math()


def test_the_legend_is_left_out_where_it_repeats_the_axis() -> None:
    def legend(label: str) -> object:
        curve = Curve(label, STEPS, 1 / STEPS)
        return draw(Figure("f", "f", "f", (Curves("c", "x", "loss", (curve,)),))).axes[0].get_legend()

    assert legend("loss") is None
    assert legend("exact") is not None


def test_notes_stand_below_the_legend() -> None:
    legend = draw(losses("f")).axes[0].get_legend()
    assert legend is not None
    assert [text.get_text().split()[0] for text in legend.get_texts()][-1] == "Not"


def test_wide_figures_have_the_columns_asked_for() -> None:
    panel = Curves("c", "x", "y", (Curve("c", [1, 2], [1, 2]),))
    widths = {columns: draw(Figure("f", "f", "f", [panel] * 3, columns)).get_size_inches()[0] for columns in (1, 2, 9)}
    assert widths == pytest.approx({1: 3.4, 2: 6.8, 9: 10.2})


def test_global_settings_and_pyplot_are_left_alone() -> None:
    before = dict(matplotlib.rcParams)
    imported = "matplotlib.pyplot" in sys.modules
    draw(FIGURES[0]).savefig(io.BytesIO())
    assert dict(matplotlib.rcParams) == before
    assert imported or "matplotlib.pyplot" not in sys.modules


def test_a_notebook_shows_it() -> None:
    picture = draw(FIGURES[0])._repr_png_()
    assert picture.startswith(b"\x89PNG")


def test_a_figure_without_panels_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one panel, 'empty' has none. Add Curves or a Heatmap"):
        draw(Figure("empty", "t", "c"))
