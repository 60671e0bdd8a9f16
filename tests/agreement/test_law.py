"""The law against long exact runs: descent, its reduced form and its flow, which know nothing of it."""

import warnings

import numpy as np
import pytest

import docendo as dc
from tests.instances import trapping

TOKENS = 5
STEPS = 100_000
SLOPES = {"identity": dc.identity, "leaky": dc.leaky_relu(0.3), "relu": dc.relu}
CASES = [
    (sigma, equal, uniform, correlated)
    for correlated in (False, True)
    for sigma in SLOPES
    for equal in (True, False)
    for uniform in (True, False)
]


def draw(number, sigma, equal, uniform):
    """A teacher with ‖V*‖ = 3 and weights in a ratio of at most 3, and correlated inputs for it."""
    rng = np.random.default_rng(number)
    scores = np.zeros((TOKENS, TOKENS))
    for i in range(TOKENS):
        size = 2 if equal else rng.integers(1, TOKENS + 1)
        chosen = rng.choice(TOKENS, size, replace=False)
        weights = np.ones(size) if uniform else rng.uniform(1, 3, size)
        scores[chosen, i] = weights / weights.sum()
    value = rng.standard_normal((2, 3))
    token, feature = rng.standard_normal((TOKENS, TOKENS)), rng.standard_normal((3, 3))
    inputs = dc.inputs.Gaussian(
        feature @ feature.T / 6 + np.eye(3) / 2, token @ token.T / (2 * TOKENS) + np.eye(TOKENS) / 2
    )
    return dc.Teacher(3 * value / np.linalg.norm(value), scores, SLOPES[sigma]), inputs


