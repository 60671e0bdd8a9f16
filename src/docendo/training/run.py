"""`train`, the one entry point, and the `Run` it returns whatever the dynamics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from docendo.files import content_hash, to_json
from docendo.files.atomic import FilePath
from docendo.inputs import Inputs, white
from docendo.population.loss import has_exact_loss
from docendo.progress import progress_bar
from docendo.randomness import as_key, describe_key
from docendo.sinks import Sink
from docendo.steps import LogSpaced, SaveAt, resolve_steps, resolve_times
from docendo.students.base import Student
from docendo.students.position_only import PositionOnly
from docendo.students.symmetric import SymmetricStudent
from docendo.teachers.base import Teacher
from docendo.teachers.symmetric import AnyTeacher, SymmetricTeacher
from docendo.training.archive import read_run, write_run
from docendo.training.base import Dynamics, Measures, Problem, Reading
from docendo.training.checkpoint import Checkpoint
from docendo.training.dataset import Record, provenance, to_dataset
from docendo.training.flow import GradientFlow
from docendo.training.loop import Outcome, Position, follow
from docendo.training.nouns import describe
from docendo.training.reduced import Reduced
from docendo.training.status import Status, judge_end

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray

__all__ = ["Run", "load_run", "train"]

CHECKPOINT_SECONDS = 5.0

Observer = Callable[[Student], Any]


@dataclass(frozen=True)
class Run:
    """What training gives back.

    Attributes:
        data: one labelled dataset; dimension `step` (or `time` for a flow), coordinate `time` = ηT.
        teacher: f*.
        student: the student at the end.
        start: the student at the start.
        status: a string, one of completed, stalled, diverged, non_finite, interrupted, with `.message` and `.at`.
    """

    data: "xarray.Dataset"
    teacher: AnyTeacher
    student: Student
    start: Student
    status: Status

    def save(self, path: FilePath) -> Path:
        """Write the run as one netCDF file, atomically; `docendo.load_run` reads it back."""
        return write_run(path, self.data, {"teacher": self.teacher, "student": self.student, "start": self.start})

    def plot(self) -> "matplotlib.figure.Figure":
        """The curves of the run: excess loss, errors, cosine and local exponent against T."""
        from docendo.plots import plot_run

        return plot_run(self)

    def __repr__(self) -> str:
        reached = self.data.sizes.get("step", self.data.sizes.get("time", 0))
        losses = [name for name in ("excess_loss", "sampled_excess_loss") if name in self.data]
        loss = f", {losses[0]}={float(self.data[losses[0]][-1]):.6g}" if losses and reached else ""
        return f"Run({self.data.attrs['dynamics']}, saves={reached}{loss}, status={self.status!r})"


def load_run(path: FilePath) -> Run:
    """Read what `Run.save` wrote.

    Raises:
        ValueError: the file is missing, damaged, not a run, or of a newer format.
    """
    data, nouns = read_run(path)
    status = Status(data.attrs["status"], data.attrs["status_message"], float(data.attrs["status_at"]))
    return Run(data, nouns["teacher"], nouns["student"], nouns["start"], status)


def train(
    teacher: AnyTeacher,
    student: Student | None,
    dynamics: Dynamics,
    steps: Reading | None = None,
    *,
    time: Reading | None = None,
    inputs: Inputs | None = None,
    test_inputs: Inputs | None = None,
    key: Any = None,
    save_at: SaveAt = LogSpaced(200),
    observe: Mapping[str, Observer] | None = None,
    checkpoint: FilePath | None = None,
    sink: Sink | None = None,
    progress: bool = False,
) -> Run:
    """Train a student on a teacher.

    Args:
        teacher: f*.
        student: the start; None for the paper's, W_V = 0 and W_KQ = 0.
        dynamics: how it moves, for example dc.GradientDescent(0.1).
        steps: how many steps, for dynamics that count them.
        time: ηT at the end, for the continuous flow.
        inputs: the law trained on; left out, white Gaussian.
        test_inputs: a law under which the excess loss is recorded as well.
        key: int or JAX key; required exactly where something is sampled.
        save_at: the steps (times, for the flow) to record, a list or dc.log_spaced(n, first=1). The end is always
            recorded.
        observe: further quantities to record at every save, name → function of the student.
        checkpoint: a folder. One that holds a checkpoint of the same configuration is resumed.
        sink: takes what is recorded as it is recorded; not closed here.
        progress: show how far it is, on standard error.

    Returns:
        The Run. Divergence, stalling and Ctrl-C are statuses of it, not exceptions.

    Raises:
        ValueError: an argument breaks its rule, or the checkpoint belongs to another configuration.
    """
    start = _zero_start(teacher) if student is None else student
    problem = _problem(teacher, start, dynamics, inputs, test_inputs, key)
    saves = _saves(dynamics, steps, time, save_at)
    attributes = _attributes(dynamics, problem, saves)
    journal = _Journal(dynamics, problem, observe or {}, checkpoint, sink, attributes["configuration"])
    position = journal.resume()
    with progress_bar(f"{dynamics!r}", saves[-1], progress, start=position.at, unit=dynamics.clock) as bar:

        def report(reached: Position) -> None:
            bar.update(reached.at)
            journal.keep(reached)

        outcome = follow(dynamics, problem, position, saves, journal.record, report)
    journal.keep(outcome.position, now=True)
    status = outcome.trouble or _status(dynamics, problem, outcome, journal.records)
    trained = dynamics.student(problem, outcome.position.state)
    attributes |= {"status": str(status), "status_message": status.message, "status_at": status.at}
    data = to_dataset(
        dynamics.clock, journal.records, [dynamics.time(at) for at, _ in journal.records], trained, attributes
    )
    return Run(data, teacher, trained, start, status)


class _Journal:
    """What a run has recorded, and where it goes: memory, the sink, the checkpoint."""

    def __init__(
        self,
        dynamics: Dynamics,
        problem: Problem,
        observe: Mapping[str, Observer],
        folder: FilePath | None,
        sink: Sink | None,
        configuration: str,
    ):
        self.records: list[Record] = []
        self._dynamics, self._problem, self._observe, self._sink = dynamics, problem, observe, sink
        self._checkpoint = None if folder is None else Checkpoint(folder, configuration)
        self._kept = monotonic()

    def resume(self) -> Position:
        """The checkpoint's position, or the start."""
        state = self._dynamics.start(self._problem)
        saved = None if self._checkpoint is None else self._checkpoint.load(state)
        if saved is None:
            return Position(0, state, float(self._dynamics.loss(self._problem, state)))
        position, self.records = saved
        return position

    def record(self, position: Position, measured: Measures) -> None:
        if self.records and self.records[-1][0] == position.at:
            return
        if self._observe:
            student = self._dynamics.student(self._problem, position.state)
            measured = measured | {name: look(student) for name, look in self._observe.items()}
        values = {name: np.asarray(value) for name, value in measured.items()}
        self.records.append((position.at, values))
        if self._sink is not None:
            # A flow has no steps: its saves are numbered instead, so that what a tracker sees stays in order.
            step = int(position.at) if self._dynamics.clock == "steps" else len(self.records)
            self._sink.log(step, {"time": self._dynamics.time(position.at)} | values)

    def keep(self, position: Position, now: bool = False) -> None:
        if self._checkpoint is not None and (now or monotonic() - self._kept > CHECKPOINT_SECONDS):
            self._checkpoint.save(position, self.records)
            self._kept = monotonic()


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
    if dynamics.sampled:
        reasons.insert(0, f"{dynamics!r}")
    if reasons:
        raise ValueError(f"a key is required where something is sampled, here {' and '.join(reasons)}. Pass key=0.")


