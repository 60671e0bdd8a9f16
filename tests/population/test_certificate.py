"""The certificate: an upper bound for any test law, sharp at the worst labels."""

from typing import Any

import jax
import numpy as np
import pytest
from numpy.typing import NDArray

import docendo as dc
from docendo.population.certificate import certificate, preactivation_gap

D, FEATURES, CHANNELS = 5, 3, 2
TOKENS = (np.eye(D) + np.ones((D, D))) / 2
SAMPLES = 40_000

Array = NDArray[np.float64]


def pair(activation: dc.Activation, seed: int = 0) -> tuple[dc.Teacher, dc.PositionOnly]:
    """A teacher and a student in the middle of training."""
    teacher = dc.teachers.random(D, sparsity=2, features=FEATURES, channels=CHANNELS, activation=activation, seed=seed)
    draw = np.random.default_rng(seed)
    value = teacher.value + 0.3 * draw.standard_normal((CHANNELS, FEATURES))
    return teacher, dc.PositionOnly(value, 2 * draw.standard_normal((D, D)), activation=activation)


def gaps(teacher: dc.Teacher, student: dc.PositionOnly, law: Any, samples: int = SAMPLES) -> tuple[Array, Array]:
    """f*(X̃) and TF(X̃) on a sample of the law."""
    x = law.sample(jax.random.key(7), samples, FEATURES, D)
    return np.asarray(teacher(x)), np.asarray(student(x))


LAWS = [
    dc.inputs.white,
    dc.inputs.Gaussian(token_covariance=TOKENS),
    dc.inputs.Gaussian(feature_covariance=np.diag([4.0, 1.0, 0.25])),
    dc.inputs.Exponential(),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_gap_is_that_of_the_second_moments(law: Any) -> None:
    """B² = E‖W_V X̃ S − V* X̃ S*‖², by sampling: within five standard errors."""
    teacher, student = pair(dc.identity)
    ours, theirs = gaps(teacher, student, law)
    squares = ((ours - theirs) ** 2).sum((1, 2))
    error = squares.std() / SAMPLES**0.5
    assert float(preactivation_gap(teacher, student, law)) ** 2 == pytest.approx(squares.mean(), abs=5 * error)


@pytest.mark.parametrize("scale", [0.0, 0.5, 3.0])
def test_the_worst_labels_attain_it(scale: float) -> None:
    """Ỹ = f* − λ (TF − f*) on the identity: both sides are the same polynomial in λ, so any data show the equality."""
    teacher, student = pair(dc.identity)
    x = np.random.default_rng(1).standard_normal((64, FEATURES, D))
    law = dc.inputs.Empirical(x)
    truth, guess = np.asarray(teacher(x)), np.asarray(student(x))
    labels = truth - scale * (guess - truth)
    excess = 0.5 * ((labels - guess) ** 2 - (labels - truth) ** 2).sum((1, 2)).mean()
    distance = np.sqrt(((labels - truth) ** 2).sum((1, 2)).mean())
    bound = float(certificate(teacher, student, law, label_distance=distance))
    assert bound == pytest.approx(excess, rel=1e-10)


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("slope", [0.0, 0.1])
def test_no_labels_exceed_it(slope: float, law: Any) -> None:
    """Labels that push against the student as far as they are allowed, and noise: the sampled excess stays below."""
    teacher, student = pair(dc.leaky_relu(slope), seed=3)
    truth, guess = gaps(teacher, student, law)
    noise = np.random.default_rng(2).standard_normal(truth.shape)
    for labels in (truth, truth - (guess - truth), truth + noise, truth - 2 * (guess - truth) + noise):
        each = 0.5 * ((labels - guess) ** 2 - (labels - truth) ** 2).sum((1, 2))
        distance = np.sqrt(((labels - truth) ** 2).sum((1, 2)).mean())
        bound = float(certificate(teacher, student, law, label_distance=distance))
        assert each.mean() <= bound + 5 * each.std() / SAMPLES**0.5
        assert bound < 60 * abs(each.mean())  # and it is no idle bound


def test_independent_noise_needs_no_distance() -> None:
    """Labels f* + noise: the excess is ½E‖f* − TF‖², which ½B² bounds for a ReLU and equals for the identity."""
    for activation, share in ((dc.identity, 1.0), (dc.relu, 0.5)):
        teacher, student = pair(activation)
        excess = float(dc.excess_loss(teacher, student))
        bound = float(certificate(teacher, student))
        assert excess <= bound * (1 + 1e-12)
        assert excess == pytest.approx(share * bound, rel=1e-12 if share == 1 else 0.3)


def test_it_falls_with_training() -> None:
    """½B² like 1/T, B times a label distance like T^(−1/2)."""
    teacher = dc.teachers.random(D, sparsity=2, features=FEATURES, channels=CHANNELS, activation=dc.relu, seed=0)
    law = dc.inputs.Exponential()
    watch = {
        "noise": lambda student: certificate(teacher, student, law),
        "worst": lambda student: certificate(teacher, student, law, label_distance=1.0),
    }
    steps = [10_000, 100_000]
    run = dc.train(teacher, None, dc.GradientDescent(0.1), steps=steps[-1], save_at=steps, observe=watch)
    for name, power in {"noise": -1, "worst": -0.5}.items():
        first, last = run.data[name].values
        assert np.log10(last / first) == pytest.approx(power, abs=0.05)


def test_bad_input() -> None:
    teacher, student = pair(dc.relu)
    with pytest.raises(ValueError, match=r"label_distance is a root mean square, at least 0, got -1\.0"):
        certificate(teacher, student, label_distance=-1.0)
    other, _ = pair(dc.leaky_relu(0.1))
    with pytest.raises(ValueError, match="share their tokens"):
        certificate(dc.teachers.random(4, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0), student)
    assert float(certificate(other, student.without_activation())) > 0
