"""Matrices as text."""

import numpy as np
import pytest

from docendo.drawing import draw_matrix


def inside(picture: str) -> list[str]:
    """The lines within the frame, which is checked."""
    first, *lines, last = picture.splitlines()
    assert first[0] + first[-1] + last[0] + last[-1] in ("┌┐└┘", "++++")
    assert set(first[1:-1]) == set(last[1:-1]) <= {"─", "-"}
    assert {len(line) for line in lines} == {len(first)}
    assert {line[0] + line[-1] for line in lines} <= {"││", "||"}
    return [line[1:-1] for line in lines]


def lit(lines: list[str], rows: int) -> np.ndarray:
    """Half blocks read back into a matrix of truth values."""
    upper = np.array([[mark in "▀█':" for mark in line] for line in lines])
    lower = np.array([[mark in "▄█.:" for mark in line] for line in lines])
    return np.stack([upper, lower], axis=1).reshape(-1, upper.shape[1])[:rows]


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 4), (6, 70)])
def test_two_levels_read_back(shape: tuple[int, int], ascii_only: bool) -> None:
    wanted = np.random.default_rng(0).random(shape) < 0.5
    picture = draw_matrix(wanted * 0.25, ascii_only=ascii_only)
    np.testing.assert_array_equal(lit(inside(picture), shape[0]), wanted)
    assert picture.isascii() == ascii_only


def test_shades_follow_the_values() -> None:
    (line,) = inside(draw_matrix([[0.0, 0.25, 0.5, 0.75, 1.0]]))
    assert line == "  ░░▒▒▓▓██"
    (line,) = inside(draw_matrix([[0.0, 0.25, 0.5, 0.75, 1.0]], ascii_only=True))
    assert line == "  ..::**##"


def test_a_given_top_sets_the_scale() -> None:
    quarter = np.full((2, 2), 0.25)
    assert inside(draw_matrix(quarter)) == ["██"]
    assert inside(draw_matrix(quarter, top=0.5)) == ["▒▒▒▒"] * 2
    assert inside(draw_matrix(quarter, top=0.1)) == ["████"] * 2


def test_what_is_wide_is_averaged() -> None:
    # 100 columns in 20 − 2 characters: blocks of 12 × 12, of which the diagonal ones hold the identity's ones.
    lines = inside(draw_matrix(np.eye(108), width=20))
    np.testing.assert_array_equal(lit(lines, 9), np.eye(9, dtype=bool))
    ramp = draw_matrix(np.linspace(0, 1, 200)[None, :], width=42)
    assert len(inside(ramp)[0]) == 40
    assert inside(ramp)[0].startswith("  ")
    assert inside(ramp)[0].endswith("██")


@pytest.mark.parametrize("columns", [1, 17, 35, 36, 70, 71, 72, 500])
@pytest.mark.parametrize("width", [4, 5, 72])
def test_never_wider_than_asked(columns: int, width: int) -> None:
    for matrix in (np.eye(columns), np.random.default_rng(1).random((3, columns))):
        assert max(map(len, draw_matrix(matrix, width=width).splitlines())) <= width


def test_zeros_are_empty_and_what_is_no_number_shows() -> None:
    assert inside(draw_matrix(np.zeros((2, 3)))) == ["   "]
    assert inside(draw_matrix([[np.nan, 1.0, 0.0]])) == ["??██  "]
    assert inside(draw_matrix([[np.nan, np.nan]])) == ["????"]


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"a picture needs a matrix with entries, got an array of shape \(3,\)"):
        draw_matrix(np.ones(3))
    with pytest.raises(ValueError, match=r"got an array of shape \(0, 2\)"):
        draw_matrix(np.ones((0, 2)))
    with pytest.raises(ValueError, match="at least 4 characters wide, got width=3"):
        draw_matrix(np.eye(2), width=3)
