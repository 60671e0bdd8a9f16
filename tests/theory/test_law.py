import numpy as np
import pytest

import docendo as dc
from tests.instances import trapping


def powers(tokens, size, norm, tau, slope):
    """The closed forms for equal K, uniform columns, white inputs; from the statement of the law alone."""
    moment = (1 + slope**2) / 2
    loss = size * (tokens - size) / (4 * tau**2)
    value = (tokens - size) * np.sqrt(size / (2 * moment)) / (tau * np.sqrt(tokens))
    score = tokens * np.sqrt((tokens - size) / (2 * moment)) / (norm * tau * np.sqrt(tokens))
    return loss, value, score


@pytest.mark.parametrize(("tokens", "size"), [(8, 1), (8, 4), (10**6, 3)])
@pytest.mark.parametrize("slope", [1.0, 0.0, 0.3])
@pytest.mark.parametrize("tau", [None, 0.7])
def test_equal_k_and_uniform_columns(tokens, size, slope, tau):
    law = dc.universal_law(dc.teachers.symmetric(tokens, size, 3.0, dc.leaky_relu(slope)), logit_scale=tau)
    loss, value, score = powers(tokens, size, 3.0, tokens**-0.5 if tau is None else tau, slope)
    assert law.excess_loss == pytest.approx(loss, rel=1e-12)
    assert law.value_error == pytest.approx(value, rel=1e-12)
    assert law.score_error == pytest.approx(score, rel=1e-12)
    assert law.label == "law"
    assert law.applies is None


def test_logits_smaller_by_d_bring_the_papers_powers_of_d():
    """With τ = D^(−3/2): D⁴, D² and D^(5/2) of arXiv 2603.22801, Theorem 3.1; at D ≫ K the factors D − K are D."""
    small, large = (
        dc.universal_law(dc.teachers.symmetric(tokens, 1, 3.0), logit_scale=tokens**-1.5) for tokens in (10**4, 10**6)
    )
    for name, power in (("excess_loss", 4), ("value_error", 2), ("score_error", 2.5)):
        assert getattr(large, name) / getattr(small, name) == pytest.approx(100**power, rel=1e-3)


def test_arrays_and_support_sizes_agree():
    teacher = dc.Teacher(
        np.ones((2, 3)), np.array([[1, 0.5, 0, 0.25], [0, 0.5, 0, 0.25], [0, 0, 0, 0.25], [0, 0, 1, 0.25]])
    )
    sizes = dc.teachers.symmetric(4, {1: 2, 2: 1, 4: 1}, np.sqrt(6))
    by_arrays, by_sizes = dc.universal_law(teacher), dc.universal_law(sizes)
    for name in ("excess_loss", "value_error", "score_error", "onset"):
        assert getattr(by_arrays, name) == pytest.approx(getattr(by_sizes, name), rel=1e-12)
    assert by_arrays.correction.half == pytest.approx(by_sizes.correction.half, rel=1e-10)


def test_unequal_weights_move_the_score_error_alone():
    """‖S − S*‖² is (D−K) u² (D + (D−K) Σ ‖s*_i‖²/D · …): for D = 4 and weights (.8, .2) the factor is √(2.36/2)."""
    scores = 0.8 * np.eye(4) + 0.2 * np.roll(np.eye(4), 1, axis=0)
    law = dc.universal_law(dc.Teacher(np.ones((1, 1)), scores))
    loss, value, score = powers(4, 2, 1.0, 0.5, 1.0)
    assert law.excess_loss == pytest.approx(loss)
    assert law.value_error == pytest.approx(value)
    assert law.score_error == pytest.approx(score * np.sqrt((1 + 2 * 0.68) / 2))


def test_a_common_length_of_the_encodings_acts_through_the_logit_scale():
    teacher = dc.teachers.random(6, sparsity=2, features=3, channels=2, seed=0)
    short = dc.universal_law(teacher, positions=0.5 * np.asarray(dc.positions.orthogonal(6, seed=1)))
    plain = dc.universal_law(teacher, logit_scale=0.25 * 6**-0.5)
    assert short.label == "law"
    assert short.excess_loss == pytest.approx(plain.excess_loss, rel=1e-12)
    assert short.score_error == pytest.approx(plain.score_error, rel=1e-12)


