"""Everything a run is given, checked and made whole before its first step."""

from collections.abc import Sequence
from types import NoneType
from typing import Any, NamedTuple, cast

import numpy as np

from docendo.checks import is_real
from docendo.files import content_hash, to_json
from docendo.inputs import Inputs, white
from docendo.population.loss import has_exact_loss
from docendo.randomness import as_key, describe_key
from docendo.steps import SaveAt, resolve_steps, resolve_times
from docendo.students.base import Student
from docendo.students.position_only import PositionOnly
from docendo.students.symmetric import SymmetricStudent
from docendo.teachers.base import Teacher
from docendo.teachers.symmetric import AnyTeacher, SymmetricTeacher
from docendo.training.base import Dynamics, Problem, Reading
from docendo.training.dataset import provenance
from docendo.training.flow import GradientFlow
from docendo.training.nouns import describe
from docendo.training.reduced import Reduced
from docendo.training.sharding import shards

__all__ = ["Plan", "plan"]


class Plan(NamedTuple):
    """What is trained, how, where it is recorded, and the facts that a stored run carries."""

    dynamics: Dynamics
    problem: Problem
    saves: list[Reading]
    attributes: dict[str, Any]


def plan(
    teacher: AnyTeacher,
    student: Student | None,
    dynamics: Dynamics,
    steps: Reading | None,
    time: Reading | None,
    inputs: Inputs | None,
    test_inputs: Inputs | None,
    key: Any,
    save_at: SaveAt,
) -> Plan:
    """Check the arguments of `train`, and fill in what was left out.

    Raises:
        ValueError: an argument breaks its rule.
    """
    _check_kinds(teacher, student, dynamics, inputs, test_inputs)
    start = _zero_start(teacher) if student is None else student
    problem = _problem(teacher, start, dynamics, inputs, test_inputs, key)
    saves = _saves(dynamics, steps, time, save_at)
    return Plan(dynamics, problem, saves, _attributes(dynamics, problem, saves))


def _check_kinds(teacher: Any, student: Any, dynamics: Any, inputs: Any, test_inputs: Any) -> None:
    """Raise unless each argument is the noun that its place asks for, as where two of them are swapped."""
    places: dict[str, tuple[Any, Any, str]] = {
        "teacher": (teacher, (Teacher, SymmetricTeacher), "dc.teachers.random(tokens=16, …)"),
        "student": (student, (Student, NoneType), "None, for the paper's start"),
        "dynamics": (dynamics, Dynamics, "dc.GradientDescent(0.1)"),
        "inputs": (inputs, (Inputs, NoneType), "dc.inputs.Gaussian()"),
        "test_inputs": (test_inputs, (Inputs, NoneType), "dc.inputs.Gaussian()"),
    }
    for name, (given, kinds, example) in places.items():
        if not isinstance(given, kinds):
            raise ValueError(
                f"{name} is of another kind than train(teacher, student, dynamics, steps) takes: got {given!r:.80}. "
                f"For example {name}={example}."
            )


def _zero_start(teacher: AnyTeacher) -> Student:
    return SymmetricStudent.zeros(teacher) if isinstance(teacher, SymmetricTeacher) else PositionOnly.zeros(teacher)


def _problem(
    teacher: AnyTeacher,
    student: Student,
    dynamics: Dynamics,
    inputs: Inputs | None,
    test_inputs: Inputs | None,
    key: Any,
) -> Problem:
    law = white if inputs is None else inputs
    if isinstance(teacher, SymmetricTeacher):
        return _scalar_problem(teacher, student, dynamics, law, test_inputs)
    for each in (law, test_inputs):
        if each is not None:
            each.check_sizes(teacher.features, teacher.tokens)
            each.check_moments()
    given = None if key is None else as_key(key, "key")
    problem = Problem(teacher, student, law, test_inputs, given)
    dynamics.check(problem)
    if given is None:
        _check_nothing_sampled(dynamics, problem)
    return problem


def _scalar_problem(
    teacher: SymmetricTeacher, student: Student, dynamics: Dynamics, law: Inputs, test_inputs: Inputs | None
) -> Problem:
    if not isinstance(dynamics, (Reduced, GradientFlow)):
        raise ValueError(
            f"{dynamics!r} needs V* and S*, and {teacher!r} is known by its support sizes alone. Train it by "
            "dc.Reduced(0.1) or dc.GradientFlow(), or make a teacher with arrays: dc.teachers.random(tokens=16, ...)."
        )
    # A problem of scalars is only ever seen by the dynamics named above, which ask what kind of teacher it has.
    problem = Problem(cast(Teacher, teacher), student, law, test_inputs, None)
    dynamics.check(problem)
    return problem


def _check_nothing_sampled(dynamics: Dynamics, problem: Problem) -> None:
    laws = [problem.inputs] + ([] if problem.test_inputs is None else [problem.test_inputs])
    reasons = [
        f"the excess loss under {law!r}" for law in laws if not has_exact_loss(problem.teacher, problem.student, law)
    ]
    if dynamics.needs_key:
        reasons.insert(0, f"{dynamics!r}")
    if reasons:
        raise ValueError(f"a key is required where something is sampled, here {' and '.join(reasons)}. Pass key=0.")


def _saves(dynamics: Dynamics, steps: Reading | None, time: Reading | None, save_at: SaveAt) -> list[Reading]:
    wanted, other = (steps, time) if dynamics.clock == "steps" else (time, steps)
    name, example = ("steps", "10**6") if dynamics.clock == "steps" else ("time", "1e6")
    if wanted is None or other is not None:
        raise ValueError(f"{dynamics!r} needs {name}= and nothing else to say how long it runs. Pass {name}={example}.")
    whole = is_real(wanted) and (dynamics.clock == "time" or float(wanted).is_integer())
    if not whole or not (np.isfinite(wanted) and wanted >= 0) or (dynamics.clock == "time" and wanted == 0):
        raise ValueError(f"{name} must be finite and not negative, steps whole, got {wanted!r}. Pass {name}={example}.")
    return list(resolve_steps(save_at, int(wanted)) if name == "steps" else resolve_times(save_at, float(wanted)))


def _attributes(dynamics: Dynamics, problem: Problem, saves: Sequence[Reading]) -> dict[str, Any]:
    """What the run depended on, and its hash: versions and device count, since they decide the last bits."""
    settings = to_json(dynamics.settings(problem))
    facts = provenance() | {"dynamics": repr(dynamics), "settings": settings}
    facts |= {"inputs": repr(problem.inputs), "test_inputs": repr(problem.test_inputs)}
    if isinstance(dynamics, GradientFlow):
        facts["form"] = dynamics.form(problem)
    if shards(problem.teacher) > 1:
        facts["devices"] = shards(problem.teacher)
    facts["key"] = [] if problem.key is None else describe_key(problem.key)
    nouns = [describe(noun, "noun") for noun in problem[:4]]
    return facts | {"configuration": content_hash([facts, [list(noun) for noun in nouns], saves])}
