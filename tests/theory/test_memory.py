import numpy as np
import pytest

import docendo as dc
from docendo.theory.memory import memory_exponent


def exponent(teacher, covariance=None, gram=None):
    scores, tau = np.asarray(teacher.scores), teacher.tokens**-0.5
    pressure = np.where(scores > 0, 0, (scores > 0).sum(0) / (2 * tau**2 * teacher.tokens))
    tokens = np.eye(teacher.tokens) if covariance is None else covariance
    return memory_exponent(scores, tokens, pressure, float(teacher.value_norm) ** 2, tau, gram)


@pytest.mark.parametrize(("tokens", "size", "expected"), [(8, 1, 1 / 8), (6, 3, 1 / 2), (5, 4, 1.0)])
def test_white_inputs_and_equal_k(tokens, size, expected):
    teacher = dc.teachers.random(tokens, sparsity=size, features=2, channels=2, activation=dc.identity, seed=1)
    assert exponent(teacher) == pytest.approx(expected, rel=1e-9)
    assert exponent(teacher, gram=np.eye(tokens)) == pytest.approx(expected, rel=1e-9)
    assert dc.universal_law(teacher).memory_exponent == pytest.approx(expected, rel=1e-12)
    assert dc.universal_law(dc.teachers.symmetric(tokens, size, 1.0)).memory_exponent == pytest.approx(expected)


def test_the_slow_flow_itself():
    """Newton on dz/ds = ½ − τ² N y(z) for one free column, from its definition, gives the same Jacobian.

    D = 3, S* = 1: y = u ∘ (A u) with A by elimination of ξ and of the supports, N = 1 + 11ᵀ in each column.
    """
    root = np.array([[1.0, 0, 0], [0.4, 1, 0], [-0.3, 0.2, 1]])
    covariance, tau = root @ root.T, 3**-0.5
    places = [(j, i) for i in range(3) for j in range(3) if j != i]
    basis = np.zeros((6, 3, 3))
    for mass, (j, i) in enumerate(places):
        basis[mass, j, i], basis[mass, i, i] = 1, -1
    square = np.einsum("aji,jk,bki->ab", basis, covariance, basis)
    along = np.einsum("aji,ji->a", basis, covariance)
    hessian = square - np.outer(along, along) / np.trace(covariance)
    coupling = np.eye(6) + np.kron(np.eye(3), np.ones((2, 2)))
    target = np.full(6, 1 / 2)
    u = np.ones(6)
    for _ in range(60):
        gap = target - u * (hessian @ u)
        u = u * np.exp(0.5 * np.linalg.solve(np.diag(target) + u[:, None] * hessian * u, gap))
    slopes = np.diag(u * (hessian @ u)) + u[:, None] * hessian * u
    expected = tau**2 * np.linalg.eigvals(coupling @ slopes).real.min()
    teacher = dc.Teacher(np.ones((1, 1)), np.eye(3))
    assert np.abs(u * (hessian @ u) - target).max() < 1e-12
    assert exponent(teacher, covariance) == pytest.approx(expected, rel=1e-9)


def test_it_is_left_out_where_it_is_not_known():
    mixed = dc.teachers.symmetric(6, {1: 3, 2: 3}, 1.0)
    large = dc.Teacher(np.ones((1, 1)), np.vstack([np.ones((1, 40)), np.zeros((39, 40))]))
    inputs = dc.inputs.Gaussian(token_covariance=np.eye(40) + 0.1)
    assert dc.universal_law(mixed).memory_exponent is None
    assert dc.universal_law(large, inputs=inputs).memory_exponent is None
