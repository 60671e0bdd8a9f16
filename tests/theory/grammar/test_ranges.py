"""Ranges: what they hold, and where they are wrong."""

import re

import pytest
from hypothesis import given, settings, strategies as st

from docendo.theory.grammar import VARIABLES, ClaimError, parse_ranges


def test_ranges_of_a_command_line() -> None:
    found = parse_ranges(["D=8..1024", "K=1,2,4", "eta=0.01,0.1"])
    assert found == {"D": (8, 16, 32, 64, 128, 256, 512, 1024), "K": (1, 2, 4), "eta": (0.01, 0.1)}
    assert all(type(value) is int for value in found["D"] + found["K"])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("T = 1e3, 1e2", (100.0, 1000.0)),
        ("η=0.1..0.4", (0.1, 0.2, 0.4)),
        ("D=3..12,100", (3, 6, 12, 100)),
        ("M=1e2,2e2", (100, 200)),
        ("kappa=-0.5,0,1", (-0.5, 0.0, 1.0)),
        ("V=.5,1.", (0.5, 1.0)),
    ],
)
def test_forms(text: str, values: tuple[float, ...]) -> None:
    (found,) = parse_ranges([text]).values()
    assert found == pytest.approx(values)


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("D=8", 3, "D needs at least two values to show a power"),
        ("D=", 2, "a number is missing here, got nothing"),
        ("D=1,,2", 4, "a number is missing here, got nothing"),
        ("D=1, x", 5, "a number is missing here, got 'x'"),
        ("D=8..", 5, "a number is missing here, got nothing"),
        ("D", 1, "a range reads variable=values"),
        ("Tau=1,2", 0, "unknown variable 'Tau'. Did you mean tau? Known: D, K, M"),
        ("=1,2", 0, "unknown variable ''"),
        ("K=1.5,2", 2, "K, the support size of a column of S*, is a whole number"),
        ("D=2,1e12", 4, "is a whole number up to 1000000000"),
        ("eta=0,1", 4, "eta must be positive"),
        ("eta=0.1,-1", 8, "eta must be positive"),
        ("eta=0.1,1e999", 8, "eta must be finite"),
        ("eta=0.1,nan", 8, "a number is missing here, got 'nan'"),
        ("kappa=0,2", 8, "kappa lies in (-1, 1]"),
        ("kappa=0..1", 6, "kappa doubles from a positive first to a larger last value"),
        ("D=8..4", 2, "D doubles from a positive first to a larger last value"),
        ("D=8..8", 2, "D doubles from a positive first to a larger last value"),
        ("D=8..1000", 2, "D doubles from 8 and does not reach 1000: take 8..512 or 8..1024"),
        ("V=1..1e30", 2, "V has more than 64 values"),
        ("D=8,16,8", 2, "D has a value twice"),
        ("D=" + "1," * 600, 1000, "a range has at most 1000 characters"),
    ],
)
def test_errors_point_at_the_character(text: str, column: int, reason: str) -> None:
    with pytest.raises(ClaimError, match=re.escape(reason)) as caught:
        parse_ranges([text])
    assert caught.value.position == column


def test_one_range_per_variable() -> None:
    with pytest.raises(ClaimError, match="D has two ranges"):
        parse_ranges(["D=8,16", "D=32,64"])


PIECES = [*VARIABLES, *"0123456789.,= -", "..", "1e9", "1e999", "inf", "η"]


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
def test_any_text_is_a_range_or_one_error(text: str) -> None:
    try:
        found = parse_ranges([text, f"T={text}"])
    except ClaimError:
        return
    assert all(2 <= len(values) <= 64 for values in found.values())
