"""The words and numbers of a command line, made into teachers, students and dynamics.

What may be given is read off the constructors' own signatures, so a flag that means nothing for the chosen teacher or
dynamics is an error and not ignored. Sizes left out are those of the paper's experiments (arXiv 2603.22801, Section 5).
"""

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from docendo.activations import Activation, identity, leaky_relu, relu
from docendo.inputs import Exponential, Gaussian, Inputs
from docendo.population import stable_learning_rate
from docendo.positions import orthogonal, sinusoidal
from docendo.students import PositionOnly, SymmetricStudent
from docendo.teachers import (
    Teacher,
    convolution,
    cycle,
    graph_convolution,
    group_sparse,
    patch_association,
    random,
    single_layer,
    sparse_token_selection,
    symmetric,
)
from docendo.teachers.symmetric import AnyTeacher
from docendo.training import GradientDescent, GradientFlow, Online, Reduced
from docendo.training.base import Dynamics

__all__ = [
    "CONSTRUCTORS",
    "DYNAMICS",
    "applies",
    "make_activation",
    "make_dynamics",
    "make_inputs",
    "make_list",
    "make_pair",
    "make_student",
    "make_teacher",
    "pick",
]

Start = PositionOnly | SymmetricStudent

_WIDE = {"features": 8, "channels": 4}

_SIZES: Mapping[Callable[..., AnyTeacher], Mapping[str, Any]] = {
    single_layer: {"tokens": 20} | _WIDE,
    convolution: {"grid": (6, 6), "pool": (2, 2)} | _WIDE,
    graph_convolution: {"tokens": 20} | _WIDE,
    sparse_token_selection: {"tokens": 20, "sparsity": 4, "features": 8},
    group_sparse: {"tokens": 20, "features": 8},
    patch_association: {"tokens": 20, "sparsity": 4} | _WIDE,
    random: {"tokens": 20, "sparsity": 4} | _WIDE,
    symmetric: {"tokens": 1000, "sparsity": 4, "value_norm": 8.0},
}

CONSTRUCTORS: Mapping[str, Callable[..., AnyTeacher]] = {constructor.__name__: constructor for constructor in _SIZES}

DYNAMICS: Mapping[str, tuple[str, ...]] = {
    "gradient_descent": ("learning_rate", "steps"),
    "online": ("learning_rate", "steps", "batch_size", "noise"),
    "reduced": ("learning_rate", "steps"),
    "flow": ("time",),
}

_POSITIONS: Mapping[str, Callable[[int, int], Any]] = {
    "identity": lambda tokens, seed: None,
    "orthogonal": lambda tokens, seed: orthogonal(tokens, seed=seed),
    # Sines and cosines come in pairs: an odd number of tokens takes one row more.
    "sinusoidal": lambda tokens, seed: sinusoidal(tokens, tokens + tokens % 2),
}

_INPUTS: Mapping[str, Callable[[], Inputs]] = {
    "gaussian": Gaussian,
    "exponential": Exponential,
    "centred_exponential": lambda: Exponential(centred=True),
}


def pick(what: str, name: str, known: Iterable[str]) -> str:
    """The name, if it is known.

    Raises:
        ValueError: it is not; the closest ones are named, or all where none is close.
    """
    names = {each.lower(): each for each in known}
    if name in names.values():
        return name
    close = [names[each] for each in difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)]
    hint = f"Did you mean {' or '.join(close)}?" if close else f"Choose from {', '.join(names.values())}."
    raise ValueError(f"there is no {what} {name!r}. {hint}")


def make_teacher(name: str, given: Mapping[str, Any], seed: int) -> AnyTeacher:
    """The teacher that a constructor of `docendo.teachers` makes.

    Args:
        name: the constructor's.
        given: its parameters by name; None stands for one that was left out.
        seed: for everything that is drawn.

    Raises:
        ValueError: an unknown name, a parameter that the constructor lacks, or a value that it refuses.
    """
    constructor = CONSTRUCTORS[pick("teacher", name, CONSTRUCTORS)]
    takes = inspect.signature(constructor).parameters
    chosen = _applicable(f"the teacher {name}", given, [size for size in given if applies(name, size)])
    # Tokens selected by hand settle how many there are.
    left_out = {"sparsity"} if "selected" in chosen else set()
    settings = {size: value for size, value in _SIZES[constructor].items() if size not in left_out} | chosen
    if "graph" in takes:
        settings["graph"] = cycle(settings.pop("tokens"))
    return constructor(**settings, **({"seed": seed} if "seed" in takes else {}))


def applies(teacher: str, parameter: str) -> bool:
    """Whether a parameter means something for a teacher; a graph is given by its number of tokens."""
    takes = inspect.signature(CONSTRUCTORS[teacher]).parameters
    return parameter in takes or (parameter == "tokens" and "graph" in takes)


