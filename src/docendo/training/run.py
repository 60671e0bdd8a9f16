"""`train`, the one entry point, and the `Run` it returns whatever the dynamics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from docendo.files.atomic import FilePath
from docendo.inputs import Inputs
from docendo.progress import progress_bar
from docendo.sinks import Sink
from docendo.steps import LogSpaced, SaveAt
from docendo.students.base import Student
from docendo.teachers.symmetric import AnyTeacher
from docendo.training.archive import read_run, write_run
from docendo.training.base import Dynamics, Measures, Problem, Reading
from docendo.training.checkpoint import Checkpoint, recorded_as_asked
from docendo.training.configuration import of_run
from docendo.training.dataset import Record, to_dataset
from docendo.training.loop import Outcome, Position, follow
from docendo.training.planning import Plan, plan
from docendo.training.sharding import Devices, spread, spread_state
from docendo.training.status import Status, judge_end

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray

__all__ = ["Run", "finish", "load_run", "train"]

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
        """Write the run as one netCDF file, atomically; `docendo.load_run` reads it back.

        Raises:
            ValueError: the name does not end in .nc or is a folder's, or its folder is missing or cannot be written.
        """
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
    devices: Devices | None = None,
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
            recorded, and what stands in a list twice is recorded once.
        observe: further quantities to record at every save, name → function of the student.
        checkpoint: a folder. One that holds a checkpoint of the same configuration is resumed, also where its run was
            to end earlier: the steps are those of a run that never stopped, bit for bit.
        sink: takes what is recorded as it is recorded; not closed here.
        progress: show how far it is, on standard error.
        devices: over which devices the columns of S are spread: "all", how many, or a list of them; None for one.

    Returns:
        The Run. Divergence, stalling and Ctrl-C are statuses of it, not exceptions.

    Raises:
        ValueError: an argument breaks its rule, or the checkpoint belongs to another configuration.
    """
    teacher, student, inputs, test_inputs = spread(devices, dynamics, teacher, student, inputs, test_inputs)
    planned = plan(teacher, student, dynamics, steps, time, inputs, test_inputs, key, save_at)
    problem, saves = planned.problem, planned.saves
    journal = _Journal(planned, observe or {}, checkpoint, sink)
    position = journal.resume()
    position = position._replace(state=spread_state(position.state, teacher))
    with progress_bar(f"{dynamics!r}", saves[-1], progress, start=position.at, unit=dynamics.clock) as bar:

        def report(reached: Position) -> None:
            bar.update(reached.at)
            journal.keep(reached)

        outcome = follow(dynamics, problem, position, saves, journal.record, report)
    journal.keep(outcome.position, now=True)
    return finish(planned, outcome, journal.records, dynamics.student(problem, outcome.position.state))


def finish(planned: Plan, outcome: Outcome, records: list[Record], trained: Student) -> Run:
    """The Run of what was planned, from where it ended, what was recorded and who came out."""
    dynamics, problem = planned.dynamics, planned.problem
    status = outcome.trouble or _status(dynamics, problem, outcome, records)
    attributes = planned.attributes | {
        "status": str(status),
        "status_message": status.message,
        "status_at": status.at,
    }
    times = [dynamics.time(at) for at, _ in records]
    data = to_dataset(dynamics.clock, records, times, trained, attributes)
    return Run(data, problem.teacher, trained, problem.student, status)


class _Journal:
    """What a run has recorded, and where it goes: memory, the sink, the checkpoint."""

    def __init__(
        self, planned: Plan, observe: Mapping[str, Observer], folder: FilePath | None, sink: Sink | None
    ) -> None:
        self.records: list[Record] = []
        self._dynamics, self._problem, self._saves = planned.dynamics, planned.problem, planned.saves
        self._observe, self._sink = observe, sink
        configuration = of_run(planned.attributes, planned.problem, observe)
        self._checkpoint = None if folder is None else Checkpoint(folder, configuration)
        self._kept = monotonic()

    def resume(self) -> Position:
        """The checkpoint's position, or the start."""
        state = self._dynamics.start(self._problem)
        saved = None if self._checkpoint is None else self._checkpoint.load(state)
        if self._checkpoint is None or saved is None:
            return Position(0, state, float(self._dynamics.loss(self._problem, state)))
        position, records = saved
        where = self._checkpoint.path, position.at, records
        self.records = recorded_as_asked(*where, self._saves, self._dynamics.clock)
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
