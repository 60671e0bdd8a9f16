"""Encodings: orthonormal where they say so, and of the width asked for."""

import numpy as np
import pytest

import docendo as dc


def test_orthogonal():
    p = np.array(dc.positions.orthogonal(7, seed=0))
    np.testing.assert_allclose(p.T @ p, np.eye(7), atol=1e-14)
    assert dc.positions.is_orthonormal(p)
    assert not np.allclose(p, dc.positions.orthogonal(7, seed=1))


def test_sinusoidal():
    p = np.array(dc.positions.sinusoidal(5, 8))
    assert p.shape == (8, 5)
    np.testing.assert_allclose((p**2).sum(0), 1, rtol=1e-14)
    frequency = 10000 ** (-2 / 8)
    np.testing.assert_allclose(p[2:4, 3] * 2, [np.sin(3 * frequency), np.cos(3 * frequency)], rtol=1e-13)
    assert not dc.positions.is_orthonormal(p)


def test_gaussian_columns_have_unit_norm_on_average():
    p = np.array(dc.positions.gaussian(40, 1000, seed=0))
    norms = (p**2).sum(0)
    assert abs(norms.mean() - 1) < 5 * np.sqrt(2 / 1000 / 40)


def test_bad_widths_and_seeds():
    with pytest.raises(ValueError, match="width must be even, got 7"):
        dc.positions.sinusoidal(5, 7)
    with pytest.raises(ValueError, match="seed must be an int or a JAX key"):
        dc.positions.orthogonal(5, seed=None)
    with pytest.raises(ValueError, match="tokens must be a whole number of at least 1"):
        dc.positions.orthogonal(0, seed=0)
