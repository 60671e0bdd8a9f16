import math

import numpy as np
import pytest

import docendo as dc

EXAMPLE = (8, 1, np.sqrt(2048.0))


def train(teacher, rate, steps, saves):
    start = dc.SymmetricStudent.zeros(teacher)
    run = dc.train(teacher, start, dc.Reduced(rate), steps, save_at=saves)
    ratio = run.data.excess_loss.values * run.data.time.values / dc.universal_law(teacher).excess_loss
    return run.data.step.values, ratio


def test_the_example_of_a_large_value_near_the_limit_of_stability():
    """D = 8, K = 1, ‖V*‖² = 2048 at 0.9 of the limit: the gap overshoots, and the law comes down to it slowly.

    Early steps set e^(2g) = E0, and then the ratio is 2aηT/(2aηT + E0), whose E0 the step at ratio ½ gives.
    """
    teacher, rate = dc.teachers.symmetric(*EXAMPLE), 0.9 * 0.25
    steps, ratio = train(teacher, rate, 10**6, [100, 10**4, 10**6])
    assert ratio == pytest.approx([0.052, 0.847, 0.998], abs=1e-3)
    half = dc.time_to_asymptotics(teacher, rate, 0.5)
    assert steps / (steps + half) == pytest.approx(ratio, rel=0.03)
    for tolerance in (0.1, 0.01):
        assert dc.time_to_asymptotics(teacher, rate, tolerance) == pytest.approx(half * (1 / tolerance - 1), rel=0.03)


@pytest.mark.parametrize("norm", [1.0, 10.0])
@pytest.mark.parametrize("share", [0.1, 0.9])
@pytest.mark.parametrize("sigma", ["identity", "relu"])
def test_against_runs(norm, share, sigma):
    """One step before, the ratio is outside; from there on it is inside, to 2 % of T."""
    activation = {"identity": dc.identity, "relu": dc.relu}[sigma]
    teacher = dc.teachers.symmetric(6, {1: 2, 2: 4}, norm, activation)
    rate = share * 2 / (float(activation.second_moment) * (2 + 4 / 2))
    predicted = dc.time_to_asymptotics(teacher, rate, 0.02)
    assert predicted == round(predicted)
    steps, ratio = train(teacher, rate, int(30 * predicted), dc.log_spaced(400))
    outside = np.abs(ratio - 1) > 0.02
    assert outside[steps < 0.98 * predicted][-1]
    assert not outside[steps > 1.02 * predicted].any()


def test_exact_where_steps_are_followed():
    teacher = dc.teachers.symmetric(6, 1, 20.0)
    predicted = int(dc.time_to_asymptotics(teacher, 0.05, 0.3))
    assert predicted < 1000
    steps, ratio = train(teacher, 0.05, 1000, range(predicted - 4, 1001))
    assert ((np.abs(ratio - 1) <= 0.3) == (steps >= predicted)).all()


def test_unequal_weights_wait_for_the_smallest():
    """A weight ε relaxes at the rate τ²(α+β)‖V*‖²ε²: ten times smaller, a hundred times later and more."""
    times = []
    for small in (0.05, 0.005):
        scores = (1 - small) * np.eye(4) + small * np.roll(np.eye(4), 1, axis=0)
        times.append(dc.time_to_asymptotics(dc.Teacher(3 * np.ones((1, 1)), scores), 0.2, 0.05))
    assert times[1] > 80 * times[0]


def test_never():
    teacher = dc.teachers.symmetric(8, 1, 2.0)
    assert dc.time_to_asymptotics(teacher, 0.2499, 0.1) < math.inf
    assert dc.time_to_asymptotics(teacher, 0.25, 0.1) == math.inf
    assert dc.time_to_asymptotics(dc.teachers.symmetric(8, 1, 2e3), 0.125, 0.1) == math.inf


def test_an_overshoot_by_hundreds_of_orders_of_magnitude():
    """The loss after the jump, 2.45e-205, stays; the ratio is T/(T + T½) with T½ = 14/(η L)."""
    teacher = dc.teachers.symmetric(8, 1, 1e3)
    start = dc.SymmetricStudent.zeros(teacher)
    loss = float(dc.train(teacher, start, dc.Reduced(0.125), 1000).data.excess_loss[-1])
    assert loss < 1e-200
    half = 14 / (0.125 * loss)
    assert dc.time_to_asymptotics(teacher, 0.125, 0.1) == pytest.approx(9 * half, rel=0.01)


def test_bad_input():
    teacher = dc.teachers.symmetric(8, 1, 2.0)
    with pytest.raises(ValueError, match="learning_rate must be positive"):
        dc.time_to_asymptotics(teacher, -0.1)
    with pytest.raises(ValueError, match="tolerance lies between 1e-05 and 0.5, got 0.9"):
        dc.time_to_asymptotics(teacher, 0.1, 0.9)
    with pytest.raises(ValueError, match="no column with K < D: its excess loss falls exponentially"):
        dc.time_to_asymptotics(dc.teachers.symmetric(8, 8, 2.0), 0.1)
