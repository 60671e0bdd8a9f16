"""Teachers known by their support sizes: three ways to say the same, and what they refuse."""

import re

import numpy as np
import pytest

import docendo as dc


def test_three_spellings():
    by_column = dc.teachers.symmetric(5, [2, 1, 2, 2, 1], 3.0, dc.relu)
    by_size = dc.teachers.symmetric(5, {1: 2, 2: 3}, 3.0, dc.relu)
    assert repr(by_column) == repr(by_size)
    np.testing.assert_array_equal(by_column.support_sizes, [1, 1, 2, 2, 2])
    assert by_column.sparsity is None
    one = dc.teachers.symmetric(5, 2, 3.0)
    assert (one.sparsity, one.tokens, float(one.value_norm)) == (2, 5, 3.0)
    assert repr(one) == "SymmetricTeacher(tokens=5, sparsity=2, value_norm=3, activation=identity)"
    np.testing.assert_array_equal(one.support_sizes, [2] * 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 6, 1.0), "between 1 and tokens=5 tokens, got sparsity 6"),
        ((5, {0: 5}, 1.0), "between 1 and tokens=5 tokens, got sparsity 0"),
        ((5, [1, 2, 3], 1.0), "must be tokens=5 in number, but sparsity speaks of 3"),
        ((5, {1: 2, 2: 4}, 1.0), "must be tokens=5 in number, but sparsity speaks of 6"),
        ((5, {1: 6, 2: -1}, 1.0), "must be tokens=5 in number"),
        ((5, np.array(2.5), 1.0), "sparsity must be a whole number of at least 1, got array(2.5)"),
        ((5, np.full(5, 1.5), 1.0), "support sizes are whole numbers, got sparsity 1.5"),
        ((5, 2, 0.0), "value_norm must be positive and finite"),
        ((0, 1, 1.0), "tokens must be a whole number of at least 1, got 0"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        dc.teachers.symmetric(*arguments)


@pytest.mark.parametrize("name", ["value", "scores", "features", "channels"])
def test_has_no_arrays(name):
    with pytest.raises(ValueError, match=r"by its support sizes alone and has no .* dc.teachers.random\("):
        getattr(dc.teachers.symmetric(5, 2, 1.0), name)
