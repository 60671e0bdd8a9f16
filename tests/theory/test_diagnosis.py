"""Each reason on an instance."""

import warnings

import numpy as np
import optax
import pytest

import docendo as dc
from tests.instances import trapping


def names(diagnosis):
    return [reason.name for reason in diagnosis.reasons]


def reduced(teacher, rate, steps):
    return dc.train(teacher, dc.SymmetricStudent.zeros(teacher), dc.Reduced(rate), steps)


def unequal(norm_square):
    """D = 4, weights (.7, .3): the joint limit depends on ‖V*‖², the value's own is .862."""
    scores = 0.7 * np.eye(4) + 0.3 * np.roll(np.eye(4), 1, axis=0)
    return dc.Teacher(np.sqrt(norm_square) * np.ones((1, 1)), scores)


def test_a_trap_before_and_after_the_run():
    teacher, inputs = trapping()
    before = dc.diagnose(teacher, 0.05, 10**5, inputs=inputs)
    run = dc.train(teacher, None, dc.GradientDescent(0.05), 2000, inputs=inputs, save_at=[1, 2000])
    after = dc.why_not(run, inputs=inputs)
    for diagnosis in (before, after):
        assert diagnosis.seen is False and names(diagnosis) == ["trap"]
        assert "Σ_i 1ᵀΣ_D s*_i = -4" in diagnosis.reasons[0].detail
    assert after.ratio > 10


def test_another_start_may_end_in_the_trap_too():
    """With correlated inputs it stays there; with white ones a start on the wrong side comes back."""
    teacher, inputs = trapping()
    start = dc.PositionOnly(-0.1 * teacher.value, np.zeros((4, 4)))
    run = dc.train(teacher, start, dc.GradientDescent(0.05), 2000, inputs=inputs, save_at=[2000])
    trapped = dc.why_not(run, inputs=inputs)
    assert names(trapped) == ["trap"] and "along −V*, C1 = -0." in trapped.reasons[0].detail
    back = dc.train(teacher, start, dc.GradientDescent(0.05), 10**4, save_at=[10**4])
    assert dc.why_not(back).seen


def test_overshoot():
    teacher = dc.teachers.symmetric(8, 1, np.sqrt(2048))
    before = dc.diagnose(teacher, 0.225, 100)
    run = reduced(teacher, 0.225, 100)
    after = dc.why_not(run)
    for diagnosis in (before, after):
        assert diagnosis.seen is False and names(diagnosis) == ["overshoot"]
        assert diagnosis.ratio == pytest.approx(0.0524, rel=1e-2)
        assert diagnosis.reasons[0].steps == dc.time_to_asymptotics(teacher, 0.225, 0.05)
        assert "η‖V*‖²τ² = 57.6" in diagnosis.reasons[0].detail
    assert dc.diagnose(teacher, 0.225, 10**6).seen
    assert dc.why_not(reduced(teacher, 0.225, 10**6)).reasons == ()


def test_onset_not_reached():
    teacher = dc.teachers.symmetric(8, 2, 0.5, dc.relu)
    before, after = dc.diagnose(teacher, 0.1, 100), dc.why_not(reduced(teacher, 0.1, 100))
    needed = dc.time_to_asymptotics(teacher, 0.1, 0.05)
    for diagnosis in (before, after):
        assert diagnosis.seen is False and names(diagnosis) == ["onset"]
        assert diagnosis.reasons[0].steps == needed > 100
        # K³/(2τ²(α+β)‖V*‖²D) over η
        assert f"the law needs T ≫ {8 / (2 / 8 * 0.5 * 0.25 * 8) / 0.1:.3g}" in diagnosis.reasons[0].detail
    assert dc.why_not(reduced(teacher, 0.1, int(needed))).seen


def test_onset_in_a_flow_is_told_in_its_own_time():
    teacher = dc.teachers.symmetric(8, 2, 0.5, dc.relu)
    start = dc.SymmetricStudent.zeros(teacher)
    flow = dc.why_not(dc.train(teacher, start, dc.GradientFlow(), time=10.0))
    assert names(flow) == ["onset"] and "at ηT = 10 " in flow.reasons[0].detail
    assert flow.reasons[0].steps == pytest.approx(0.1 * dc.time_to_asymptotics(teacher, 0.1, 0.05), rel=0.02)


