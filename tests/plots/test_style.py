"""Colours: apart from one another, also for the colour-blind, and dark enough for paper."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from docendo.plots.style import family_colours

# Full loss of one kind of cone, for linear RGB: Machado, Oliveira and Fernandes 2009, table 1 (severity 1).
KINDS = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour: str) -> np.ndarray:
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB, in which distances near 2 are just seen, of linear sRGB."""
    matrix = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    ratio = np.array(matrix) @ np.clip(rgb, 0, 1) / [0.95047, 1.0, 1.08883]
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("kind", KINDS)
def test_six_families_are_told_apart(kind: str) -> None:
    seen = [lab(np.array(KINDS[kind]) @ linear(colour)) for colour in family_colours(6)]
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(seen, 2)) > 10


def test_the_distance_tells_bad_palettes() -> None:
    red, green = (lab(np.array(KINDS["deuteranopia"]) @ linear(colour)) for colour in ("#d62728", "#7f6a00"))
    assert np.linalg.norm(red - green) < np.linalg.norm(lab(linear("#d62728")) - lab(linear("#7f6a00"))) / 2


@pytest.mark.parametrize("count", [1, 6, 7, 12, 40])
def test_families_have_colours_of_their_own(count: int) -> None:
    colours = family_colours(count)
    assert len(colours) == len(set(colours)) == count


def test_many_families_are_in_order_of_lightness() -> None:
    lightness = [lab(linear(colour))[0] for colour in family_colours(12)]
    assert lightness == sorted(lightness)
    assert lightness[-1] < 85, "too pale on white"
