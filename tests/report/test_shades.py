"""Colours for dark screens."""

import pytest

from docendo.plots.style import REFERENCE, family_colours
from docendo.report.shades import DARK_PAGE, contrast, on_dark

COLOURS = [*family_colours(6), *family_colours(12), REFERENCE]


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == contrast("#ffffff", "#777777") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("colour", COLOURS)
def test_curves_stand_out_from_a_dark_page(colour: str) -> None:
    assert contrast(on_dark(colour), DARK_PAGE) >= 4.5


@pytest.mark.parametrize("colour", [colour for colour in COLOURS if contrast(colour, DARK_PAGE) >= 4.5])
def test_a_colour_that_stands_out_stays(colour: str) -> None:
    assert on_dark(colour) == colour


def test_the_page_is_as_dark_as_the_colours_are_made_for(style: str) -> None:
    assert f"--paper: {DARK_PAGE};" in style
