"""The scalar recursion as a kind of dynamics: what it refuses, what it records, and sizes that no array could have."""

import jax
import numpy as np
import pytest

import docendo as dc

ASYMMETRIC = "Reduced needs uniform columns, a start at zero, an orthonormal P and white inputs, but of this problem "


def teacher(activation=dc.relu, **changes):
    sizes = {"tokens": 6, "sparsity": 2, "features": 3, "channels": 2} | changes
    return dc.teachers.random(**sizes, activation=activation, seed=0)


def uneven(weights=(0.7, 0.3)):
    scores = np.eye(4)
    scores[:2, 2] = weights
    scores[2, 2] = 0
    return dc.Teacher(np.ones((1, 2)), scores)


def refuses(message, of, student=None, **options):
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        dc.train(of, student, dc.Reduced(0.1), steps=3, **options)


def test_refuses_what_lacks_the_symmetry_and_says_how_much():
    refuses(
        ASYMMETRIC + "column 2 of its scores is not uniform on its support: an entry differs by 0.2 from 1/2", uneven()
    )
    of = teacher()
    refuses(
        "start is not zero: value has an entry of size 0.5", of, dc.PositionOnly(np.full((2, 3), 0.5), np.zeros((6, 6)))
    )
    tilted = np.zeros((6, 6))
    tilted[1, 2] = -0.25
    refuses("start is not zero: key_query has an entry of size 0.25", of, dc.PositionOnly(np.zeros((2, 3)), tilted))
    skew = dc.PositionOnly.zeros(of, 2 * np.eye(6))
    refuses("positions are not orthonormal: PᵀP differs from the unit matrix by up to 3", of, skew)
    refuses("feature_covariance differs from the unit matrix by up to 1", of, inputs=dc.inputs.Gaussian(2 * np.eye(3)))
    refuses("inputs have a mean, of size up to 2", of, inputs=dc.inputs.Gaussian(mean=np.full((3, 6), 2.0)))
    refuses("not Gaussian (Exponential(centred=True)) and relu is not linear", of, inputs=dc.inputs.Exponential(True))
    refuses("its student is a MultiHead", of, dc.MultiHead(np.zeros((2, 2, 3)), np.zeros((2, 6, 6))))
    refuses("Train it in full: dc.GradientDescent(0.1)", uneven())


@pytest.mark.parametrize("rate", [0.0, -1.0, np.inf])
def test_refuses_a_rate_that_is_not_positive(rate):
    with pytest.raises(ValueError, match="learning_rate must be positive and finite"):
        dc.Reduced(rate)


def test_other_dynamics_refuse_a_teacher_without_arrays():
    of = dc.teachers.symmetric(8, 2, 1.0)
    with pytest.raises(
        ValueError, match="GradientDescent.* needs V\\* and S\\*.* support sizes alone. Train it by dc.Reduced"
    ):
        dc.train(of, None, dc.GradientDescent(0.1), steps=2)
    with pytest.raises(ValueError, match="test_inputs need a teacher with arrays"):
        dc.train(of, None, dc.Reduced(0.1), steps=2, test_inputs=dc.inputs.white)


@pytest.mark.parametrize("activation", [dc.identity, dc.relu], ids=repr)
def test_arrays_or_sizes_alone_make_no_difference(activation):
    of = teacher(activation)
    bare = dc.teachers.symmetric(6, 2, of.value_norm, activation)
    full, scalar = (dc.train(each, None, dc.Reduced(0.2), steps=100) for each in (of, bare))
    for name in scalar.data:
        np.testing.assert_array_equal(full.data[name], scalar.data[name])
    assert float(scalar.student.value_scale) == float(full.data.c1[-1])
    np.testing.assert_allclose(float(scalar.student.inside[0]), np.asarray(full.student.scores).max(), rtol=1e-14)
    np.testing.assert_allclose(float(scalar.student.outside[0]), np.asarray(full.student.scores).min(), rtol=1e-14)


@pytest.mark.parametrize("positions", [None, dc.positions.orthogonal(6, seed=3)], ids=["unit", "orthogonal"])
def test_the_student_has_the_loss_recorded(positions):
    of = teacher()
    run = dc.train(of, dc.PositionOnly.zeros(of, positions), dc.Reduced(0.2), steps=500)
    last = run.data.isel(step=-1)
    np.testing.assert_allclose(float(dc.excess_loss(of, run.student)), float(last.excess_loss), rtol=1e-10)
    np.testing.assert_allclose(run.student.value, float(last.c1) * of.value, rtol=1e-15)
    pattern = np.asarray(run.student.pattern)
    np.testing.assert_allclose(pattern[of.support].mean(), float(last.c2), rtol=1e-12)
    np.testing.assert_allclose(-pattern[~np.asarray(of.support)].mean(), float(last.c3), rtol=1e-12)


