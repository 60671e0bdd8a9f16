"""The gradient flow: against SciPy, against what is known in closed form, and to times no descent reaches."""

import numpy as np
import pytest

import docendo as dc
from tests import oracles_training

ACTIVATIONS = [dc.identity, dc.relu, dc.leaky_relu(0.1)]
FULL_AND_REDUCED = [False, True]
TIMES = [0.1, 1.0, 10.0, 100.0]
TRAP = np.array([[0.5, -0.5, -0.5, -0.5], [-0.5, 1.09, 1, 1], [-0.5, 1, 1.09, 1], [-0.5, 1, 1, 1.09]])


def scores(tokens=4):
    """Unequal weights, mixed supports."""
    columns = np.zeros((tokens, tokens))
    columns[0, 0], columns[:2, 1], columns[1:, 2], columns[:, 3] = 1, [0.7, 0.3], [0.5, 0.2, 0.3], [0.4, 0.3, 0.2, 0.1]
    return columns


def covariances(seed=3):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((3, 3)), rng.standard_normal((4, 4))
    return a @ a.T / 3 + np.eye(3), b @ b.T / 4 + np.eye(4)


def teacher(activation, seed=0):
    return dc.Teacher(np.random.default_rng(seed).standard_normal((2, 3)), scores(), activation)


def some_start(of, positions=None, seed=1):
    rng = np.random.default_rng(seed)
    width = 4 if positions is None else positions.shape[0]
    return dc.PositionOnly(rng.standard_normal((2, 3)), 0.5 * rng.standard_normal((width, width)), positions)


def scipy_flow(of, student, law=None):
    gram = None if student.positions is None else np.asarray(student.positions.T @ student.positions)
    features, tokens = (None, None) if law is None else (law.feature_covariance, law.token_covariance)
    parts = (student.value, student.logits, of.value, of.scores)
    covariances = [None if part is None else np.asarray(part) for part in (features, tokens)]
    scale = float(student.logit_scale)
    return oracles_training.flow(*map(np.asarray, parts), float(of.activation.slope), scale, TIMES, *covariances, gram)


def leaving(of, features, tokens):
    """Unit rows w with w ∥ −∂L/∂w at w → 0, from where the first step of descent points, by going along."""
    value, columns, slope = np.asarray(of.value), np.asarray(of.scores), float(of.activation.slope)
    rows = value @ features
    for _ in range(2000):
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        slopes = oracles_training.gradient(1e-9 * rows, np.zeros((4, 4)), value, columns, slope, features, tokens)[0]
        rows = rows - 0.1 * slopes / np.linalg.norm(slopes, axis=1, keepdims=True)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# Each line is a program of its own to compile, but for the slope of the activation.
@pytest.mark.parametrize(
    ("activation", "kind"),
    [
        (dc.identity, "white"),
        (dc.relu, "white"),
        (dc.leaky_relu(0.1), "white"),
        (dc.relu, "correlated"),
        (dc.leaky_relu(-0.4), "correlated"),
        (dc.relu, "positions"),
    ],
    ids=repr,
)
def test_against_scipy(activation, kind):
    """Any start: white and correlated inputs, orthonormal P and another."""
    of = teacher(activation)
    features, tokens = covariances()
    law = dc.inputs.Gaussian(features, tokens) if kind == "correlated" else None
    student = some_start(of, dc.positions.gaussian(4, 4, seed=2) if kind == "positions" else None)
    values, logits = scipy_flow(of, student, law)
    seen = {"value": lambda at: at.value, "logits": lambda at: at.logits}
    run = dc.train(of, student, dc.GradientFlow(rtol=1e-10), time=100.0, save_at=TIMES, inputs=law, observe=seen)
    assert run.data.attrs["form"] == "values and logits"
    # SciPy's own tolerance is 1e-11 a step; what both leave is 1e-8 on numbers of order 1.
    np.testing.assert_allclose(run.data.value, values, atol=3e-8)
    np.testing.assert_allclose(run.data.logits, logits, atol=3e-8)
    np.testing.assert_allclose(run.data.excess_loss[-1], dc.excess_loss(of, run.student, law), rtol=1e-9)


@pytest.mark.parametrize("width", [3, 6])
def test_positions_of_any_width(width):
    of = teacher(dc.identity)
    student = some_start(of, dc.positions.gaussian(4, width, seed=5))
    values, logits = scipy_flow(of, student)
    run = dc.train(of, student, dc.GradientFlow(rtol=1e-10), time=100.0, save_at=TIMES)
    np.testing.assert_allclose(run.student.value, values[-1], atol=3e-8)
    np.testing.assert_allclose(run.student.logits, logits[-1], atol=3e-8)


