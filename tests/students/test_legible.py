"""What prints as a student, as a gradient, or as a tree of something else: nothing with such a structure raises."""

import jax
import numpy as np
import pytest

import docendo as dc

OF = dc.teachers.random(tokens=4, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
STUDENTS = {
    "one head": dc.PositionOnly.zeros(OF),
    "heads": dc.MultiHead(np.ones((2, 2, 3)), np.ones((2, 4, 4))),
    "content": dc.ContentAttention.zeros(OF),
    "scalars": dc.SymmetricStudent.zeros(dc.teachers.symmetric(8, 2, 1.0)),
}


@pytest.mark.parametrize("student", STUDENTS.values(), ids=STUDENTS)
@pytest.mark.parametrize(
    "leaf", [lambda x: None, lambda x: object(), np.sum, lambda x: "name"], ids=["None", "objects", "sums", "names"]
)
def test_trees_of_anything_print(student, leaf):
    assert repr(jax.tree.map(leaf, student)).startswith(type(student).__name__)


@pytest.mark.parametrize("student", STUDENTS.values(), ids=STUDENTS)
def test_students_and_their_shapes_print(student):
    assert repr(student).startswith(f"{type(student).__name__}(") and "\n" not in repr(student)
    assert type(student).__name__ in repr(jax.eval_shape(lambda given: given, student))


@pytest.mark.parametrize("name", ["one head", "heads"])
def test_a_gradient_does_not_pass_for_a_student(name):
    student = STUDENTS[name]
    assert repr(dc.gradient(OF, student)).startswith(f"gradient in the structure of {type(student).__name__}(")


def test_a_traced_student_prints():
    said = []
    jax.jit(lambda student: said.append(repr(student)))(STUDENTS["one head"])
    assert said[0].startswith("PositionOnly(tokens=4") and "logit_scale=traced" in said[0]
