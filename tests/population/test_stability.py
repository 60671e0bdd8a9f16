"""2/λ_max against hand-computed limits, a dense finite-difference Hessian, and runs on either side of it."""

import numpy as np
import pytest

import docendo as dc


def uneven(norm_squared, activation=dc.identity):
    """Every column puts .7 and .3 on the same two of four tokens."""
    scores = np.zeros((4, 4))
    scores[0], scores[1] = 0.7, 0.3
    return dc.Teacher(np.sqrt(norm_squared / 3) * np.eye(3), scores, activation)


@pytest.mark.parametrize(("tokens", "sparsity"), [(8, 1), (8, 2), (6, 3)])
@pytest.mark.parametrize("slope", [1.0, 0.0, 0.3])
def test_the_value_block_decides_for_small_values(tokens, sparsity, slope):
    of = dc.teachers.random(
        tokens, sparsity=sparsity, value=0.1 * np.ones((2, 3)), activation=dc.leaky_relu(slope), seed=0
    )
    wanted = 2 * sparsity / tokens * 2 / (1 + slope**2)
    assert dc.stable_learning_rate(of) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("norm_squared", "wanted"), [(100, 0.40427), (200, 0.21672)])
def test_uneven_weights_couple_the_blocks(norm_squared, wanted):
    assert dc.stable_learning_rate(uneven(norm_squared)) == pytest.approx(wanted, rel=1e-4)


def test_uniform_supports_have_a_logit_block_too():
    """λ = τ²‖V*‖²(α+β)/K² on shifts of weight inside a support of K ≥ 2 tokens."""
    of = dc.teachers.random(8, sparsity=2, value=100 * np.ones((1, 1)), activation=dc.relu, seed=0)
    assert dc.stable_learning_rate(of) == pytest.approx(2 / (1e4 / 8 * 0.5 / 4), rel=1e-9)


@pytest.mark.parametrize("kind", ["white", "correlated", "positions", "data"])
def test_dense_hessian_by_differences(kind):
    """Differences of the exact gradient at a student that is the teacher to rounding."""
    of = uneven(30.0)
    rng = np.random.default_rng(0)
    positions, law = None, None
    scores = np.array(of.scores) + 1e-300
    key_query = np.log(scores) * 2
    if kind == "correlated":
        root = rng.standard_normal((4, 4))
        law = dc.inputs.Gaussian(np.diag([1.0, 2, 3]), root @ root.T + np.eye(4))
    if kind == "data":
        law = dc.inputs.Empirical(rng.standard_normal((20, 3, 4)))
    if kind == "positions":
        positions = rng.standard_normal((4, 4))
        inverse = np.linalg.inv(positions)
        key_query = inverse.T @ key_query @ inverse
    at = dc.PositionOnly(of.value, key_query, positions)
    names, step = ("value", "key_query"), 1e-5
    size = at.value.size + at.key_query.size

    def slope(vector):
        cut = at.value.size
        moved = {"value": vector[:cut].reshape(at.value.shape), "key_query": vector[cut:].reshape(at.key_query.shape)}
        slopes = dc.gradient(of, at.with_parameters(moved), law)
        return np.concatenate([np.ravel(getattr(slopes, name)) for name in names])

    here = np.concatenate([np.ravel(getattr(at, name)) for name in names])
    hessian = np.stack([(slope(here + step * e) - slope(here - step * e)) / (2 * step) for e in np.eye(size)])
    wanted = 2 / np.linalg.eigvalsh((hessian + hessian.T) / 2)[-1]
    assert dc.stable_learning_rate(of, positions, inputs=law) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.filterwarnings("ignore:learning_rate")
def test_runs_on_either_side_of_the_joint_limit():
    """At a rate the value block alone would allow (limit .862), the joint limit tells which run settles."""
    settles = dc.train(uneven(100), None, dc.GradientDescent(0.4), steps=20_000)
    assert settles.status == "completed"
    law = 4 * 2 * 2 / 4
    assert float(settles.data.excess_loss[-1] * settles.data.time[-1]) == pytest.approx(law, rel=0.05)
    stalls = dc.train(uneven(200), None, dc.GradientDescent(0.4), steps=20_000)
    assert stalls.status == "stalled"
    assert float(stalls.data.excess_loss[-1]) > 1


def test_data_that_never_switches_a_relu_on_has_no_limit():
    of = dc.Teacher([[1.0]], [[1.0]], dc.relu)
    assert dc.stable_learning_rate(of, inputs=dc.inputs.Empirical(-np.ones((1, 1, 1)))) == np.inf
    wide = dc.Teacher([[1.0, 1.0]], np.eye(3), dc.relu)
    assert dc.stable_learning_rate(wide, inputs=dc.inputs.Empirical(-np.ones((1, 2, 3)))) == np.inf


def test_smallest_teacher():
    assert dc.stable_learning_rate(dc.Teacher([[3.0]], [[1.0]])) == pytest.approx(2.0)
