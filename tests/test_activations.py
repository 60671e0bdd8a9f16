"""σ_κ, its derivative at zero, and sin θ − θ cos θ against 60 digits."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

import docendo as dc
from docendo.activations import sine_minus_angle_cosine


@pytest.mark.parametrize("slope", [1.0, 0.0, 0.1, -0.5])
def test_values_and_moments(slope):
    sigma = dc.leaky_relu(slope)
    z = np.array([-2.0, -0.0, 0.0, 3.0])
    np.testing.assert_allclose(sigma(jnp.asarray(z)), np.where(z > 0, z, slope * z), rtol=1e-15)
    rng = np.random.default_rng(0).standard_normal(200_000)
    sampled = np.where(rng > 0, rng, slope * rng) ** 2
    assert abs(sampled.mean() - sigma.second_moment) < 5 * sampled.std() / np.sqrt(rng.size)
    np.testing.assert_allclose(sigma.alpha + sigma.beta, sigma.second_moment, rtol=1e-15)


@pytest.mark.parametrize(("sigma", "at_zero"), [(dc.relu, 0.5), (dc.leaky_relu(0.2), 0.6), (dc.identity, 1.0)])
def test_derivative_at_zero_is_the_symmetric_one(sigma, at_zero):
    assert jax.grad(lambda z: sigma(z))(jnp.zeros(())) == at_zero


def test_slope_one_is_the_identity_itself():
    assert dc.leaky_relu(1.0) is dc.identity


def test_reprs():
    assert [repr(each) for each in (dc.identity, dc.relu, dc.leaky_relu(0.1))] == [
        "identity",
        "relu",
        "leaky_relu(0.1)",
    ]


@pytest.mark.parametrize("slope", [-1.0, 1.5, np.nan, np.inf])
def test_slopes_outside_the_family_are_refused(slope):
    with pytest.raises(ValueError, match=r"negative_slope (lies in \(-1, 1\]|must be finite)"):
        dc.leaky_relu(slope)


def test_the_bend_keeps_all_digits():
    angles = np.concatenate([np.geomspace(1e-12, 0.4999, 30), np.linspace(0.5, np.pi, 30)])
    with mpmath.workdps(60):
        exact = [float(mpmath.sin(x) - x * mpmath.cos(x)) for x in map(mpmath.mpf, angles)]
    np.testing.assert_allclose(sine_minus_angle_cosine(angles), exact, rtol=1e-14)


def test_vmap_over_slopes():
    slopes = np.array([0.0, 0.3])
    out = jax.vmap(lambda slope: dc.leaky_relu(slope)(jnp.asarray(-2.0)))(slopes)
    np.testing.assert_allclose(out, -2 * slopes)