@pytest.mark.parametrize("activation", [dc.relu, dc.leaky_relu(0.1)], ids=repr)
def test_from_zero_with_correlated_features(activation):
    """Rows at zero leave along directions in which their own gradient points; SciPy starts 1e-8 along those.

    The angle it takes from an arccos is good to 1e-8 only, and at zero the direction is all there is.
    """
    of = teacher(activation)
    features, tokens = covariances()
    nudged = dc.PositionOnly(1e-8 * leaving(of, features, tokens), np.zeros((4, 4)))
    values, _ = scipy_flow(of, nudged, dc.inputs.Gaussian(features, tokens))
    law = dc.inputs.Gaussian(features, tokens)
    run = dc.train(
        of, None, dc.GradientFlow(), time=100.0, save_at=TIMES, inputs=law, observe={"value": lambda at: at.value}
    )
    np.testing.assert_allclose(run.data.value, values, atol=1e-6)


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=repr)
def test_the_law_at_ten_to_the_fifteen(activation):
    """ηT times the loss tends to Σ K_i (D − K_i)/4 for unequal weights too, like T^(−1/2) at the slowest."""
    run = dc.train(teacher(activation), None, dc.GradientFlow(), time=1e15, save_at=[1e15])
    limit = (3 + 4 + 3 + 0) / 4
    assert float(run.data.excess_loss[-1]) * 1e15 == pytest.approx(limit, rel=1e-6)
    assert float(run.data.local_exponent[-1]) == pytest.approx(-1, abs=1e-6)