def make_dynamics(
    name: str, given: Mapping[str, Any], teacher: AnyTeacher, student: Start
) -> tuple[Dynamics, dict[str, Any]]:
    """The dynamics, and what says how long it runs, as `train` takes it.

    Args:
        name: of the dynamics.
        given: learning_rate, steps, time, batch_size, noise; None stands for one that was left out. A learning rate
            left out is half of what is stable for the student near the teacher.
        teacher: f*.
        student: the start.

    Raises:
        ValueError: an unknown name, a parameter that the dynamics lacks, or a value that it refuses.
    """
    chosen = _applicable(f"the dynamics {name}", given, DYNAMICS[pick("dynamics", name, DYNAMICS)])
    if name == "flow":
        return GradientFlow(), {"time": chosen.get("time", 1e6)}
    length = {"steps": chosen.get("steps", 10_000)}
    rate = chosen.get("learning_rate")
    if rate is None:
        rate = 0.5 * _stable_rate(teacher, student)
    if name == "online":
        return _online(rate, chosen.get("batch_size", 100), chosen.get("noise", 0.0)), length
    return Reduced(rate) if name == "reduced" else GradientDescent(rate), length


@lru_cache(maxsize=64)
def _online(rate: float, batch_size: int, noise: float) -> Online:
    """One object for equal settings: a program is compiled for each optimizer, and each `optax.sgd` is another."""
    return Online(rate, batch_size=batch_size, noise=noise)


def make_student(teacher: AnyTeacher, positions: str, logit_scale: float | None, seed: int) -> Start:
    """The paper's zero start, with the positional encodings named and the logit scale given.

    Raises:
        ValueError: unknown encodings, or encodings for a teacher that has no arrays; τ ≤ 0.
    """
    encodings = _POSITIONS[pick("positional encoding", positions, _POSITIONS)](teacher.tokens, seed)
    if isinstance(teacher, Teacher):
        return PositionOnly.zeros(teacher, encodings, logit_scale)
    if encodings is not None:
        raise ValueError(f"a symmetric teacher takes --positions identity, got {positions!r}. Try --teacher random.")
    return SymmetricStudent.zeros(teacher, logit_scale)


def _stable_rate(teacher: AnyTeacher, student: Start) -> float:
    if isinstance(teacher, Teacher) and isinstance(student, PositionOnly):
        return stable_learning_rate(teacher, student.positions, student.logit_scale)
    raise ValueError(
        f"no stable learning rate is known for {teacher!r}. Pass --learning-rate, or take --dynamics flow."
    )


def make_activation(text: str | None) -> Activation | None:
    """The activation that `identity`, `relu` or `leaky_relu:0.1` names; None for None."""
    if text is None or text in ("identity", "relu"):
        return {None: None, "identity": identity, "relu": relu}[text]
    name, _, slope = text.partition(":")
    try:
        number = float(slope) if name == "leaky_relu" else None
    except ValueError:
        number = None
    if number is None:
        raise ValueError(f"an activation is identity, relu or leaky_relu:SLOPE, got {text!r}. Try leaky_relu:0.1.")
    return leaky_relu(number)


def make_inputs(name: str | None) -> Inputs | None:
    """The law of X by name; None for None."""
    return None if name is None else _INPUTS[pick("law of inputs", name, _INPUTS)]()


def make_pair(flag: str, text: str | None) -> tuple[int, int] | None:
    """Height and width from, say, `6x6`; None for None."""
    if text is None:
        return None
    numbers = _whole_numbers(text, "x")
    if len(numbers) != 2:
        raise ValueError(f"{flag} is height x width, got {text!r}. For example {flag} 6x6.")
    return numbers[0], numbers[1]


def make_list(flag: str, text: str | None) -> list[int] | None:
    """Whole numbers from, say, `0,3,5`; None for None."""
    if text is None:
        return None
    numbers = _whole_numbers(text, ",")
    if not numbers:
        raise ValueError(f"{flag} is a list of whole numbers, got {text!r}. For example {flag} 0,3,5.")
    return numbers


def _whole_numbers(text: str, between: str) -> list[int]:
    """The numbers of a text, none if any part is no whole number."""
    parts = [part.strip() for part in text.split(between)]
    return [int(part) for part in parts] if all(part.isdecimal() for part in parts) else []


def _applicable(what: str, given: Mapping[str, Any], takes: Sequence[str]) -> dict[str, Any]:
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in chosen:
        if name not in takes:
            raise ValueError(f"{_flag(name)} means nothing for {what}. It takes {', '.join(map(_flag, takes))}.")
    return chosen


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
