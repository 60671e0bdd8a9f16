import numpy as np
import pytest

import docendo as dc
from docendo.theory.kinds import kinds_of


def test_the_table_of_a_teacher():
    scores = np.array([[0.5, 0, 0.2], [0.5, 0.5, 0.8], [0, 0.5, 0]])
    kinds = kinds_of(dc.Teacher(np.ones((1, 1)), scores))
    assert kinds.tokens == 3
    assert sorted(kinds.counts) == [1, 2]
    assert kinds.sizes.tolist() == [2, 2]
    assert (kinds.counts * kinds.squares).sum() == pytest.approx((scores**2).sum())
    assert (kinds.copies * kinds.weights).sum(1) == pytest.approx([1, 1])
    assert (kinds.counts * kinds.reciprocals).sum() == pytest.approx(8 + 1 / 0.2 + 1 / 0.8)
    assert kinds.least_weight == 0.2 and not kinds.is_uniform


def test_support_sizes_alone():
    kinds = kinds_of(dc.teachers.symmetric(10**6, {1: 10, 10**6: 10**6 - 10}, 1.0))
    assert kinds.sizes.tolist() == [1, 10**6] and kinds.counts.tolist() == [10, 10**6 - 10]
    assert kinds.is_uniform and kinds.least_weight == 1e-6