def _saves(dynamics: Dynamics, steps: Reading | None, time: Reading | None, save_at: SaveAt) -> list[Reading]:
    wanted, other = (steps, time) if dynamics.clock == "steps" else (time, steps)
    name, example = ("steps", "10**6") if dynamics.clock == "steps" else ("time", "1e6")
    if wanted is None or other is not None:
        raise ValueError(f"{dynamics!r} needs {name}= and nothing else to say how long it runs. Pass {name}={example}.")
    whole = dynamics.clock == "time" or float(wanted).is_integer()
    if not (np.isfinite(wanted) and wanted >= 0 and whole) or (dynamics.clock == "time" and wanted == 0):
        raise ValueError(f"{name} must be finite and not negative, steps whole, got {wanted!r}. Pass {name}={example}.")
    return list(resolve_steps(save_at, int(wanted)) if name == "steps" else resolve_times(save_at, float(wanted)))


def _attributes(dynamics: Dynamics, problem: Problem, saves: Sequence[Reading]) -> dict[str, Any]:
    """What the run depended on, and its hash: versions and device count, since they decide the last bits."""
    settings = to_json(dynamics.settings())
    facts = provenance() | {"dynamics": repr(dynamics), "settings": settings}
    facts |= {"inputs": repr(problem.inputs), "test_inputs": repr(problem.test_inputs)}
    if isinstance(dynamics, GradientFlow):
        facts["form"] = dynamics.form(problem)
    facts["key"] = [] if problem.key is None else describe_key(problem.key)
    nouns = [describe(noun, "noun") for noun in problem[:4]]
    return facts | {"configuration": content_hash([facts, [list(noun) for noun in nouns], saves])}


def _status(dynamics: Dynamics, problem: Problem, outcome: Outcome, records: list[Record]) -> Status:
    at = outcome.position.at
    steps = f"{int(at)} steps" if dynamics.clock == "steps" else f"time {at:.6g}"
    if "excess_loss" in records[-1][1] and not dynamics.sampled:
        end = judge_end(np.array([t for t, _ in records]), np.array([float(m["excess_loss"]) for _, m in records]))
        # A flow cannot oscillate: on a plateau its loss may go up by its tolerance.
        if end.oscillates and dynamics.clock == "steps":
            return Status("stalled", f"after {steps} the excess loss goes up and down; {dynamics.advice(problem)}", at)
        if end.flat:
            return Status("stalled", f"after {steps} the excess loss no longer moves; {dynamics.advice(problem)}", at)
    return Status("completed", f"all {steps} were made" if dynamics.clock == "steps" else f"{steps} was reached", at)
