"""`docendo train`: one run, from flags or from a study file."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docendo.cli.console import say

if TYPE_CHECKING:
    from docendo.studies.making import Recipe

__all__ = ["train"]


def _option(group: str, text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=group, show_default=more.pop("show_default", True), **more)


def whole_number(text: str) -> int:
    """A whole number, also written as 1e6 or 10_000."""
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        number = math.nan
    if not number.is_integer():
        raise typer.BadParameter(f"a whole number is wanted, got {text!r}. For example 10000 or 1e6.")
    return int(number)


_T, _S, _D, _O = "Teacher", "Student and inputs", "Dynamics", "Output"

Study = Annotated[
    list[str] | None,
    typer.Argument(metavar="[STUDY.toml [KEY=VALUE]...]", help="A study file of one cell, and what to change in it."),
]
TeacherName = Annotated[str | None, _option(_T, "A constructor, as listed by: docendo teachers.", metavar="NAME")]
Tokens = Annotated[int | None, _option(_T, "D, how many tokens.")]
Sparsity = Annotated[int | None, _option(_T, "K, how many tokens an output averages.")]
Grid = Annotated[str | None, _option(_T, "Patches of a convolution, for example 6x6.", metavar="HxW")]
Pool = Annotated[str | None, _option(_T, "Its pooling blocks, for example 2x2.", metavar="HxW")]
Selected = Annotated[str | None, _option(_T, "Tokens to select, from 0, for example 0,3,5.", metavar="J,J,...")]
Group = Annotated[int | None, _option(_T, "The group that decides, from 0.")]
Features = Annotated[int | None, _option(_T, "d, how many features a token has.")]
Channels = Annotated[int | None, _option(_T, "M, how many output channels.")]
ActivationName = Annotated[str | None, _option(_T, "identity, relu or leaky_relu:SLOPE.", metavar="NAME")]
ValueNorm = Annotated[float | None, _option(_T, "||V*||_F of a symmetric teacher.")]
Seed = Annotated[int, _option(_T, "For all that is drawn: teacher, positions, batches.")]

Positions = Annotated[str, _option(_S, "identity, orthogonal or sinusoidal.", metavar="NAME")]
LogitScale = Annotated[float | None, _option(_S, "tau; 1/sqrt(D) if left out.")]
InputLaw = Annotated[str | None, _option(_S, "gaussian, exponential or centred_exponential.", metavar="NAME")]
TestLaw = Annotated[str | None, _option(_S, "A law to record the excess loss under as well.", metavar="NAME")]

DynamicsName = Annotated[str, _option(_D, "gradient_descent, online, reduced or flow.", metavar="NAME")]
Rate = Annotated[float | None, _option(_D, "eta; half the stability limit if left out.")]
Steps = Annotated[
    int | None, _option(_D, "T, how many steps, for example 1e6; 10000 if left out.", metavar="T", parser=whole_number)
]
Time = Annotated[float | None, _option(_D, "eta T, how far a flow goes; 1e6 if left out.")]
BatchSize = Annotated[int | None, _option(_D, "N, inputs per online step; 100 if left out.")]
Noise = Annotated[float | None, _option(_D, "Standard deviation of online label noise; 0 if left out.")]

Saves = Annotated[int, _option(_O, "About how many steps to record, log-spaced.")]
Out = Annotated[Path | None, _option(_O, "Save the run as netCDF.", metavar="FILE.nc")]
Plot = Annotated[Path | None, _option(_O, "Draw its curves: .svg, .png or .pdf.", metavar="FILE")]
Checkpoint = Annotated[Path | None, _option(_O, "Keep the state here; the same command resumes.", metavar="DIR")]
Track = Annotated[
    str | None,
    _option(_O, "Log to jsonl:FILE, tensorboard:DIR, wandb:PROJECT or mlflow:EXPERIMENT.", metavar="KIND:WHERE"),
]
Json = Annotated[bool, _option(_O, "Print JSON and nothing else on standard output.", "--json")]
Quiet = Annotated[bool, _option(_O, "No progress bar.", "--quiet", "-q")]


def train(
    context: typer.Context,
    study: Study = None,
    *,
    teacher: TeacherName = None,
    tokens: Tokens = None,
    sparsity: Sparsity = None,
    grid: Grid = None,
    pool: Pool = None,
    selected: Selected = None,
    group: Group = None,
    features: Features = None,
    channels: Channels = None,
    value_norm: ValueNorm = None,
    activation: ActivationName = None,
    seed: Seed = 0,
    positions: Positions = "identity",
    logit_scale: LogitScale = None,
    inputs: InputLaw = None,
    test_inputs: TestLaw = None,
    dynamics: DynamicsName = "gradient_descent",
    learning_rate: Rate = None,
    steps: Steps = None,
    time: Time = None,
    batch_size: BatchSize = None,
    noise: Noise = None,
    saves: Saves = 200,
    out: Out = None,
    plot: Plot = None,
    checkpoint: Checkpoint = None,
    track: Track = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a student on a teacher, from the zero start, and print where it ends.

    What is trained is said by a study file, or else by flags. Sizes left out are those of the paper's experiments.

    Exit code: 0 when every step was made, 1 when the run diverged, 2 on bad input, 130 after Ctrl-C.
    """
    from docendo.cli import outputs, tracking
    from docendo.steps import log_spaced
    from docendo.studies import choices
    from docendo.training import train as run_training

    outputs.check_run(out)
    outputs.check_picture(plot)
    outputs.check_folder(checkpoint)
    if study:
        _refuse_flags(context)
        recipe, text = _recipe(study[0], study[1:])
        sink = tracking.make_sink(track)
        run = run_training(**recipe._asdict(), checkpoint=checkpoint, sink=sink, progress=not quiet)
        tracking.hand_over(sink, run, {"study.toml": text})
        _end(run, out, plot, checkpoint, as_json)
        return
    if teacher is None:
        raise ValueError("what is to be trained? Name a study file, or a teacher: docendo train --teacher random.")
    sizes: dict[str, Any] = {"tokens": tokens, "sparsity": sparsity, "features": features, "channels": channels}
    sizes |= {"grid": choices.make_pair("--grid", grid), "pool": choices.make_pair("--pool", pool), "group": group}
    sizes |= {"value_norm": value_norm, "selected": choices.make_list("--selected", selected)}
    target = choices.make_teacher(teacher, sizes | {"activation": choices.make_activation(activation)}, seed)
    student = choices.make_student(target, positions, logit_scale, seed)
    given = {"learning_rate": learning_rate, "steps": steps, "time": time, "batch_size": batch_size, "noise": noise}
    kind, length = choices.make_dynamics(dynamics, given, target, student)
    sink = tracking.make_sink(track)
    run = run_training(
        *(target, student, kind),
        **length,
        inputs=choices.make_inputs(inputs),
        test_inputs=choices.make_inputs(test_inputs),
        key=seed,
        save_at=log_spaced(saves),
        checkpoint=checkpoint,
        sink=sink,
        progress=not quiet,
    )
    tracking.hand_over(sink, run, {})
    _end(run, out, plot, checkpoint, as_json)


