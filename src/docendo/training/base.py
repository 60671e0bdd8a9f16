"""What a kind of dynamics must provide, and the problem it is given.

A dynamics moves a state, a pytree of arrays that holds all that its next step needs. Its clock counts whole steps or
the continuous time ηT. The loop in `docendo.training.loop` decides when to stop, save, report and resume, and knows
nothing else about it.
"""

import abc
from typing import Any, ClassVar, Literal, NamedTuple

import equinox as eqx
from jaxtyping import Array, PRNGKeyArray

from docendo.inputs import Inputs
from docendo.students.base import Student
from docendo.teachers.base import Teacher

__all__ = ["Clock", "Dynamics", "Measures", "Problem", "Reading", "State"]

State = Any
Reading = int | float
Clock = Literal["steps", "time"]
Measures = dict[str, Array]


class Problem(NamedTuple):
    """All that a run is given besides its dynamics: f*, the start, the law trained on, the one tested on, a key."""

    teacher: Teacher
    student: Student
    inputs: Inputs
    test_inputs: Inputs | None
    key: PRNGKeyArray | None


class Dynamics(eqx.Module):
    """A kind of training.

    Its loss is an estimate, from a sample, where it is `sampled`.
    """

    clock: ClassVar[Clock]
    sampled: ClassVar[bool]

    @property
    @abc.abstractmethod
    def needs_key(self) -> bool:
        """Whether it draws random numbers."""

    @abc.abstractmethod
    def check(self, problem: Problem) -> None:
        """Raise ValueError when this dynamics cannot train the problem; warn of what will go wrong."""

    @abc.abstractmethod
    def start(self, problem: Problem) -> State:
        """The state at step (or time) 0."""

    @abc.abstractmethod
    def advance(self, problem: Problem, state: State, begin: Reading | Array, end: Reading | Array) -> State:
        """The state at `end`, from the one at `begin`; both in the clock's units.

        Going there in several calls gives the same bits as in one, for dynamics that count steps.
        """

    @abc.abstractmethod
    def student(self, problem: Problem, state: State) -> Student:
        """The student that the state stands for."""

    @abc.abstractmethod
    def loss(self, problem: Problem, state: State) -> Array:
        """A scalar that a healthy run keeps finite and does not raise a thousandfold."""

    @abc.abstractmethod
    def measure(self, problem: Problem, state: State, at: Reading | Array) -> Measures:
        """What is recorded of the state: arrays by the names of `docendo.training.variables`."""

    @abc.abstractmethod
    def time(self, at: Reading) -> float:
        """ηT at a reading of the clock."""

    @abc.abstractmethod
    def settings(self, problem: Problem) -> dict[str, Any]:
        """The numbers and words that define this dynamics, for records and for the configuration's hash."""

    @abc.abstractmethod
    def advice(self, problem: Problem) -> str:
        """What to change when a run of this problem goes wrong."""
