import numpy as np
import pytest

from docendo.theory.margin import common_scale, hard_margin


def supports(tokens, size, seed):
    rng = np.random.default_rng(seed)
    inside = np.zeros((tokens, tokens), dtype=bool)
    for i in range(tokens):
        inside[rng.choice(tokens, size, replace=False), i] = True
    return inside


def metric(positions, support):
    """The matrix of the dual: H̃ ⊗ H on the places off the supports, H = (PᵀP)⁻¹, H̃ = H − H11ᵀH/(1ᵀH1)."""
    inverse = np.linalg.inv(positions.T @ positions)
    side = inverse.sum(1)
    left = inverse - np.outer(side, side) / side.sum()
    k, i = np.nonzero(~support)
    return left[np.ix_(k, k)] * inverse[np.ix_(i, i)], (k, i)


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_solves_the_complementarity_problem(size, seed):
    """N⁻¹ w = y − N⁻¹1 with w, y ≥ 0 and y·w = 0, which has one solution for a positive definite matrix."""
    positions = np.random.default_rng(seed).standard_normal((12, 6)) / np.sqrt(12)
    support = supports(6, size, seed)
    matrix, places = metric(positions, support)
    found = hard_margin(positions, support, logit_scale=0.5)
    y = found.multipliers[places] * 2 * 0.5**2
    gaps = np.linalg.solve(matrix, y)
    assert (y >= 0).all() and (y == 0).any()
    assert gaps.min() == pytest.approx(1, abs=1e-9)
    assert np.abs(y * (gaps - 1)).max() < 1e-9 * y.max()
    assert found.limit == pytest.approx(y.sum() / (4 * 0.5**2), rel=1e-9)
    assert found.rank == 6


def test_one_matrix_where_every_mass_carries_loss():
    """Then the limit is ⟨O, H̃OH⟩/(4τ²), O the indicator of what is off the supports."""
    positions, support = np.eye(5) + 0.02 * np.random.default_rng(0).standard_normal((5, 5)), supports(5, 2, 0)
    matrix, _ = metric(positions, support)
    found = hard_margin(positions, support, logit_scale=1.0)
    assert found.limit == pytest.approx(matrix.sum() / 4, rel=1e-10)
    assert (found.multipliers[~support] > 0).all()


def test_orthonormal_encodings_give_the_plain_law():
    positions = np.linalg.qr(np.random.default_rng(0).standard_normal((9, 6)))[0]
    found = hard_margin(positions, supports(6, 2, 0), logit_scale=0.5)
    assert found.limit == pytest.approx(6 * 2 * 4 / (4 * 0.25 * 6), rel=1e-10)
    assert found.multipliers[~supports(6, 2, 0)] == pytest.approx(np.full(24, 2 / (2 * 0.25 * 6)), rel=1e-9)


def test_large_and_small_encodings_differ_by_the_fourth_power_of_their_length():
    positions, support = np.random.default_rng(3).standard_normal((8, 5)), supports(5, 1, 3)
    plain = hard_margin(positions, support, logit_scale=1.0).limit
    for length in (1e-4, 1e3):
        assert hard_margin(length * positions, support, logit_scale=1.0).limit == pytest.approx(
            plain / length**4, rel=1e-8
        )


def test_no_solution():
    found = hard_margin(np.ones((1, 4)), supports(4, 1, 0), logit_scale=1.0)
    assert found.limit == np.inf and found.multipliers is None and found.rank == 1


def test_common_scale():
    orthogonal = np.linalg.qr(np.random.default_rng(0).standard_normal((7, 5)))[0]
    assert common_scale(3 * orthogonal) == pytest.approx(3, rel=1e-14)
    assert common_scale(orthogonal + 1e-9) is None
