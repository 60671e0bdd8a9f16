"""A sliding window against its definition, at every length the same rule."""

import numpy as np
import pytest

import docendo as dc

V = np.array([[1.0, -2.0], [0.5, 1.0]])


def test_columns_average_their_neighbours():
    of = dc.teachers.window(5, before=2, after=1, value=V, activation=dc.identity)
    x = np.random.default_rng(0).standard_normal((2, 5))
    wanted = np.stack([(V @ x)[:, max(i - 2, 0) : i + 2].mean(1) for i in range(5)], axis=1)
    np.testing.assert_allclose(of(x), wanted, rtol=1e-13)
    assert of.support_sizes.tolist() == [2, 3, 4, 4, 3]


def test_a_causal_window_is_the_same_at_every_length():
    short, long = (np.array(dc.teachers.window(size, before=2, after=0, value=V).scores) for size in (4, 9))
    np.testing.assert_array_equal(short, long[:4, :4])
    np.testing.assert_array_equal(np.tril(long, -1), 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokens": 0}, "tokens must be a whole number of at least 1, got 0"),
        ({"tokens": 4, "before": -1}, "before must be a whole number of at least 0, got -1"),
        ({"tokens": 4, "after": True}, "after must be a whole number of at least 0, got True"),
    ],
)
def test_bad_windows(arguments, message):
    with pytest.raises(ValueError, match=message):
        dc.teachers.window(**arguments, value=V)