_OUTPUTS = frozenset(["context", "study", "out", "plot", "checkpoint", "track", "as_json", "quiet"])


def _refuse_flags(context: typer.Context) -> None:
    """A study file says everything; flags beside it would be a second way to say it."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in _OUTPUTS and source is not None and source.name == "COMMANDLINE":
            flag = "--" + name.replace("_", "-")
            raise ValueError(f"{flag} goes without a study file. Change the study by KEY=VALUE, say teacher.tokens=8.")


def _recipe(path: str, overrides: Sequence[str]) -> "tuple[Recipe, str]":
    from docendo.studies.cells import cells_of
    from docendo.studies.making import make
    from docendo.studies.reading import read_study
    from docendo.studies.writing import to_toml

    study = read_study(path, overrides)
    cells = cells_of(study)
    if len(cells) > 1:
        raise ValueError(f"{path} has {len(cells)} cells, and train runs one. Run all: docendo sweep {path}.")
    return make(cells[0].settings), to_toml(study)


def _end(run: Any, out: Path | None, plot: Path | None, checkpoint: Path | None, as_json: bool) -> None:
    from docendo.cli import outputs, runs

    written = outputs.keep(run, out, plot) | ({} if checkpoint is None else {"checkpoint": str(checkpoint)})
    _tell(run, written, as_json)
    runs.leave_with(run)


def _tell(run: Any, written: dict[str, str], as_json: bool) -> None:
    from docendo.cli import runs

    if as_json:
        runs.show_json(run, written)
        return
    runs.show_end(run, runs.HEADLINES)
    for flag, path in written.items():
        say(f"{_WRITTEN[flag]} {path}")
    if run.status == "interrupted" and "checkpoint" in written:
        say("Run the same command again to continue.")


_WRITTEN = {"out": "saved", "plot": "drawn", "checkpoint": "checkpoint in"}