@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES, start=1)), ids=lambda value: str(value))
def test_descent_on_random_teachers(number, case):
    """24 teachers. What the next order leaves of ηT × excess loss is of order log T / T, so that it falls by about
    10 log(t/10)/log t ≈ 7 to 8 from one decade to the next (10 where that order is known as well); the two errors
    have corrections of order (ηT)^(−1/2) with coefficients of order 1, below 0.02 at ηT > 10⁴."""
    sigma, equal, uniform, correlated = case
    teacher, given = draw(number, sigma, equal, uniform)
    inputs = given if correlated else None
    law = dc.universal_law(teacher, inputs=inputs)
    rate = 0.5 * dc.stable_learning_rate(teacher, inputs=inputs)
    run = dc.train(teacher, None, dc.GradientDescent(rate), STEPS, inputs=inputs, save_at=[STEPS // 10, STEPS])
    time = run.data.time.values
    assert law.label == "law"
    assert law.excess_loss == pytest.approx(sum(k * (TOKENS - k) for k in teacher.support_sizes) / 4, rel=1e-12)
    left = run.data.excess_loss.values * time / law.excess_loss - law.correction.ratio(time, rate)
    assert abs(left[1]) < 2e-3
    assert abs(left[1]) < abs(left[0]) / 6
    root = np.sqrt(time[1])
    assert run.data.score_error.values[1] * root == pytest.approx(law.score_error, rel=0.02)
    assert run.data.value_error.values[1] * root == pytest.approx(law.value_error, rel=0.02)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("sparsity", [1, 3])
def test_the_limit_does_not_depend_on_the_learning_rate_and_the_next_order_does(share, sparsity):
    """Between t and 10 t, t (ratio − 1) grows by (l − η/2) log 10, up to terms of order log² t / t < 1e-2."""
    teacher = dc.teachers.symmetric(6, sparsity, 3.0)
    rate = share * 2 * sparsity / 6
    start = dc.SymmetricStudent.zeros(teacher)
    run = dc.train(teacher, start, dc.Reduced(rate), 10**7, save_at=[10**6, 10**7])
    law = dc.universal_law(teacher)
    time = run.data.time.values
    ratio = run.data.excess_loss.values * time / law.excess_loss
    grown = np.diff(time * (ratio - 1))[0] / np.log(10)
    assert abs(ratio[1] - 1) < 2e-4
    assert grown == pytest.approx(law.correction.log - rate / 2, rel=1e-2)


def test_another_start_than_zero_is_forgotten_at_the_predicted_rate():
    """D = 4, K = 1, white: differences between masses of a column die out like t^(−1/4), in the loss like t^(−1/2)."""
    rng = np.random.default_rng(5)
    teacher = dc.teachers.random(4, sparsity=1, features=3, channels=2, activation=dc.identity, seed=1)
    start = dc.PositionOnly(0.3 * teacher.value, 2 * rng.standard_normal((4, 4)))
    run = dc.train(teacher, start, dc.GradientFlow(), time=1e12, save_at=[1e10, 1e12])
    law = dc.universal_law(teacher)
    left = run.data.excess_loss.values * run.data.time.values / law.excess_loss - 1
    assert law.memory_exponent == 1 / 4
    assert np.log(left[0] / left[1]) / np.log(100) == pytest.approx(2 * law.memory_exponent, rel=0.03)


def encodings():
    """What `positions` may be besides orthonormal: random, learned, sinusoidal, and of rank 4 < D = 6."""
    rng = np.random.default_rng(0)
    return {
        "gaussian, wide": dc.positions.gaussian(6, 48, seed=0),
        "gaussian": dc.positions.gaussian(6, 12, seed=1),
        "learned": np.eye(6) + 0.3 * rng.standard_normal((6, 6)),
        "sinusoidal": dc.positions.sinusoidal(6, 32),
        "rank 4": rng.standard_normal((4, 6)),
    }


@pytest.mark.parametrize("name", list(encodings()))
def test_the_flow_with_positions_that_are_not_orthonormal(name):
    """Masses whose gaps open at rates near the slowest one die out slowly, like a small power of time."""
    teacher = dc.teachers.random(6, sparsity=1, features=3, channels=2, activation=dc.identity, seed=3)
    student = dc.PositionOnly.zeros(teacher, encodings()[name])
    law = dc.universal_law(teacher, positions=student.positions)
    run = dc.train(teacher, student, dc.GradientFlow(rtol=1e-8), time=1e12, save_at=[1e8, 1e12])
    ratio = run.data.excess_loss.values * run.data.time.values / law.excess_loss
    assert law.applies is None
    assert abs(ratio[1] - 1) < 4e-3
    assert abs(ratio[1] - 1) < abs(ratio[0] - 1)
    assert abs(law.excess_loss / dc.universal_law(teacher).excess_loss - 1) > 0.02


@pytest.mark.parametrize("sigma", ["identity", "relu"])
@pytest.mark.parametrize("uniform", [True, False])
def test_dense_columns_converge_exponentially(sigma, uniform):
    """A step multiplies the slowest part of the loss by (1 − ηr/2)²; after 30 e-folds nothing else is left at 1 %."""
    rng = np.random.default_rng(2)
    weights = np.ones((4, 4)) if uniform else rng.uniform(1, 3, (4, 4))
    teacher = dc.Teacher(4 * rng.standard_normal((2, 3)), weights / weights.sum(0), SLOPES[sigma])
    law = dc.universal_law(teacher)
    rate = 0.3 * dc.stable_learning_rate(teacher)
    factor = 2 * np.log1p(-rate * law.decay_rate / 2)
    steps = int(-30 / factor)
    run = dc.train(teacher, None, dc.GradientDescent(rate), steps, save_at=[steps - steps // 6, steps])
    measured = np.diff(np.log(run.data.excess_loss.values))[0] / (steps // 6)
    assert law.excess_loss == law.score_error == law.value_error == 0
    assert law.applies is False
    assert measured == pytest.approx(factor, rel=0.01)


def test_a_trap_is_predicted_and_found():
    teacher, inputs = trapping()
    law = dc.universal_law(teacher, inputs=inputs)
    run = dc.train(teacher, None, dc.GradientDescent(0.1), 10**5, inputs=inputs, save_at=[10**4, 10**5])
    loss = run.data.excess_loss.values
    assert law.applies is False
    assert float(run.data.c1[-1]) < 0
    assert loss[1] > 0.98 * loss[0] > 100 * law.excess_loss / run.data.time.values[0]


def test_rounding_does_not_break_the_symmetry_of_uniform_columns_but_a_kick_does():
    """Between the limit of the value block, K/D · 2/(α+β), and that of the logits on a support, which is half of it.

    A kick of 1e-12 doubles with every step there.
    """
    size, tokens = 2, 8
    groups = np.repeat(np.arange(tokens // size), size)
    scores = (groups[:, None] == groups) / size
    # The logit block τ²(α+β)‖V*‖²/K² is twice the value block (α+β) D/K.
    teacher = dc.Teacher(np.sqrt(2 * size * tokens**2) * np.ones((1, 1)), scores)
    value_limit = 2 * size / tokens
    assert dc.stable_learning_rate(teacher) == pytest.approx(value_limit / 2, rel=1e-9)
    rng = np.random.default_rng(0)
    zero = dc.PositionOnly.zeros(teacher)
    kicked = zero.with_parameters({"key_query": 1e-12 * rng.standard_normal((tokens, tokens))})
    ratios, spreads = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for student in (zero, kicked):
            run = dc.train(teacher, student, dc.GradientDescent(0.75 * value_limit), 20_000, save_at=[100, 20_000])
            ratios.append(float(run.data.excess_loss[-1] * run.data.time[-1]) / dc.universal_law(teacher).excess_loss)
            spreads.append(float(run.data.logit_spread_inside.max()))
    assert spreads[0] == 0
    assert ratios[0] == pytest.approx(1, abs=1e-3)
    assert ratios[1] > 100