def test_a_million_tokens():
    """At D = 10⁶ the first step and the first gap are known by hand: C1 = η α Σ 1/D, g = 0 until C1 is not."""
    of = dc.teachers.symmetric(10**6, {1: 400_000, 4: 600_000}, 30.0)
    run = dc.train(of, None, dc.Reduced(1e-6), steps=2, save_at=[0, 1, 2])
    np.testing.assert_allclose(run.data.c1, [0, 1e-6, 2e-6], rtol=1e-5)
    np.testing.assert_allclose(float(run.data.excess_loss[0]), 450 * (400_000 + 150_000), rtol=1e-14)
    assert run.data.gap[1] == 0
    assert run.data.gap[2] > 0
    assert repr(run.teacher).startswith("SymmetricTeacher(tokens=1000000, sparsity={1: 400000, 4: 600000}")


def test_runs_are_cut_bit_for_bit(tmp_path):
    of = teacher()
    often = dc.train(of, None, dc.Reduced(0.2), steps=300, save_at=range(300))
    seldom = dc.train(of, None, dc.Reduced(0.2), steps=300, save_at=[300], checkpoint=tmp_path)
    assert float(often.data.excess_loss[-1]) == float(seldom.data.excess_loss[-1])
    resumed = dc.train(of, None, dc.Reduced(0.2), steps=300, save_at=[300], checkpoint=tmp_path)
    assert float(resumed.data.c1[-1]) == float(seldom.data.c1[-1])


def test_a_scalar_student_is_a_start():
    """Half a run, and another from where it ended, are one run."""
    of = dc.teachers.symmetric(8, {1: 4, 3: 4}, 3.0, dc.relu)
    whole = dc.train(of, None, dc.Reduced(0.2), steps=80, save_at=[80])
    half = dc.train(of, None, dc.Reduced(0.2), steps=40, save_at=[40])
    rest = dc.train(of, half.student, dc.Reduced(0.2), steps=40, save_at=[40])
    assert float(whole.data.excess_loss[-1]) == float(rest.data.excess_loss[-1])
    with pytest.raises(ValueError, match="its start SymmetricStudent.* has other sizes"):
        dc.train(dc.teachers.symmetric(8, 2, 3.0), half.student, dc.Reduced(0.2), steps=1)


def test_statuses():
    of = dc.teachers.symmetric(8, 1, 2.0)
    assert dc.train(of, None, dc.Reduced(0.1), steps=10**4).status == "completed"
    with pytest.warns(UserWarning, match="at or above the stability limit 0.25 of C1"):
        wild = dc.train(of, None, dc.Reduced(3.0), steps=10**4)
    assert wild.status in ("diverged", "non_finite")
    assert "try dc.Reduced(0.2)" in wild.status.message
    with pytest.warns(UserWarning, match="stability limit"):
        stuck = dc.train(of, None, dc.Reduced(0.3), steps=10**4)
    assert stuck.status == "stalled"


@pytest.mark.parametrize(
    "of",
    [
        dc.teachers.symmetric(1, 1, 1.0, dc.relu),
        dc.teachers.symmetric(5, 5, 1.0, dc.leaky_relu(-0.9)),
        dc.teachers.symmetric(5, {1: 1, 5: 4}, 1.0, dc.leaky_relu(0.1)),
    ],
    ids=repr,
)
def test_edges_train(of):
    """One token; every token selected; a column that selects all beside one that selects one."""
    run = dc.train(of, None, dc.Reduced(0.3), steps=3000)
    assert run.status == "completed"
    assert float(run.data.excess_loss[-1]) < 1e-2 * float(run.data.excess_loss[0])
    assert np.isfinite(run.data.c2).all()


def test_traced_rates_and_sizes():
    """The recursion is a function of arrays: swept over K and η at once."""
    from docendo.training.reduced import descend
    from docendo.training.scalars import Profile, excess, start_scalars

    def final(size, rate):
        one = Profile(
            jax.numpy.array(8.0), size[None], jax.numpy.array([8.0]), jax.numpy.array(2.0), rate * 0 + 0.35, dc.relu
        )
        return excess(one, descend(one, start_scalars(one), rate, 50))

    sizes, rates = np.array([1.0, 2.0, 8.0]), np.array([0.1, 0.2, 0.3])
    swept = jax.vmap(final)(sizes, rates)
    for loss, size, rate in zip(swept, sizes, rates, strict=True):
        of = dc.teachers.symmetric(8, int(size), 2.0, dc.relu)
        start = dc.SymmetricStudent.zeros(of, logit_scale=0.35)
        run = dc.train(of, start, dc.Reduced(rate), steps=50, save_at=[50])
        np.testing.assert_allclose(float(loss), float(run.data.excess_loss[-1]), rtol=1e-12)
