"""Students known by C1 and their gaps."""

import numpy as np
import pytest

import docendo as dc


def student(**changes):
    fields = {"tokens": 7, "sizes": [1, 3, 7], "value_scale": 0.5, "gaps": [2.0, -1.0, 0.0]} | changes
    return dc.SymmetricStudent(**fields)


def test_scores_are_a_softmax():
    gaps = np.array([2.0, -1.0, 0.0])
    for size, gap, inside, outside in zip([1, 3, 7], gaps, student().inside, student().outside, strict=True):
        column = np.exp(np.where(np.arange(7) < size, gap, 0.0))
        column /= column.sum()
        np.testing.assert_allclose(inside, column[0], rtol=1e-14)
        if size < 7:
            np.testing.assert_allclose(outside, column[-1], rtol=1e-14)


def test_zeros_and_defaults():
    start = dc.SymmetricStudent.zeros(dc.teachers.symmetric(7, {1: 3, 3: 4}, 2.0, dc.relu))
    assert (float(start.value_scale), float(start.shift)) == (0.0, -1.0)
    assert not np.asarray(start.gaps).any()
    assert float(start.logit_scale) == 1 / 7**0.5
    assert repr(student()) == "SymmetricStudent(tokens=7, value_scale=0.5, gaps={1: 2, 3: -1, 7: 0})"


def test_has_no_arrays():
    for use in (lambda: student().features, lambda: student().channels, lambda: student()(np.zeros((2, 7)))):
        with pytest.raises(ValueError, match="known by C1 and its gaps alone and has no|made without an activation"):
            use()
    with pytest.raises(ValueError, match="has no arrays to apply to an input"):
        student().preactivation(np.zeros((2, 7)))
    with pytest.raises(ValueError, match="logit_scale must be positive"):
        student(logit_scale=-1.0)