def test_above_the_joint_limit():
    """At η = .40 the law is followed for ‖V*‖² = 100 (joint limit .404) and not for 200 (.217)."""
    fine = dc.train(unequal(100.0), None, dc.GradientDescent(0.40), 20_000, save_at=dc.log_spaced(30))
    assert dc.why_not(fine).seen
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = dc.train(unequal(200.0), None, dc.GradientDescent(0.40), 20_000, save_at=dc.log_spaced(30))
    for diagnosis in (dc.diagnose(unequal(200.0), 0.40, 20_000), dc.why_not(run)):
        assert names(diagnosis) == ["stability limit"]
        assert "η = 0.4 is at or above 0.216719" in diagnosis.reasons[0].detail


def test_so_close_below_the_limit_that_nothing_can_be_predicted():
    found = dc.diagnose(dc.teachers.symmetric(8, 1, 600.0), 0.25 * (1 - 1e-4), 10**6)
    assert found.seen is None and names(found) == ["stability limit"]


def test_uniform_columns_have_another_limit_from_zero_than_from_a_kick():
    scores = (np.arange(4)[:, None] // 2 == np.arange(4) // 2) / 2
    teacher = dc.Teacher(8 * np.ones((1, 1)), scores)
    rate = 0.75
    assert dc.stable_learning_rate(teacher) == pytest.approx(0.5)
    assert dc.diagnose(teacher, rate, 10**5).seen
    kicked = dc.PositionOnly(1e-9 * np.ones((1, 1)), 1e-9 * np.arange(16.0).reshape(4, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = dc.train(teacher, kicked, dc.GradientDescent(rate), 2000, save_at=dc.log_spaced(30))
    assert names(dc.why_not(run)) == ["stability limit"]


def test_dense_columns_and_positions_that_cannot_select():
    assert names(dc.diagnose(dc.teachers.symmetric(5, 5, 1.0), 0.1, 100)) == ["dense columns"]
    teacher = dc.Teacher(np.ones((1, 1)), np.eye(3))
    assert names(dc.diagnose(teacher, 0.1, 100, positions=np.ones((1, 3)))) == ["positions"]
    assert dc.diagnose(teacher, 0.1, 100, positions=np.tri(3)).seen is None


def test_the_law_is_not_about_other_dynamics():
    teacher = dc.Teacher(np.ones((1, 2)), np.eye(3))
    run = dc.train(teacher, None, dc.Online(optax.sgd(0.1), batch_size=8), 50, key=0)
    assert names(dc.why_not(run)) == ["dynamics"]


def test_late_corrections_without_a_prediction():
    """Correlated inputs: T from the measured ratio and its T^(−1/2)."""
    teacher = dc.Teacher(np.ones((1, 2)), np.eye(3), dc.relu)
    inputs = dc.inputs.Gaussian(token_covariance=np.eye(3) + 0.2)
    run = dc.train(teacher, None, dc.GradientDescent(0.3), 2000, inputs=inputs, save_at=[2000])
    found = dc.why_not(run, inputs=inputs, tolerance=1e-3)
    assert names(found) == ["onset"] and found.ratio > 1
    assert found.reasons[0].steps == pytest.approx(2000 * ((found.ratio - 1) / 1e-3) ** 2)


def test_text():
    text = str(dc.diagnose(dc.teachers.symmetric(5, 5, 1.0), 0.1, 100))
    assert text.startswith("law not seen: ηT × excess loss is nan of its limit 0\n  dense columns: ")
    assert str(dc.diagnose(dc.teachers.symmetric(5, 1, 2.0), 0.1, 10**6)).startswith(
        "law seen: ηT × excess loss is 1.00"
    )


def test_bad_input():
    teacher, inputs = trapping()
    run = dc.train(teacher, None, dc.GradientDescent(0.05), 10, inputs=inputs)
    with pytest.raises(
        ValueError, match=r"trained under Gaussian\(token_covariance=\(4, 4\)\), but inputs=Gaussian\(\)"
    ):
        dc.why_not(run)
    relu = dc.Teacher(teacher.value, teacher.scores, dc.relu)
    run = dc.train(relu, None, dc.Online(optax.sgd(0.1), batch_size=8), 5, inputs=dc.inputs.Exponential(), key=0)
    with pytest.raises(ValueError, match="recorded no exact excess loss"):
        dc.why_not(run, inputs=dc.inputs.Exponential())
