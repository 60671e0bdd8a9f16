"""The neighbours' scalars against their definitions: all target sets summed, the score sampled, the loss integrated."""

import itertools

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from docendo.experiments.group_sparse_classification import GroupSparseClassification, population_loss
from docendo.experiments.query_selection import QuerySelection


def all_sets(tokens, sparsity):
    return np.array([[j in g for j in range(tokens)] for g in itertools.combinations(range(tokens), sparsity)], float)


def test_selection_is_descent_of_both_matrices_over_all_target_sets():
    """Autodiff of ½ mean_g ‖W_V s_gᵀ − I 1_gᵀ/K‖², the expectation over white X, with a random orthogonal P."""
    tokens, sparsity, features, scale, rate = 5, 2, 3, 1.3, 0.7
    sets = all_sets(tokens, sparsity)
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((tokens, tokens)))[0]

    @jax.jit
    def loss(weights):
        value, key_query = weights
        scores = jax.nn.softmax(scale * sets @ (basis.T @ key_query @ basis).T, axis=1)
        miss = value[None, :, :, None] * scores[:, None, None, :] - np.eye(features)[:, :, None] * (
            sets[:, None, None, :] / sparsity
        )
        return (miss**2).sum((1, 2, 3)).mean() / 2

    @jax.jit
    def step(weights):
        return jax.tree.map(lambda weight, slope: weight - rate * slope, weights, jax.grad(loss)(weights))

    weights, losses, values = (jnp.zeros((features, features)), jnp.zeros((tokens, tokens))), [], []
    saves = [1, 2, 5, 50, 400]
    for at in range(1, 401):
        weights = step(weights)
        if at in saves:
            losses.append(float(loss(weights)))
            values.append(np.asarray(weights[0]))
    course = QuerySelection(tokens, sparsity, features, scale).descend(rate, saves)
    assert course.outside[-1] < 0.5 * course.outside[0]
    np.testing.assert_allclose(course.loss, losses, rtol=1e-10)
    np.testing.assert_allclose(values, course.value[:, None, None] * np.eye(features), atol=1e-12)


@pytest.mark.parametrize(("tokens", "sparsity", "features"), [(6, 2, 3), (12, 1, 2)])
def test_selection_tends_to_its_limit(tokens, sparsity, features):
    task = QuerySelection(tokens, sparsity, features, logit_scale=1.0)
    rate, saves = 0.5, [10**4, 10**5, 10**6]
    course = task.descend(rate, saves)
    parts = rate * course.step * course.loss / task.limit
    assert abs(parts[-1] - 1) < 0.08 and abs(parts[-1] - 1) < abs(parts[0] - 1)


@pytest.mark.parametrize(
    ("along", "across", "off_group"),
    [(1e-3, 0.01, 0.9), (0.4, 0.3, 0.2), (-0.2, 0.1, 0.9), (60.0, 1e-3, 1e-2), (200.0, 0.0, 1e-3)],
)
def test_classification_loss_is_its_integral(along, across, off_group):
    """A|z| + σξ is skew normal, of scale ω and slant A/σ: one integral of the loss against its density, by mpmath."""
    tokens = 7
    with mpmath.workdps(25):
        a, b, u = mpmath.mpf(along), mpmath.mpf(across), mpmath.mpf(off_group)
        noise = mpmath.sqrt(a**2 * u**2 / (tokens - 1) + b**2 * ((1 - u) ** 2 + u**2 / (tokens - 1)))
        width, slant = mpmath.hypot(a * (1 - u), noise), a * (1 - u) / noise

        def integrand(r):
            t = width * r
            loss = mpmath.log1p(mpmath.exp(-abs(t))) + max(-t, 0)
            return loss * 2 * mpmath.npdf(r) * mpmath.ncdf(slant * r)

        near = [n / scale for n in (0.3, 1, 3, 8, 16) for scale in (1 + abs(slant), 1 + width)]
        ends = sorted({0, 1, 3, 12, *(n for n in near if n < 12)})
        found = mpmath.quad(integrand, [-end for end in reversed(ends)] + ends[1:])
    assert float(population_loss(tokens, *map(jnp.asarray, (along, across, off_group)))) == pytest.approx(
        float(found), rel=1e-10
    )


def test_classification_loss_is_the_mean_over_inputs():
    tokens, along, across, off_group, n = 5, 1.5, 0.7, 0.3, 400_000
    x = np.random.default_rng(1).standard_normal((n, 2, tokens))
    mass = np.array([1 - off_group] + [off_group / (tokens - 1)] * (tokens - 1))
    each = np.logaddexp(0, -np.sign(x[:, 0, 0]) * (np.array([along, across]) @ (x @ mass).T))
    found = float(population_loss(tokens, *map(jnp.asarray, (along, across, off_group))))
    assert abs(each.mean() - found) < 4 * each.std() / np.sqrt(n)


def test_classification_is_descent_of_the_sampled_loss():
    """Large batches, all of w and W_KQ: loss, mass and angle go where the three scalars go."""
    task = GroupSparseClassification(4, features=3, logit_scale=2.0)
    start, saves = task.start(0.05, seed=3), [2, 10, 120]
    exact = task.descend(1.0, saves, start)
    sampled = task.sample(1.0, saves, start, batch_size=4000, seed=4)
    assert exact.off_group[-1] < 0.7 and exact.loss[-1] < 0.6
    np.testing.assert_allclose(sampled.loss, exact.loss, rtol=0.01)
    np.testing.assert_allclose(sampled.off_group, exact.off_group, rtol=0.02)
    np.testing.assert_allclose(sampled.angle, exact.angle, atol=0.03)
    assert exact.angle[0] > 5 * exact.angle[1]


def test_classification_approaches_its_law():
    task = GroupSparseClassification(4, features=3, logit_scale=2.0)
    course = task.descend(2.0, [10**3, 10**4, 10**5], task.start(0.05, seed=0))
    parts = course.loss / task.law(2.0, course.step)
    assert abs(parts[-1] - 1) < 0.08 and abs(parts[-1] - 1) < abs(parts[0] - 1)
    assert np.all(np.diff(np.abs(parts - 1)) < 0)
    np.testing.assert_allclose(np.log10(course.off_group[-2] / course.off_group[-1]), 2 / 3, atol=0.05)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: QuerySelection(4, 4, 2).descend(0.1, [1]), "got 4 of 4"),
        (lambda: QuerySelection(4, 2, 2).descend(-0.1, [1]), "learning_rate"),
        (lambda: GroupSparseClassification(1, 3).start(0.1, 0), "got 1 and 3"),
    ],
)
def test_bad_sizes_are_answered(make, words):
    with pytest.raises(ValueError, match=words):
        make()
