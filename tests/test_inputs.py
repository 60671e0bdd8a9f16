"""Laws of X: their samples against their moments, exact losses under them against Monte Carlo, and bad covariances."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

import docendo as dc
from docendo.randomness import as_key
from docendo.training.nouns import describe, restore

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
    "scaled": (dc.inputs.Exponential(scale=3.0), 3, 9 * np.eye(FEATURES), np.eye(TOKENS)),
    "gumbel": (dc.inputs.Gumbel(), 0.5772156649015329, np.pi**2 / 6 * np.eye(FEATURES), np.eye(TOKENS)),
    "laplace": (dc.inputs.Laplace(2.0), 0, 8 * np.eye(FEATURES), np.eye(TOKENS)),
    "uniform": (dc.inputs.Uniform(3.0), 0, 3 * np.eye(FEATURES), np.eye(TOKENS)),
    "rademacher": (dc.inputs.Rademacher(), 0, np.eye(FEATURES), np.eye(TOKENS)),
    "student": (dc.inputs.StudentT(12), 0, 1.2 * np.eye(FEATURES), np.eye(TOKENS)),
}
ENTRIES = [law for law, *_ in LAWS.values() if hasattr(law, "standardised")]
MIXTURE = dc.inputs.Mixture([dc.inputs.Gaussian(*COVARIANCES, MEAN), dc.inputs.Laplace()], [0.25, 0.75])
CENTRED_MIXTURE = dc.inputs.Mixture([dc.inputs.Gaussian(*COVARIANCES), dc.inputs.Gaussian()])
ALL = [law for law, *_ in LAWS.values()] + [MIXTURE, dc.inputs.Empirical(np.arange(24.0).reshape(2, 3, 4) / 24)]


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


@pytest.mark.parametrize("law", ALL, ids=repr)
def test_moments_are_those_of_samples(law):
    x = np.array(law.sample(as_key(1), 40_000, FEATURES, TOKENS))
    products = np.einsum("naj,nbk->najbk", x, x)
    for drawn, exact in ((x, law.first_moment(FEATURES, TOKENS)), (products, law.second_moment(FEATURES, TOKENS))):
        assert (np.abs(drawn.mean(0) - exact) <= 6 * drawn.std(0) / 200 + 1e-12).all()


@pytest.mark.parametrize("law", ALL, ids=repr)
def test_the_identitys_loss_is_the_contraction_of_the_second_moment(law):
    """½ E‖W X S − V X S*‖², with every product of entries of X written out."""
    of, student = pair(dc.identity)
    maps = np.einsum("ma,ji->miaj", student.value, student.heads()[1][0]) - np.einsum(
        "ma,ji->miaj", of.value, of.scores
    )
    slow = 0.5 * np.einsum("miaj,ajbk,mibk->", maps, law.second_moment(FEATURES, TOKENS), maps)
    np.testing.assert_allclose(dc.excess_loss(of, student, law), slow, rtol=1e-12)


@pytest.mark.parametrize("law", ENTRIES, ids=repr)
def test_standardised_laws_are_white_to_the_identity(law):
    of, student = pair(dc.identity)
    white = law.standardised()
    np.testing.assert_allclose(dc.excess_loss(of, student, white), dc.excess_loss(of, student), rtol=1e-14)
    ours = dc.train(of, None, dc.GradientDescent(0.01), 50, inputs=white).data.excess_loss
    np.testing.assert_allclose(ours, dc.train(of, None, dc.GradientDescent(0.01), 50).data.excess_loss, rtol=1e-12)


def test_a_scale_is_a_scale_of_the_covariance():
    """Descent and flow under scale·Z are those under the Gaussian of the same covariance."""
    of, _ = pair(dc.identity)
    laws = dc.inputs.Uniform(2.0), dc.inputs.Gaussian(4 / 3 * np.eye(FEATURES))
    for dynamics, length in ((dc.GradientDescent(0.01), {"steps": 40}), (dc.GradientFlow(), {"time": 10.0})):
        one, other = (dc.train(of, None, dynamics, inputs=law, **length).data.excess_loss for law in laws)
        np.testing.assert_allclose(one, other, rtol=1e-8)


def test_a_mixture_is_the_mean_of_its_parts():
    of, student = pair(dc.relu)
    parts = [float(dc.excess_loss(of, student, law)) for law in CENTRED_MIXTURE.laws]
    np.testing.assert_allclose(dc.excess_loss(of, student, CENTRED_MIXTURE), np.mean(parts), rtol=1e-14)
    estimate, error = dc.sampled_excess_loss(of, student, CENTRED_MIXTURE, key=0, samples=60_000)
    assert abs(float(dc.excess_loss(of, student, CENTRED_MIXTURE)) - estimate) < 5 * error
    with pytest.raises(ValueError, match=r"no closed form is known.*dc\.sampled_excess_loss"):
        dc.excess_loss(of, student, MIXTURE)


@pytest.mark.parametrize("law", [dc.inputs.Exponential(), MIXTURE, CENTRED_MIXTURE], ids=repr)
def test_the_stability_limit_is_the_hessians_under_any_exact_law(law):
    of, _ = pair(dc.identity)
    logits = np.log(np.array(of.scores)) * np.sqrt(TOKENS)
    at = dc.PositionOnly(of.value, logits)
    flat, unravel = ravel_pytree(at.parameters())
    hessian = jax.jacrev(jax.grad(lambda vector: dc.excess_loss(of, at.with_parameters(unravel(vector)), law)))(flat)
    np.testing.assert_allclose(dc.stable_learning_rate(of, inputs=law), 2 / np.linalg.eigvalsh(hessian)[-1], rtol=1e-8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dc.inputs.StudentT(0), r"degrees_of_freedom must be positive and finite, got degrees_of_freedom=0"),
        (lambda: dc.inputs.Laplace(-1.0), r"scale must be positive and finite, got scale=-1\.0"),
        (lambda: dc.inputs.Uniform(np.inf), r"scale must be positive and finite, got scale=inf"),
        (lambda: dc.inputs.StudentT(1).first_moment(2, 2), r"has a mean for more than 1 degrees of freedom only"),
        (lambda: dc.inputs.StudentT(2).standardised(), r"for more than 2 degrees of freedom only.*StudentT\(5\)"),
        (lambda: dc.inputs.Mixture([]), r"laws is a list of at least one law of inputs, got \[\]"),
        (lambda: dc.inputs.Mixture([dc.inputs.Gaussian(), "white"]), r"laws is a list of at least one law of inputs"),
        (lambda: dc.inputs.Mixture([dc.inputs.Gaussian()] * 2, [0.5, 0.6]), r"sum 1\.1\. Try weights"),
        (lambda: dc.inputs.Mixture([dc.inputs.Gaussian()] * 2, [1.0]), r"weights has axes \(laws\) with laws=2"),
    ],
)
def test_laws_that_are_none(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("law", [dc.inputs.StudentT(2), dc.inputs.Mixture([dc.inputs.StudentT(1.5)])], ids=repr)
def test_without_second_moments_nothing_has_a_loss(law):
    of, student = pair(dc.identity)
    asks = (
        lambda: dc.excess_loss(of, student, law),
        lambda: dc.sampled_excess_loss(of, student, law, key=0, samples=10),
        lambda: dc.train(of, None, dc.GradientDescent(0.1), 5, inputs=law),
        lambda: dc.train(of, None, dc.GradientDescent(0.1), 5, test_inputs=law, key=0),
        lambda: law.second_moment(FEATURES, TOKENS),
    )
    for ask in asks:
        with pytest.raises(ValueError, match="more than 2 degrees of freedom only"):
            ask()
    assert law.sample(as_key(0), 5, FEATURES, TOKENS).shape == (5, FEATURES, TOKENS)


@pytest.mark.parametrize("law", ALL, ids=repr)
def test_laws_are_written_down_whole(law):
    spec, arrays = describe(law, "inputs")
    again = restore(json.loads(json.dumps(spec)), arrays)
    assert repr(again) == repr(law)
    np.testing.assert_array_equal(again.second_moment(FEATURES, TOKENS), law.second_moment(FEATURES, TOKENS))