def test_labels_say_what_is_proved():
    teacher = dc.teachers.random(6, sparsity=2, features=3, channels=2, seed=0)
    near = dc.universal_law(teacher, positions=np.eye(6) + 0.01 * np.ones((6, 6)))
    far = dc.universal_law(teacher, positions=dc.positions.gaussian(6, 12, seed=0))
    narrow = dc.universal_law(teacher, positions=dc.positions.gaussian(6, 5, seed=0))
    assert near.label == "law"
    assert far.label == narrow.label == "conjecture"
    assert near.score_error is not None and far.score_error is not None
    assert narrow.score_error is None and "rank 5" in narrow.missing["score_error"]
    assert far.correction is None and "orthonormal" in far.missing["correction"]


def violated(law):
    return [each.name for each in law.conditions if each.holds is False]


def test_conditions_are_checked_on_the_instance():
    teacher = dc.teachers.random(6, sparsity=2, features=3, channels=2, seed=0)
    assert violated(dc.universal_law(teacher)) == []
    teacher_in_trap, inputs = trapping()
    assert violated(dc.universal_law(teacher_in_trap, inputs=inputs)) == ["the first step moves W_V towards V*"]
    assert violated(dc.universal_law(dc.teachers.symmetric(4, 4, 1.0))) == ["a column has K < D"]
    one = dc.universal_law(teacher, positions=np.ones((1, 6)))
    assert violated(one) == ["W_KQ can select the supports"] and one.excess_loss == np.inf
    absolute = dc.Teacher(teacher.value, teacher.scores, dc.activations.LeakyReLU(-1.0))
    assert violated(dc.universal_law(absolute)) == ["κ ≠ −1"]


def test_what_is_not_derived_says_why():
    teacher = dc.teachers.random(6, sparsity=2, features=3, channels=2, activation=dc.identity, seed=0)
    data = dc.universal_law(teacher, inputs=dc.inputs.Empirical(np.random.default_rng(0).standard_normal((50, 3, 6))))
    assert data.excess_loss == pytest.approx(12) and data.score_error is None
    assert "no Kronecker covariance" in data.missing["score_error"]
    assert [each.holds for each in data.conditions if "quadratic" in each.name] == [None]
    mean = dc.universal_law(teacher, inputs=dc.inputs.Exponential())
    assert mean.value_error is None and "have a mean" in mean.missing["value_error"]
    assert dc.universal_law(teacher, inputs=dc.inputs.Exponential(centred=True)).value_error is not None


def test_the_law_as_text():
    text = str(dc.universal_law(dc.teachers.symmetric(8, 2, 3.0)))
    assert "excess_loss × ηT → 24" in text
    assert "holds: a column has K < D (columns are stochastic, K = 2 … 2 of D = 8)" in text
    assert "exp(−2 ηT)" in str(dc.universal_law(dc.teachers.symmetric(8, 8, 3.0)))


def test_bad_input():
    sizes = dc.teachers.symmetric(8, 2, 3.0)
    with pytest.raises(ValueError, match="has no supports, which the law needs"):
        dc.universal_law(sizes, positions=dc.positions.gaussian(8, 16, seed=0))
    with pytest.raises(ValueError, match="support sizes alone, which say enough under white inputs"):
        dc.universal_law(sizes, inputs=dc.inputs.Gaussian(token_covariance=np.eye(8) + 0.1))
    with pytest.raises(ValueError, match="positions has axes .width, tokens. with tokens=8, got tokens=6"):
        dc.universal_law(sizes, positions=np.eye(6))
    with pytest.raises(ValueError, match="logit_scale must be positive"):
        dc.universal_law(sizes, logit_scale=0.0)
    with pytest.raises(ValueError, match="up to tokens=40, got tokens=41"):
        dc.universal_law(dc.Teacher(np.ones((1, 1)), np.eye(41)), positions=np.tri(41))
    with pytest.raises(ValueError, match="token_covariance has axes"):
        teacher = dc.teachers.random(6, sparsity=2, features=3, channels=2, seed=0)
        dc.universal_law(teacher, inputs=dc.inputs.Gaussian(token_covariance=np.eye(5)))
