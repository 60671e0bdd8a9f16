"""`docendo train`: flags become nouns, and what is printed and written."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import docendo as dc
from docendo.studies import choices
from docendo.training.gradient_descent import GradientDescent
from tests.cli.calling import SMALL, docendo, succeed

SAME: dict[str, Any] = {"features": 3, "channels": 2}
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
def test_sizes_left_out(name: str) -> None:
    paper = {"convolution": (36, 4), "graph_convolution": (20, 3), "single_layer": (20, 1), "group_sparse": (20, 1)}
    paper["symmetric"] = (1000, 4)
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
    got = caught(f"{sizes} --dynamics reduced --learning-rate 0.5 --steps 7")
    assert (repr(got["dynamics"]), got["steps"]) == ("Reduced(learning_rate=0.5)", 7)
    for flags, time in (("", 1e6), ("--time 1e15", 1e15)):
        got = caught(f"{sizes} --dynamics flow {flags}")
        assert (repr(got["dynamics"]), got["time"]) == (repr(dc.GradientFlow()), time)
        assert "steps" not in got


def test_a_symmetric_teacher_is_its_support_sizes(caught: Caught) -> None:
    got = caught("--teacher symmetric --tokens 1000000 --sparsity 3 --value-norm 2 --logit-scale 0.5 --dynamics flow")
    teacher, student = got["teacher"], got["student"]
    assert (teacher.tokens, teacher.sparsity, float(teacher.value_norm)) == (10**6, 3, 2.0)
    assert (type(student), float(student.logit_scale)) == (dc.SymmetricStudent, 0.5)


@pytest.mark.parametrize(("tokens", "width"), [(4, 4), (5, 6)])
def test_sinusoidal_positions_have_whole_pairs(tokens: int, width: int) -> None:
    teacher = choices.make_teacher("single_layer", {"tokens": tokens}, seed=0)
    student = choices.make_student(teacher, "sinusoidal", None, seed=0)
    assert isinstance(student, dc.PositionOnly)
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


def test_a_flow_is_measured_in_time() -> None:
    said = succeed(f"{SMALL.replace('--steps 20', '--dynamics flow --time 1e9')}")
    assert "length ηT = 1e+09" in " ".join(said.split())
    assert "completed: time 1e+09 was reached" in said


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


def test_a_run_that_fails_at_once_has_no_curves(tmp_path: Path) -> None:
    done = docendo(f"{SMALL} --learning-rate 1e200 --out {tmp_path / 'run.nc'} --plot {tmp_path / 'run.svg'}")
    assert done.exit_code == 1
    assert "at step 1; the stability limit" in done.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]
    assert "non_finite" in succeed(f"show {tmp_path / 'run.nc'}")


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
