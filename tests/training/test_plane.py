"""The fast loop: the same steps as the general one, in the plane of every row, however small what is left."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import docendo as dc
from docendo.training import plane
from docendo.training.base import Problem

EPS = np.finfo(float).eps
ACTIVATIONS = [dc.identity, dc.relu, dc.leaky_relu(0.1)]


def teacher(activation, tokens=6, sparsity=2, seed=0):
    return dc.teachers.random(
        tokens=tokens, sparsity=sparsity, features=3, channels=2, activation=activation, seed=seed
    )


def random_start(of, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    return dc.PositionOnly(size * rng.standard_normal(of.value.shape), rng.standard_normal(of.scores.shape))


def near(of, distance, seed=0):
    """Values off by `distance`, and about as much attention mass outside the supports."""
    rng = np.random.default_rng(seed)
    gap = np.log(1 / distance) * np.sqrt(of.tokens)
    value = of.value + distance * rng.standard_normal(of.value.shape)
    return dc.PositionOnly(value, gap * np.array(of.support) + 0.1 * rng.standard_normal(of.scores.shape))


def one_step(of, student, rate):
    state = plane.place(of, student)
    moved = plane.parameters(of, plane.descend(of, student.logit_scale, jnp.asarray(rate), state, jnp.asarray(1)))
    start = plane.parameters(of, state)
    return {name: (np.array(start[name]) - np.array(moved[name])) / rate for name in start}


@pytest.mark.parametrize("tokens", [6, 130])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_step_is_the_gradient(activation, tokens):
    """Both layouts of S; a difference of two roundings of entries of order 1 costs a few EPS over the rate."""
    of = teacher(activation, tokens)
    student = random_start(of)
    wanted = dc.gradient(of, student)
    for name, slope in one_step(of, student, rate=1.0).items():
        largest = float(jnp.abs(getattr(wanted, name)).max())
        np.testing.assert_allclose(slope, getattr(wanted, name), rtol=0, atol=1e-13 * largest + 32 * EPS, err_msg=name)


@pytest.mark.parametrize("distance", [1e-3, 1e-6])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_near_the_teacher(activation, distance):
    """A large rate makes the step large, so that the gradient can be read off it; rounding δ costs EPS / distance."""
    of = teacher(activation)
    student = near(of, distance)
    wanted = dc.gradient(of, student)
    for name, slope in one_step(of, student, rate=1 / distance**2).items():
        largest = float(jnp.abs(getattr(wanted, name)).max())
        np.testing.assert_allclose(slope, getattr(wanted, name), rtol=0, atol=100 * EPS / distance * largest)


@pytest.mark.parametrize("size", [1e-6, 1e-12, 1e-160])
def test_small_values_keep_their_direction(size):
    """The gradient depends on the direction of w_m, however short w_m is; 1e-160 squared is below the range."""
    of = teacher(dc.relu)
    student = random_start(of, size=size)
    wanted = dc.gradient(of, student)
    for name, slope in one_step(of, student, rate=1.0).items():
        largest = float(jnp.abs(getattr(wanted, name)).max())
        np.testing.assert_allclose(slope, getattr(wanted, name), rtol=0, atol=1e-13 * largest + 32 * EPS, err_msg=name)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_zero_start_is_exact_and_stays_on_the_line(activation):
    of = teacher(activation)
    state = plane.place(of, dc.PositionOnly.zeros(of))
    assert not state.along.any()
    assert not state.across.any()
    moved = plane.descend(of, jnp.asarray(0.4), jnp.asarray(0.1), state, jnp.asarray(20))
    assert not moved.across.any()
    assert float(moved.along.min()) > 0


def test_a_state_stands_for_its_student():
    of = teacher(dc.relu)
    for student in (random_start(of), near(of, 1e-8), random_start(of, size=1e-12)):
        value = plane.parameters(of, plane.place(of, student))["value"]
        scale = jnp.abs(student.value).max()
        np.testing.assert_allclose(value, student.value, rtol=0, atol=8 * EPS * scale)


def test_the_remainder_of_a_column_loses_no_more_than_its_bound():
    """y − x²/‖s*‖² ≥ y/(D‖s*‖²) for columns that sum to one, with equality where δ is along (s* − 1/D)."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        tokens = int(rng.integers(2, 9))
        target = rng.dirichlet(np.full(tokens, 0.3))
        for scores in (rng.dirichlet(np.full(tokens, 0.3)), 0.9 * target + 0.1 / tokens):
            error = scores - target
            x, y, square = error @ target, error @ error, target @ target
            assert y - x * x / square >= y / (tokens * square) * (1 - 1e-9) - 1e-15 * y


def test_which_problems_fit():
    of = teacher(dc.identity)
    plain, turned = dc.PositionOnly.zeros(of), dc.PositionOnly.zeros(of, dc.positions.orthogonal(6, seed=0))
    skewed = dc.PositionOnly.zeros(of, dc.positions.gaussian(6, 6, seed=0))
    correlated = dc.inputs.Gaussian(token_covariance=np.eye(6) + 0.1)

    white = dc.inputs.Gaussian()

    def fits(student, law=white):
        return plane.fits(Problem(of, student, law, None, None))

    assert fits(plain)
    assert fits(turned)
    assert fits(plain, dc.inputs.Exponential(centred=True))
    assert not fits(skewed)
    assert not fits(plain, correlated)
    assert not fits(plain, dc.inputs.Exponential())
    assert not fits(plain, dc.inputs.Gaussian(mean=np.ones((3, 6))))


def test_the_number_of_steps_does_not_compile_again(caplog):
    of = teacher(dc.relu)
    tau, rate, state = jnp.asarray(0.4), jnp.asarray(0.1), plane.place(of, random_start(of))
    three, four, seven = (jnp.asarray(steps) for steps in (3, 4, 7))
    half_way = plane.descend(of, tau, rate, state, three)
    with jax.log_compiles():
        end, straight = plane.descend(of, tau, rate, half_way, four), plane.descend(of, tau, rate, state, seven)
    assert not [record for record in caplog.records if "Compiling" in record.getMessage()]
    assert all(np.array_equal(one, other) for one, other in zip(end, straight, strict=True))


def test_angles_on_the_unit_circle():
    """Against NumPy's atan2 from either end to the other; 2 roundings, and NumPy's own."""
    tiny = 10.0 ** np.linspace(-300, 0, 2001)
    angles = np.concatenate([np.linspace(0, np.pi, 2001), tiny, np.pi - tiny])
    sine, cosine = np.abs(np.sin(angles)), np.cos(angles)
    found = plane.unit_circle_angle(jnp.asarray(sine), jnp.asarray(cosine))
    np.testing.assert_allclose(found, np.arctan2(sine, cosine), rtol=3 * EPS)