@pytest.mark.parametrize("reduce", FULL_AND_REDUCED)
def test_the_local_exponent_is_the_derivative(reduce):
    """Central differences of the recorded curve, early and where little is left to move."""
    of = dc.teachers.random(tokens=4, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
    times = np.concatenate([np.geomspace(start, 2 * start, 15) for start in (2.0, 1e10)])
    run = dc.train(of, None, dc.GradientFlow(reduce=reduce), time=times[-1], save_at=times)
    for part in (slice(0, 15), slice(15, 30)):
        exponent, loss = run.data.local_exponent.to_numpy()[part], run.data.excess_loss.to_numpy()[part]
        slope = np.gradient(np.log(loss), np.log(times[part]))
        # The third derivative by log t is of order 1 early, times a sixth of the squared spacing of 0.05.
        np.testing.assert_allclose(exponent[1:-1], slope[1:-1], atol=1e-3 if part.start == 0 else 1e-6)
        assert (np.diff(loss) < 0).all()


def test_every_token_selected_is_exponential_and_exact():
    """K = D: x = −e^(−(α+β) t), exact where it is far below rounding, alone and beside other columns."""
    of = dc.teachers.symmetric(5, 5, 3.0, dc.relu)
    run = dc.train(of, None, dc.GradientFlow(), time=300.0, save_at=[1.0, 30.0, 300.0])
    np.testing.assert_allclose(run.data.excess_loss, 0.25 * 9 * np.exp(-np.array([1.0, 30.0, 300.0])), rtol=1e-12)
    np.testing.assert_allclose(run.data.local_exponent, [-1.0, -30.0, -300.0], rtol=1e-12)
    assert not run.data.gap.any()
    mixed = dc.train(dc.teachers.symmetric(4, {1: 1, 4: 3}, 3.0), None, dc.GradientFlow(), time=1e12, save_at=[1e12])
    assert float(mixed.data.excess_loss[-1]) * 1e12 == pytest.approx(3 / 4, rel=1e-5)


def test_the_error_falls_with_rtol():
    of = dc.teachers.symmetric(64, {1: 32, 8: 32}, 8.0, dc.leaky_relu(0.1))
    times = np.geomspace(1, 1e12, 13)
    best, *rest = (
        dc.train(of, None, dc.GradientFlow(rtol=rtol), time=1e12, save_at=times).data.excess_loss.to_numpy()
        for rtol in (1e-12, 1e-6, 1e-8, 1e-10)
    )
    errors = [float(np.abs(curve / best - 1).max()) for curve in rest]
    assert all(error < 100 * rtol for error, rtol in zip(errors, (1e-6, 1e-8, 1e-10), strict=True))
    assert errors[0] > 10 * errors[1] > 100 * errors[2] > 0


def test_how_often_it_is_saved_makes_no_difference():
    of = dc.teachers.random(tokens=4, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
    for reduce in FULL_AND_REDUCED:
        seldom = dc.train(of, None, dc.GradientFlow(reduce=reduce), time=1e9, save_at=[1e9])
        often = dc.train(of, None, dc.GradientFlow(reduce=reduce), time=1e9, save_at=dc.log_spaced(60, first=1e-3))
        assert float(often.data.excess_loss[-1]) == pytest.approx(float(seldom.data.excess_loss[-1]), rel=1e-8)


def test_checkpoints_resume(tmp_path):
    of = dc.teachers.random(tokens=4, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
    for reduce in FULL_AND_REDUCED:
        flow, folder = dc.GradientFlow(reduce=reduce), tmp_path / str(reduce)
        first = dc.train(of, None, flow, time=1e4, save_at=[1.0, 1e4], checkpoint=folder)
        again = dc.train(of, None, flow, time=1e4, save_at=[1.0, 1e4], checkpoint=folder)
        np.testing.assert_array_equal(first.data.excess_loss, again.data.excess_loss)
        np.testing.assert_array_equal(first.student.value, again.student.value)


def test_round_trip_through_a_file(tmp_path):
    of = dc.teachers.symmetric(10**6, {1: 500_000, 4: 500_000}, 10.0, dc.relu)
    run = dc.train(of, None, dc.GradientFlow(), time=1e12, save_at=[1e6, 1e12])
    back = dc.load_run(run.save(tmp_path / "run.nc"))
    np.testing.assert_array_equal(back.data.excess_loss, run.data.excess_loss)
    assert repr(back.teacher) == repr(of)
    assert float(back.student.shift) == float(run.student.shift) != 0
    assert back.data.attrs["form"] == "scalars"


def test_a_trap_is_a_status():
    """Correlated tokens whose first step points away from V* (every column selects token 0) stay at a positive loss."""
    of = dc.Teacher(np.array([[1.0, -0.5, 0.3], [0.2, 0.4, 0.0]]), np.eye(4)[:, [0, 0, 0, 0]], dc.relu)
    assert TRAP[0].sum() < 0
    run = dc.train(
        of, None, dc.GradientFlow(), time=1e15, save_at=dc.log_spaced(100), inputs=dc.inputs.Gaussian(np.eye(3), TRAP)
    )
    assert run.status == "stalled"
    assert float(run.data.c1[1]) < 0
    assert float(run.data.excess_loss[-1]) > 0.1


def test_small_and_large_teachers():
    """At the law's time scale ‖V*‖² makes no difference in the end; a small one only starts late."""
    for norm in (1e-2, 1e3):
        run = dc.train(dc.teachers.symmetric(8, 1, norm), None, dc.GradientFlow(), time=1e15, save_at=[1e15])
        assert float(run.data.excess_loss[-1]) * 1e15 == pytest.approx(14, rel=1e-5)


@pytest.mark.parametrize("rtol", [0.0, 1e-14, 0.1, np.nan])
def test_refuses_a_tolerance_it_cannot_keep(rtol):
    with pytest.raises(ValueError, match=r"rtol (lies between 1e-13 and 0.01|must be positive and finite), got rtol="):
        dc.GradientFlow(rtol=rtol)


def test_refuses_what_it_cannot_integrate():
    of = teacher(dc.relu)
    flow = dc.GradientFlow()
    with pytest.raises(ValueError, match="GradientFlow moves a PositionOnly student.* is a MultiHead"):
        dc.train(of, dc.MultiHead(np.zeros((2, 2, 3)), np.zeros((2, 4, 4))), flow, time=1.0)
    with pytest.raises(ValueError, match="of this problem its inputs are not white: feature_covariance"):
        bare = dc.teachers.symmetric(4, 1, 1.0)
        dc.train(bare, None, flow, time=1.0, inputs=dc.inputs.Gaussian(2 * np.eye(3)))
    with pytest.raises(ValueError, match="under Gaussian inputs of mean zero.*Exponential"):
        dc.train(of, None, flow, time=1.0, inputs=dc.inputs.Exponential(centred=True))
    with pytest.raises(ValueError, match="under Gaussian inputs of mean zero.*mean"):
        dc.train(teacher(dc.identity), None, flow, time=1.0, inputs=dc.inputs.Gaussian(mean=np.ones((3, 4))))
    wide = dc.teachers.random(tokens=64, sparsity=2, features=3, channels=2, seed=0)
    with pytest.raises(ValueError, match=r"couples all logits .* 4102 unknowns are too many \(at most 2500\)"):
        dc.train(wide, dc.PositionOnly.zeros(wide, dc.positions.gaussian(64, 64, seed=0)), flow, time=1.0)
    with pytest.raises(ValueError, match="needs time= and nothing else"):
        dc.train(of, None, flow, steps=10)
