"""Laws of X: their samples against their moments, exact losses under them against Monte Carlo, and bad covariances."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import docendo as dc
from docendo.randomness import as_key

FEATURES, TOKENS = 3, 4
ROOT_D = np.array([[1.0, 0, 0], [0.5, 1, 0], [0, -0.3, 0.7]])
ROOT_T = np.linalg.cholesky(np.eye(TOKENS) + 0.3)
COVARIANCES = ROOT_D @ ROOT_D.T, ROOT_T @ ROOT_T.T
MEAN = np.linspace(-1, 1, FEATURES * TOKENS).reshape(FEATURES, TOKENS)

LAWS = {
    "white": (dc.inputs.Gaussian(), 0, np.eye(FEATURES), np.eye(TOKENS)),
    "correlated": (dc.inputs.Gaussian(*COVARIANCES), 0, *COVARIANCES),
    "shifted": (dc.inputs.Gaussian(None, COVARIANCES[1], MEAN), MEAN, np.eye(FEATURES), COVARIANCES[1]),
    "exponential": (dc.inputs.Exponential(), 1, np.eye(FEATURES), np.eye(TOKENS)),
    "centred": (dc.inputs.Exponential(centred=True), 0, np.eye(FEATURES), np.eye(TOKENS)),
}


@pytest.mark.parametrize("name", LAWS)
def test_samples_have_the_moments_of_their_law(name):
    law, mean, of_features, of_tokens = LAWS[name]
    x = np.array(law.sample(as_key(0), 40_000, FEATURES, TOKENS))
    centred = x - mean
    assert np.abs(centred.mean(0)).max() < 5 * centred.std() / 200
    covariance = np.einsum("naj,nbk->ajbk", centred, centred) / len(x)
    wanted = np.einsum("ab,jk->ajbk", of_features, of_tokens)
    fourth = np.einsum("naj,nbk->ajbk", centred**2, centred**2) / len(x)
    assert (np.abs(covariance - wanted) < 6 * np.sqrt(fourth / len(x))).all()


def pair(activation):
    rng = np.random.default_rng(1)
    of = dc.Teacher(rng.standard_normal((2, FEATURES)), rng.dirichlet(np.ones(TOKENS), TOKENS).T, activation)
    return of, dc.PositionOnly(rng.standard_normal((2, FEATURES)), rng.standard_normal((TOKENS, TOKENS)))


@pytest.mark.parametrize("name", LAWS)
def test_identity_is_exact_under_every_law_with_moments(name):
    of, student = pair(dc.identity)
    estimate, error = dc.sampled_excess_loss(of, student, LAWS[name][0], key=0, samples=60_000)
    assert abs(float(dc.excess_loss(of, student, LAWS[name][0])) - estimate) < 5 * error


@pytest.mark.parametrize("name", ["white", "correlated"])
def test_relu_is_exact_under_centred_gaussians(name):
    of, student = pair(dc.relu)
    estimate, error = dc.sampled_excess_loss(of, student, LAWS[name][0], key=0, samples=60_000)
    assert abs(float(dc.excess_loss(of, student, LAWS[name][0])) - estimate) < 5 * error


@pytest.mark.parametrize("name", ["shifted", "exponential", "centred"])
def test_relu_under_other_laws_is_sent_to_sampling(name):
    of, student = pair(dc.relu)
    for ask in (dc.excess_loss, dc.gradient):
        with pytest.raises(ValueError, match=r"no closed form is known.*dc\.sampled_excess_loss"):
            ask(of, student, LAWS[name][0])


@pytest.mark.parametrize("activation", [dc.identity, dc.relu])
def test_data_is_averaged_exactly(activation):
    of, student = pair(activation)
    x = np.random.default_rng(2).standard_normal((50, FEATURES, TOKENS))
    law = dc.inputs.Empirical(x)
    gap = np.array(of(x)) - np.array(of.activation(student.preactivation(x)))
    np.testing.assert_allclose(dc.excess_loss(of, student, law), 0.5 * (gap**2).sum((1, 2)).mean(), rtol=1e-13)
    step = 1e-6
    slopes = dc.gradient(of, student, law)
    bumped = student.with_parameters({"value": student.value.at[0, 1].add(step)})
    rise = (dc.excess_loss(of, bumped, law) - dc.excess_loss(of, student, law)) / step
    np.testing.assert_allclose(slopes.value[0, 1], rise, rtol=1e-4)


def test_samples_of_data_are_data():
    x = np.arange(24.0).reshape(2, FEATURES, TOKENS)
    drawn = np.array(dc.inputs.Empirical(x).sample(as_key(0), 20, FEATURES, TOKENS))
    assert {tuple(each.ravel()) for each in drawn} == {tuple(each.ravel()) for each in x}


def test_exact_loss_depends_on_second_moments_only():
    """Centred exponential and white Gaussian inputs share them, so the identity cannot tell them apart."""
    of, student = pair(dc.identity)
    np.testing.assert_allclose(
        dc.excess_loss(of, student, dc.inputs.Exponential(centred=True)), dc.excess_loss(of, student), rtol=1e-15
    )


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        (np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "feature_covariance must be symmetric, .* by 0.5"),
        (np.diag([1.0, 1, -2]), "must be positive definite, but its smallest eigenvalue is -2"),
        (np.diag([1.0, 1, 0]), "must be positive definite, but its smallest eigenvalue is 0"),
        (np.ones((2, 3)), r"feature_covariance has axes \(rows, columns\) with columns=2, got columns=3"),
        (np.full((3, 3), np.nan), r"feature_covariance must be finite"),
        (np.ones(3), r"feature_covariance has axes"),
    ],
)
def test_covariances_that_are_none(covariance, message):
    with pytest.raises(ValueError, match=message):
        dc.inputs.Gaussian(feature_covariance=covariance)


def test_laws_of_another_size_are_refused():
    of, student = pair(dc.identity)
    with pytest.raises(ValueError, match="token_covariance has axes .* tokens=4, got tokens=5"):
        dc.excess_loss(of, student, dc.inputs.Gaussian(token_covariance=np.eye(5)))


def test_data_that_is_none():
    with pytest.raises(ValueError, match=r"array\[0, 1, 2\] = nan"):
        dc.inputs.Empirical(np.where(np.arange(12).reshape(1, 3, 4) == 6, np.nan, 1.0))
    with pytest.raises(ValueError, match="none of them empty"):
        dc.inputs.Empirical(np.ones((0, 3, 4)))


def test_covariances_may_be_traced():
    of, student = pair(dc.relu)

    @jax.jit
    def loss(scale):
        return dc.excess_loss(of, student, dc.inputs.Gaussian(token_covariance=scale * jnp.eye(TOKENS)))

    np.testing.assert_allclose(loss(4.0), 4 * dc.excess_loss(of, student), rtol=1e-13)


def test_sampling_needs_two_samples_and_a_key():
    of, student = pair(dc.relu)
    with pytest.raises(ValueError, match="samples must be a whole number of at least 2"):
        dc.sampled_excess_loss(of, student, None, key=0, samples=1)
    with pytest.raises(ValueError, match="key must be an int or a JAX key"):
        dc.sampled_excess_loss(of, student, None, key=None, samples=10)


def test_the_standard_error_is_honest():
    """Over 200 repetitions about 95 % of the estimates lie within two standard errors: 180 is five deviations below."""
    of, student = pair(dc.relu)
    exact = float(dc.excess_loss(of, student))
    hits = 0
    for seed in range(200):
        estimate, error = dc.sampled_excess_loss(of, student, None, key=seed, samples=500)
        hits += abs(float(estimate) - exact) < 2 * float(error)
    assert hits >= 175
