"""Numbers and figures in words."""

import pytest

from docendo.figures import Figure, Heatmap
from docendo.plots import prepare
from docendo.report.words import described, duration, interval, number, setting, size, slug
from tests.pictures import FIGURES


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (-1, "−1"),
        (-1.0, "−1"),
        (1_000_000, "1,000,000"),
        (10**12, "10¹²"),
        (0.99987, "0.9999"),
        (12345.6, "12346"),
        (1e-4, "10⁻⁴"),
        (1.234567e-7, "1.235×10⁻⁷"),
        (-2e8, "−2×10⁸"),
        (-1e-9, "−10⁻⁹"),
        (1.5e300, "1.5×10³⁰⁰"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_number(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((-1.00003, -1.0004, -0.9991), ("−1.0000", "[−1.0004, −0.9991]")),
        ((2.0, 1.98, 2.02), ("2.000", "[1.980, 2.020]")),
        ((0.5, 0.5, 0.5), ("0.5", "[0.5, 0.5]")),
        ((1234.5, 1000.0, 2000.0), ("1234", "[1000, 2000]")),
        ((3e-9, 1e-9, 5e-9), ("3×10⁻⁹", "[10⁻⁹, 5×10⁻⁹]")),
        ((-3e-9, -2e-5, 3e-5), ("0.000000", "[−0.000020, 0.000030]")),
        ((0.25, None, None), ("0.25", "")),
        ((None, 0.0, 1.0), ("–", "")),
    ],
)
def test_interval(values: tuple[float | None, float | None, float | None], texts: tuple[str, str]) -> None:
    assert interval(*values) == texts


def test_interval_never_shows_its_ends_as_one_number() -> None:
    _, shown = interval(-1.0, -1.0 - 3e-8, -1.0 + 3e-8)
    low, high = shown.strip("[]").split(", ")
    assert low != high


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (0.26, "0.3 s"), (59.6, "60 s"), (61, "1 min 1 s"), (3600, "1 h 0 min"), (7300, "2 h 1 min")],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_size_rounds_up() -> None:
    assert [size(1), size(999_001), size(2_340_000)] == ["1 kB", "1000 kB", "2.3 MB"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (None, "none"),
        ([6, 6], "6, 6"),
        ({"D": -2.0, "name": "relu"}, "D = −2, name = relu"),
        (0.1, "0.1"),
        ("relu", "relu"),
    ],
)
def test_setting(value: object, text: str) -> None:
    assert setting(value) == text


def test_slug_is_safe_in_an_address() -> None:
    assert slug("a b<c>é.d_1") == "a-b-c---d-1"


def test_figures_in_words() -> None:
    loss, empty = prepare(FIGURES[0])[0], prepare(FIGURES[2])[3]
    assert described(loss).startswith(
        "Excess loss against steps: excess loss L − L_opt against steps T, both axes logarithmic. "
        "exact population training: from 1.961 at 1 to 10⁻⁴ at 10⁶; online, batch 100: from "
    )
    assert described(empty) == "Nothing to draw: loss against T, both axes logarithmic. all zero: nothing drawn."


def test_heat_maps_in_words() -> None:
    scores = Heatmap("Scores", "column i", "row j", [[0.25, None, 0.5], [0.75, 0.0, 0.0]], "weight")
    nothing = Heatmap("Nothing", "i", "j", [[None]], "weight")
    said = [described(ready) for ready in prepare(Figure("f", "t", "c", (scores, nothing)))]
    assert said == [
        "Scores: heat map of 2 rows (row j) and 3 columns (column i); weight from 0 to 0.75.",
        "Nothing: heat map of 1 row (j) and 1 column (i); weight all missing.",
    ]
