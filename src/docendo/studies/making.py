"""What a cell's settings stand for: the teacher, the start, the dynamics, and the rest of `train`'s arguments."""

from typing import Any, NamedTuple

from docendo.inputs import Inputs
from docendo.steps import SaveAt, log_spaced
from docendo.studies import choices
from docendo.studies.schema import Saves, Settings
from docendo.teachers.symmetric import AnyTeacher
from docendo.theory.grammar import evaluate, parse_law
from docendo.theory.grammar.expressions import variables
from docendo.training.base import Dynamics

__all__ = ["Recipe", "make"]


class Recipe(NamedTuple):
    """The arguments of `docendo.train`."""

    teacher: AnyTeacher
    student: Any
    dynamics: Dynamics
    steps: int | None
    time: float | None
    inputs: Inputs | None
    test_inputs: Inputs | None
    key: int
    save_at: SaveAt


def make(settings: Settings) -> Recipe:
    """Make what the settings name.

    Raises:
        ValueError: a constructor refuses a value, or a parameter means nothing for it.
    """
    teacher = _teacher(settings)
    scale = _logit_scale(settings.student.logit_scale, teacher)
    student = choices.make_student(teacher, settings.student.positions, scale, settings.seed)
    given = settings.dynamics.model_dump(exclude={"kind"})
    dynamics, length = choices.make_dynamics(settings.dynamics.kind, given, teacher, student)
    return Recipe(
        teacher,
        student,
        dynamics,
        length.get("steps"),
        length.get("time"),
        choices.make_inputs(settings.inputs.law),
        choices.make_inputs(settings.inputs.test_law),
        settings.seed,
        _save_at(settings.saves),
    )


def _teacher(settings: Settings) -> AnyTeacher:
    given = settings.teacher.model_dump(exclude={"kind", "activation", "seed"})
    given["activation"] = choices.make_activation(settings.teacher.activation)
    seed = settings.seed if settings.teacher.seed is None else settings.teacher.seed
    return choices.make_teacher(settings.teacher.kind, given, seed)


def _save_at(saves: Saves) -> SaveAt:
    return log_spaced(saves.count, saves.first) if saves.at is None else list(saves.at)


def _logit_scale(given: float | str | None, teacher: AnyTeacher) -> float | None:
    if not isinstance(given, str):
        return given
    law = parse_law(given)
    largest = float(teacher.support_sizes.max())
    values = {"D": float(teacher.tokens), "K": largest, "V": float(teacher.value_norm)}
    if unknown := sorted(set(variables(law)) - set(values)):
        raise ValueError(f"student.logit_scale is a law in D, K and V, but {given!r} has {', '.join(unknown)}.")
    return float(evaluate(law, values))
