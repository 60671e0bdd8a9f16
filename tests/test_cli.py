"""The command line: what each command prints and writes, and how it ends."""

import errno
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

import docendo as dc
from docendo.cli import app, choices
from docendo.results import Finding, store_result
from docendo.results import Result as Outcome
from docendo.training.gradient_descent import GradientDescent

SMALL = "train --teacher random --tokens 4 --sparsity 2 --features 3 --channels 2 --steps 20 --quiet"


def docendo(command: str, charset: str = "utf-8", **environment: str) -> Result:
    cleared = {"FORCE_COLOR": None, "NO_COLOR": None, "COLUMNS": None, "TERM": None}
    return CliRunner(charset=charset, env=cleared | environment).invoke(app, shlex.split(command))


def succeed(command: str, **more: Any) -> str:
    done = docendo(command, **more)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of `SMALL`, stored."""
    file = tmp_path_factory.mktemp("runs") / "run.nc"
    succeed(f"{SMALL} --out {file}")
    return file


# What starts


def test_no_arguments_show_help() -> None:
    said = succeed("")
    assert said.split() == succeed("--help").split() == succeed("-h").split()
    for command in ("train", "teachers", "show"):
        assert f" {command} " in said


def test_version() -> None:
    assert succeed("--version") == f"docendo {dc.__version__}\n"


def test_it_is_a_module_too(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "docendo", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"docendo {dc.__version__}\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("trian", "Did you mean 'train'?"),
        ("train", "Missing option '--teacher'"),
        ("train --teacher random --tokns 3", "--tokens"),
        ("train --teacher random --tokens four", "Invalid value for '--tokens'"),
        ("train --teacher random --steps 1.5", "a whole number is wanted, got '1.5'"),
        ("train --teacher random --steps many", "a whole number is wanted, got 'many'"),
        ("show", "Missing argument"),
    ],
)
def test_usage_errors(command: str, message: str) -> None:
    done = docendo(command)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert message in " ".join(done.stderr.replace("│", " ").split())


# docendo teachers


def test_teachers_lists_each_with_parameters_and_picture() -> None:
    said = succeed("teachers")
    for name, constructor in choices.CONSTRUCTORS.items():
        (part,) = (part for part in said.split("\n\n") if part.startswith(name + "\n"))
        documented = {line.split()[0] for line in part.splitlines()[1:]}
        assert set(inspect_parameters(constructor)) <= documented, name
        assert "┌" in part
    assert succeed("teachers group_sparse random").split("\n")[0] == "group_sparse"


def inspect_parameters(constructor: Callable[..., Any]) -> list[str]:
    code = constructor
    while hasattr(code, "__wrapped__"):
        code = code.__wrapped__
    return list(code.__code__.co_varnames[: code.__code__.co_argcount + code.__code__.co_kwonlyargcount])


def test_teachers_picture_is_the_support() -> None:
    lines = [line.strip().strip("│") for line in succeed("teachers single_layer").splitlines() if "│" in line]
    assert [(line.index("▀"), line.index("▄")) for line in lines] == [(i, i + 1) for i in range(0, 20, 2)]


@pytest.mark.parametrize("command", ["teachers", SMALL, "--help", "train --help"])
def test_eighty_columns(command: str) -> None:
    assert max(len(line) for line in succeed(command).splitlines()) <= 80


# docendo train


SAME = {"features": 3, "channels": 2}
BY_FLAGS: list[tuple[str, Callable[[], dc.Teacher]]] = [
    ("single_layer --tokens 3 --features 3 --channels 2", lambda: dc.teachers.single_layer(3, **SAME, seed=0)),
    (
        "convolution --grid 2x4 --pool 2x1 --features 3 --channels 2 --activation leaky_relu:0.25",
        lambda: dc.teachers.convolution(grid=(2, 4), pool=(2, 1), activation=dc.leaky_relu(0.25), **SAME, seed=0),
    ),
    (
        "graph_convolution --tokens 5 --features 3 --channels 2 --activation identity",
        lambda: dc.teachers.graph_convolution(dc.teachers.cycle(5), activation=dc.identity, **SAME, seed=0),
    ),
    (
        "sparse_token_selection --tokens 5 --sparsity 3 --features 3 --activation relu --seed 7",
        lambda: dc.teachers.sparse_token_selection(5, sparsity=3, features=3, activation=dc.relu, seed=7),
    ),
    (
        "sparse_token_selection --tokens 5 --selected 4,0 --features 3",
        lambda: dc.teachers.sparse_token_selection(5, selected=[0, 4], features=3),
    ),
    (
        "group_sparse --tokens 4 --group 2 --features 3",
        lambda: dc.teachers.group_sparse(4, group=2, features=3, seed=0),
    ),
    (
        "patch_association --tokens 4 --sparsity 2 --features 3 --channels 2",
        lambda: dc.teachers.patch_association(4, sparsity=2, **SAME, seed=0),
    ),
    ("random --tokens 4 --sparsity 3", lambda: dc.teachers.random(4, sparsity=3, features=8, channels=4, seed=0)),
]


Caught = Callable[[str], dict[str, Any]]


@pytest.fixture
def caught(monkeypatch: pytest.MonkeyPatch) -> Caught:
    """What a command line hands to `train`, which is not run."""
    seen: dict[str, Any] = {}

    def catch(teacher: Any, student: Any, dynamics: Any, **more: Any) -> None:
        seen.update(more, teacher=teacher, student=student, dynamics=dynamics)
        raise typer.Exit

    monkeypatch.setattr("docendo.training.train", catch)

    def call(flags: str) -> dict[str, Any]:
        seen.clear()
        assert succeed(f"train {flags}") == ""
        return seen

    return call


@pytest.mark.parametrize(("flags", "teacher"), BY_FLAGS, ids=[flags.split()[0] for flags, _ in BY_FLAGS])
def test_flags_make_the_teacher(flags: str, teacher: Callable[[], dc.Teacher], caught: Caught) -> None:
    got, wanted = caught(f"--teacher {flags} --learning-rate 0.1")["teacher"], teacher()
    np.testing.assert_array_equal(got.value, wanted.value)
    np.testing.assert_array_equal(got.scores, wanted.scores)
    assert repr(got.activation) == repr(wanted.activation)


@pytest.mark.parametrize("name", choices.CONSTRUCTORS)
def test_sizes_left_out_are_the_paper_s(name: str) -> None:
    paper = {"convolution": (36, 4), "graph_convolution": (20, 3), "single_layer": (20, 1), "group_sparse": (20, 1)}
    teacher = choices.make_teacher(name, {}, seed=0)
    assert (teacher.tokens, teacher.sparsity) == paper.get(name, (20, 4))


def test_flags_make_the_rest(caught: Caught) -> None:
    sizes = "--teacher random --tokens 4 --sparsity 2"
    got = caught(
        f"{sizes} --positions orthogonal --logit-scale 0.25 --learning-rate 0.125 --steps 1e3 --seed 5 --saves 7"
    )
    np.testing.assert_array_equal(got["student"].positions, dc.positions.orthogonal(4, seed=5))
    assert float(got["student"].logit_scale) == 0.25
    assert repr(got["dynamics"]) == "GradientDescent(learning_rate=0.125)"
    assert (got["steps"], got["key"], got["save_at"], got["progress"]) == (1000, 5, dc.log_spaced(7), True)
    got = caught(f"{sizes} --dynamics online --learning-rate 0.01 --batch-size 7 --noise 0.5 --checkpoint there -q")
    assert repr(got["dynamics"]) == "Online(rate=0.01, batch_size=7, noise=0.5)"
    assert (got["steps"], got["checkpoint"], got["progress"]) == (10_000, Path("there"), False)


@pytest.mark.parametrize(("tokens", "width"), [(4, 4), (5, 6)])
def test_sinusoidal_positions_have_whole_pairs(tokens: int, width: int) -> None:
    teacher = choices.make_teacher("single_layer", {"tokens": tokens}, seed=0)
    student = choices.make_student(teacher, "sinusoidal", None, seed=0)
    np.testing.assert_array_equal(student.positions, dc.positions.sinusoidal(tokens, width))


def test_the_rate_left_out_is_half_the_stable_one(caught: Caught) -> None:
    got = caught("--teacher random --tokens 4 --sparsity 2 --positions sinusoidal --logit-scale 3")
    student = got["student"]
    limit = dc.stable_learning_rate(got["teacher"], student.positions, student.logit_scale)
    assert float(got["dynamics"].learning_rate) == pytest.approx(0.5 * limit, rel=1e-9)


def test_laws_are_recorded() -> None:
    said = json.loads(
        succeed(f"{SMALL} --activation identity --inputs centred_exponential --test-inputs exponential --json")
    )
    assert (said["inputs"], said["test_inputs"]) == ("Exponential(centred=True)", "Exponential(centred=False)")
    assert 0 < said["end"]["excess_loss"] < said["end"]["test_excess_loss"]


def test_table_and_json_say_what_the_run_holds(stored: Path) -> None:
    run = dc.load_run(stored)
    said = json.loads(succeed(f"{SMALL} --json"))
    assert said["status"] == "completed"
    assert said["files"] == {}
    assert said["end"]["step"] == 20
    for name in ("excess_loss", "value_error", "score_error", "local_exponent", "time"):
        assert said["end"][name] == run.data[name].values[-1]
    table = succeed(SMALL)
    assert f"excess_loss {float(run.data.excess_loss[-1]):.6g} L - L_opt" in " ".join(table.split())
    assert "completed: all 20 steps were made" in table


def test_files_are_written_where_asked(tmp_path: Path) -> None:
    out, plot = tmp_path / "new" / "run.nc", tmp_path / "newer" / "curves.svg"
    said = succeed(f"{SMALL} --out {out} --plot {plot}")
    assert f"saved {out}\ndrawn {plot}\n" in said
    assert dc.load_run(out).status == "completed"
    assert plot.read_bytes().startswith(b"<?xml")
    assert [file.name for folder in (out.parent, plot.parent) for file in folder.iterdir()] == ["run.nc", "curves.svg"]


def test_a_rate_above_the_limit_warns_and_fails(tmp_path: Path) -> None:
    done = docendo(f"{SMALL} --steps 1e4 --learning-rate 30 --out {tmp_path / 'run.nc'}")
    assert done.exit_code == 1
    assert done.stderr.startswith("warning: learning_rate=30 is at or above the stability limit")
    assert done.stderr.count("\n") == 1
    assert ("diverged: " in done.stdout) or ("non_finite: " in done.stdout)
    assert dc.load_run(tmp_path / "run.nc").status in ("diverged", "non_finite")


def test_ctrl_c_keeps_what_was_reached_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    straight = succeed(f"{SMALL} --json")
    command = f"{SMALL} --checkpoint {tmp_path / 'state'} --out {tmp_path / 'run.nc'}"
    whole = GradientDescent.advance

    def stopped(self: Any, problem: Any, state: Any, begin: float, end: float) -> Any:
        if begin > 5:
            signal.raise_signal(signal.SIGINT)
        return whole(self, problem, state, begin, end)

    with monkeypatch.context() as patch:
        patch.setattr(GradientDescent, "advance", stopped)
        done = docendo(command)
    assert done.exit_code == 130
    assert "Run the same command again to continue." in done.stdout
    assert dc.load_run(tmp_path / "run.nc").status == "interrupted"
    assert json.loads(succeed(f"{command} --json"))["end"] == json.loads(straight)["end"]


def test_progress_goes_to_standard_error() -> None:
    done = docendo(f"{SMALL.removesuffix(' --quiet')} --json")
    assert "GradientDescent" in done.stderr
    assert json.loads(done.stdout)["status"] == "completed"
    assert docendo(SMALL).stderr == ""


# docendo show


def test_show_a_run(stored: Path) -> None:
    run = dc.load_run(stored)
    said = succeed(f"show {stored}")
    course = said.split("\n\n")[0].splitlines()
    assert course[0].split() == ["step", "excess_loss", "local_exponent", "value_error", "score_error"]
    first, last = course[1].split(), course[-1].split()
    assert first[:2] == ["1", f"{float(run.data.excess_loss[0]):.4g}"]
    assert last[:2] == ["20", f"{float(run.data.excess_loss[-1]):.4g}"]
    for name in ("logit_spread_inside", "value_off_line", "c2"):
        assert name in said
    picture = said.split("attention at the end")[1].splitlines()[1:]
    assert [len(line) for line in picture] == [10] * 6
    assert json.loads(succeed(f"show {stored} --json"))["end"]["excess_loss"] == float(run.data.excess_loss[-1])


def outcome(name: str, **measured: float) -> Outcome:
    findings = [
        Finding(f"slope of {claim}", -1.0, value, None, None, "", "agrees") for claim, value in measured.items()
    ]
    return Outcome(name, name.title(), "Figure 2", "", {}, findings, "abc", 2.0)


def test_show_a_report(tmp_path: Path) -> None:
    store_result(writable(tmp_path / "runs" / "cycle"), outcome("cycle", loss=-1.01, error=-0.52), [])
    store_result(writable(tmp_path / "runs" / "pooling"), outcome("pooling", loss=-0.98), [])
    (tmp_path / "runs" / "unfinished").mkdir()
    lines = [line.split() for line in succeed(f"show {tmp_path}").splitlines()]
    assert lines[1] == ["cycle", "slope", "of", "loss", "-1", "-1.01", "agrees"]
    assert lines[2] == ["slope", "of", "error", "-1", "-0.52", "agrees"]
    assert lines[3][0] == "pooling"
    assert " ".join(lines[-1]) == "2 experiments in 4 s: 3 agrees"


def writable(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is not a file"),
        (b"", "cannot be read as a run"),
        (b"nonsense", "cannot be read as a run"),
        ("truncated", "cannot be read as a run"),
    ],
)
def test_show_what_is_no_run(content: bytes | str | None, message: str, stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "file.nc"
    if content is not None:
        whole = stored.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if isinstance(content, str) else content)
    done = docendo(f"show {file}")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert str(file) in done.stderr
    assert message in done.stderr


def test_show_an_empty_folder(tmp_path: Path) -> None:
    done = docendo(f"show {tmp_path}")
    assert done.exit_code == 2
    assert f"docendo reproduce --out {tmp_path}" in done.stderr


# Streams


@pytest.mark.parametrize("command", ["teachers convolution single_layer", f"{SMALL}", "show {stored}", "--help"])
def test_ascii_streams_get_ascii(command: str, stored: Path) -> None:
    said = succeed(command.format(stored=stored), charset="ascii")
    assert said.isascii()
    assert "?" not in said


def test_colour_where_it_is_wanted(stored: Path) -> None:
    coloured = "\x1b[32m"
    assert coloured not in succeed(f"show {stored}")
    assert coloured in succeed(f"show {stored}", FORCE_COLOR="1", TERM="xterm")
    assert coloured not in succeed(f"show {stored}", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm")
    assert "\x1b" not in succeed(f"show {stored}", FORCE_COLOR="1", TERM="dumb")


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "docendo", "teachers"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None and program.stderr is not None
    program.stdout.close()
    assert program.stderr.read() == b""
    program.stderr.close()
    assert program.wait(60) == 1


# What goes wrong inside


def fail_with(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize("error", [RuntimeError("a defect"), ValueError("not docendo's own"), KeyError("x")])
def test_defects_keep_their_traceback(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "make_teacher", fail_with(error))
    done = docendo(SMALL)
    assert done.exception is error
    assert "error:" not in done.stderr


def test_ctrl_c_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "make_teacher", fail_with(KeyboardInterrupt()))
    done = docendo(SMALL)
    assert done.exit_code == 130
    assert done.stderr.startswith("stopped: by Ctrl-C")


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", fail_with(OSError(errno.ENOSPC, "No space left on device")))
    done = docendo(f"{SMALL} --out {tmp_path / 'run.nc'}")
    assert done.exit_code == 1
    assert "run.nc, left as it was: No space left on device" in done.stderr
    assert list(tmp_path.iterdir()) == []
