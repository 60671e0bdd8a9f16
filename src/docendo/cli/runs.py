"""What is said of a run, in words, tables, a picture or JSON, and the exit code it ends with."""

from collections.abc import Sequence

import numpy as np
import typer

from docendo.cli.commands import FAILED, INTERRUPTED
from docendo.cli.console import knows_unicode, say, say_table
from docendo.drawing import draw_matrix
from docendo.files import to_json
from docendo.students.base import PositionStudent
from docendo.training import Run

__all__ = ["HEADLINES", "leave_with", "scalars", "show_course", "show_end", "show_json", "show_scores"]

COURSE_LINES = 12
COURSE = ("excess_loss", "sampled_excess_loss", "local_exponent", "value_error", "score_error")
HEADLINES = (
    *("excess_loss", "sampled_excess_loss", "sampled_excess_loss_stderr", "batch_loss"),
    *("test_excess_loss", "sampled_test_excess_loss", "sampled_test_excess_loss_stderr"),
    *("local_exponent", "value_error", "score_error", "value_cosine", "leakage", "c1", "gap"),
)


def show_end(run: Run, quantities: Sequence[str]) -> None:
    """What was trained, and where it ended: the quantities named, as far as they were recorded."""
    say_table(["", ""], [[name, what] for name, what in _headings(run).items()])
    recorded = scalars(run)
    rows = [_quantity(run, name) for name in quantities if name in recorded]
    if rows:
        say()
        say_table(["at the end", "", ""], rows, right=[1])
    say()
    say(f"{run.status}: {run.status.message}", style=_COLOURS.get(str(run.status), "red"))


_COLOURS = {"completed": "green", "stalled": "yellow"}


def show_json(run: Run, files: dict[str, str]) -> None:
    """The same as one JSON object, with all scalar quantities and the files that were written."""
    attributes = run.data.attrs
    about: dict[str, object] = {"teacher": repr(run.teacher), "student": repr(run.student)}
    about |= {name: attributes[name] for name in ("dynamics", "inputs", "test_inputs")}
    about |= {"status": str(run.status), "message": run.status.message, "at": run.status.at}
    kept = {name: attributes[name] for name in ("configuration", "docendo_version")}
    say(to_json(about | {"end": _end(run), "files": files} | kept, indent=2))


def show_course(run: Run) -> None:
    """A dozen lines of the run's curves."""
    clock = _clock(run)
    names = [name for name in COURSE if name in scalars(run)]
    if not names:
        return
    rows = []
    for place in np.unique(np.linspace(0, run.data.sizes[clock] - 1, COURSE_LINES).astype(int)):
        values = [f"{float(run.data[name][place]):.4g}" for name in names]
        rows.append([f"{run.data[clock].values[place]:.6g}", *values])
    say_table([clock, *names], rows, right=range(len(names) + 1))
    say()


def show_scores(run: Run) -> None:
    """The student's scores as a picture, on the scale of the teacher's."""
    if not isinstance(run.student, PositionStudent):
        return
    top = float(np.asarray(run.teacher.scores).max())
    scores = np.asarray(run.student.heads()[1].mean(0))
    say()
    say(f"attention at the end: column i is where output i looks; full is {top:.3g}, as in S*", style="dim")
    for line in draw_matrix(scores, top=top, ascii_only=not knows_unicode()).splitlines():
        say(line)


def leave_with(run: Run) -> None:
    """End with the exit code of the run's status, unless every step was made."""
    if run.status == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if run.status in ("diverged", "non_finite"):
        raise typer.Exit(FAILED)


def scalars(run: Run) -> list[str]:
    """The recorded quantities that are one number a save; none where nothing was recorded."""
    clock = _clock(run)
    return [str(name) for name, values in run.data.data_vars.items() if values.dims == (clock,) and values.size]


def _headings(run: Run) -> dict[str, str]:
    about = {"teacher": repr(run.teacher), "student": repr(run.student), "dynamics": run.data.attrs["dynamics"]}
    if run.data.attrs["inputs"] != "Gaussian()":
        about["inputs"] = run.data.attrs["inputs"]
    if run.data.attrs["test_inputs"] != "None":
        about["test inputs"] = run.data.attrs["test_inputs"]
    clock = _clock(run)
    if run.data.sizes.get(clock, 0):
        time = f"ηT = {float(run.data['time'][-1]):.6g}"
        about["length"] = time if clock == "time" else f"{int(run.data['step'][-1])} steps, {time}"
    return about


def _end(run: Run) -> dict[str, float]:
    names = [_clock(run), "time", *scalars(run)] if scalars(run) else []
    return {name: run.data[name].values[-1] for name in names}


def _quantity(run: Run, name: str) -> list[str]:
    value = run.data[name]
    return [name, f"{float(value[-1]):.6g}", str(value.attrs.get("definition", value.attrs.get("long_name", "")))]


def _clock(run: Run) -> str:
    return "step" if "step" in run.data.dims else "time"
