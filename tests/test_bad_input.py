"""Bad input is refused with the rule, the value got and something to try, and leaves nothing behind."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

import docendo as dc
from docendo.experiments.digits import load_digits, patches
from tests.cli.calling import docendo

V = np.array([[1.0, 2.0], [0.0, -1.0]])
S = np.array([[0.5, 0.0], [0.5, 1.0]])
SIZES: dict[str, Any] = {"features": 2, "channels": 2, "seed": 0}
NAN, INF = float("nan"), float("inf")


def teacher() -> dc.Teacher:
    return dc.Teacher(V, S, dc.relu)


def with_entry(matrix: np.ndarray, place: Any, value: float) -> np.ndarray:
    changed = matrix.copy()
    changed[place] = value
    return changed


Case = tuple[Callable[[], Any], str]

TEACHERS: dict[str, Case] = {
    "a negative score": (
        lambda: dc.Teacher(V, with_entry(S, (0, 1), -0.25)),
        r"scores must not be negative, but scores\[0, 1\] = -0\.25\. .*np\.maximum\(scores, 0\)",
    ),
    "a column sum": (
        lambda: dc.Teacher(V, with_entry(S, (1, 1), 0.75)),
        r"every column of scores must sum to 1, but column 1 sums to 0\.75\. Try scores / scores\.sum\(axis=0\)",
    ),
    "rows instead of columns": (lambda: dc.Teacher(V, S.T), r"column 0 sums to 0\.5\. Try scores\.T"),
    "a zero row": (
        lambda: dc.Teacher(with_entry(V, 1, 0.0), S),
        r"every row of value must have a non-zero entry, but row 1 is zero.*np\.delete\(value, 1, axis=0\)",
    ),
    "a value that is no matrix": (
        lambda: dc.Teacher(V[0], S),
        r"value has axes \(channels, features\), got an array of shape \(2,\)\. Reshape it to 2 axes",
    ),
    "scores that are not square": (
        lambda: dc.Teacher(V, S[:1]),
        r"scores has axes \(tokens, tokens\) with tokens=2, got tokens=1 \(shape \(1, 2\)\)",
    ),
    "an infinite value": (
        lambda: dc.Teacher(with_entry(V, (0, 1), INF), S),
        r"value must be finite, but value\[0, 1\] = inf",
    ),
    "a score that is no number": (
        lambda: dc.Teacher(V, with_entry(S, (1, 0), NAN)),
        r"scores must be finite, but scores\[1, 0\] = nan",
    ),
    "K > D": (
        lambda: dc.teachers.random(4, sparsity=5, **SIZES),
        r"sparsity must not exceed tokens, got sparsity=5 > tokens=4\. Try sparsity=4",
    ),
    "K > D, selected": (
        lambda: dc.teachers.sparse_token_selection(4, sparsity=5, features=2, seed=0),
        r"sparsity must not exceed tokens, got sparsity=5 > tokens=4\. Try sparsity=4",
    ),
    "K does not divide D": (
        lambda: dc.teachers.patch_association(6, sparsity=4, **SIZES),
        r"sparsity=4 does not divide tokens=6\. .*partition=\[\[0, 1\], \[2\]\]",
    ),
    "a group that is not there": (
        lambda: dc.teachers.group_sparse(4, group=4, features=2, seed=0),
        r"group is one of 0 to 3, got group=4\. Try group=3",
    ),
    "a graph that is not regular": (
        lambda: dc.teachers.graph_convolution(networkx.star_graph(3), regular=True, **SIZES),
        r"regular=True needs equal degrees, but node 1 has 1 neighbours and node 0 has 3\. Drop regular=True",
    ),
    "a graph that is directed": (
        lambda: dc.teachers.graph_convolution(np.triu(np.ones((3, 3))), **SIZES),
        r"graph must be undirected, but edge 0→1 lacks its reverse\. Use adjacency \| adjacency\.T",
    ),
}

RUNS: dict[str, Case] = {
    "features that disagree": (
        lambda: dc.excess_loss(teacher(), dc.PositionOnly(np.zeros((2, 3)), np.zeros((2, 2)))),
        r"must share their features, got features=2 and features=3\. .*dc\.PositionOnly\.zeros\(teacher\)",
    ),
    "tokens that disagree": (
        lambda: dc.train(teacher(), dc.PositionOnly(np.zeros((2, 2)), np.zeros((3, 3))), dc.GradientDescent(0.1), 5),
        r"teacher and student must share their tokens, got tokens=2 and tokens=3",
    ),
    "inputs that disagree": (
        lambda: dc.excess_loss(teacher(), dc.PositionOnly.zeros(teacher()), dc.inputs.Gaussian(np.eye(3))),
        r"feature_covariance has axes \(features, features\) with features=2, got features=3",
    ),
    "data that are not finite": (
        lambda: dc.inputs.Empirical(with_entry(np.zeros((2, 2, 2)), (1, 0, 1), NAN)),
        r"array must be finite, but array\[1, 0, 1\] = nan\. .*np\.argwhere\(~np\.isfinite\(array\)\)",
    ),
    "a start that is not finite": (
        lambda: dc.PositionOnly(V, with_entry(S, (0, 0), INF)),
        r"key_query must be finite, but key_query\[0, 0\] = inf",
    ),
    "a zero logit scale": (
        lambda: dc.PositionOnly(V, S, logit_scale=0.0),
        r"logit_scale must be positive and finite, got",
    ),
    "an unknown slope": (
        lambda: dc.leaky_relu(-1.0),
        r"negative_slope lies in \(-1, 1\], got -1\.0\. .*dc\.leaky_relu\(0\.1\)",
    ),
    "no noise below zero": (
        lambda: dc.Online(0.1, batch_size=2, noise=-1.0),
        r"not negative, got -1\.0\. Try noise=1\.0",
    ),
    "no key": (
        lambda: dc.train(teacher(), None, dc.Online(0.1, batch_size=2), 5),
        r"a key is required where something is sampled.*Pass key=0",
    ),
    "images of the wrong size": (
        lambda: patches(np.zeros((1, 28, 28)), 3),
        r"multiple of the patch's, got images 28 × 28 and patch=3\. Try patches\(resize\(images, 27\), 3\)",
    ),
}


@pytest.mark.parametrize(("call", "message"), [*TEACHERS.values(), *RUNS.values()], ids=[*TEACHERS, *RUNS])
def test_arrays_and_numbers(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("rate", [0.0, -0.5, NAN, INF])
@pytest.mark.parametrize(
    "make", [dc.GradientDescent, lambda rate: dc.Online(rate, batch_size=2)], ids=["exact", "online"]
)
def test_learning_rates(make: Callable[[float], Any], rate: float) -> None:
    wanted = f"learning_rate must be positive and finite, got learning_rate={rate}. For example learning_rate=0.1"
    with pytest.raises(ValueError, match=re.escape(wanted)):
        make(rate)


def test_a_rate_above_the_limit_warns_runs_and_says_so() -> None:
    limit = dc.stable_learning_rate(teacher())
    with pytest.warns(UserWarning, match=rf"stability limit {limit:.6g} near the teacher"):
        run = dc.train(teacher(), None, dc.GradientDescent(20 * limit), 10_000)
    assert run.status in ("diverged", "non_finite")
    assert f"the stability limit near the teacher is {limit:.6g}: try dc.GradientDescent" in run.status.message
    assert run.data.sizes["step"] == 0 or np.isfinite(run.data.excess_loss).all()


# Files and folders


def not_a_folder(place: Path) -> Path:
    """A folder's name that a file already has."""
    (place / "file").write_bytes(b"content")
    return place / "file"


def test_a_run_is_not_written_where_it_cannot_be(tmp_path: Path) -> None:
    run = dc.train(teacher(), None, dc.GradientDescent(0.1), 2)
    for folder in (tmp_path / "missing", not_a_folder(tmp_path)):
        with pytest.raises(ValueError, match=rf"an output folder must exist and be writable, '{folder}' is not: .*Try"):
            run.save(folder / "run.nc")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_checkpoint_is_not_written_where_it_cannot_be(tmp_path: Path) -> None:
    folder = not_a_folder(tmp_path)
    with pytest.raises(ValueError, match=rf"an output folder must exist and be writable, '{folder}' is not"):
        dc.train(teacher(), None, dc.GradientDescent(0.1), 2, checkpoint=folder)
    assert folder.read_bytes() == b"content"


@pytest.mark.parametrize("kept", [0, 10, 0.5, 0.99])
def test_truncated_runs(kept: float, tmp_path: Path) -> None:
    file = dc.train(teacher(), None, dc.GradientDescent(0.1), 2).save(tmp_path / "run.nc")
    whole = file.read_bytes()
    file.write_bytes(whole[: int(kept * len(whole)) if kept < 1 else int(kept)])
    with pytest.raises(ValueError, match=rf"{file} cannot be read as a run .*Save it again"):
        dc.load_run(file)


def test_truncated_checkpoints(tmp_path: Path) -> None:
    dc.train(teacher(), None, dc.GradientDescent(0.1), 2, checkpoint=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    before = file.read_bytes()
    message = f"{file} is not an npz file of plain arrays, or is damaged.*Delete it to start over"
    with pytest.raises(ValueError, match=message):
        dc.train(teacher(), None, dc.GradientDescent(0.1), 2, checkpoint=tmp_path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


def test_missing_and_unreadable_data(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"{tmp_path / 'gone'} is not a file\. A run is written by run\.save"):
        dc.load_run(tmp_path / "gone")
    with pytest.raises(ValueError, match=f"{tmp_path / 'gone'} doesn't exist"):
        load_digits(tmp_path / "gone")
    with pytest.raises(ValueError, match=f"{tmp_path} holds neither train-images"):
        load_digits(tmp_path)


# The command line


RANDOM = "train --teacher random --tokens 4 --sparsity 2 --steps 5"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("train --teacher rondom", "there is no teacher 'rondom'. Did you mean random?"),
        ("train --teacher Random", "there is no teacher 'Random'. Did you mean random?"),
        ("train --teacher xyz", "there is no teacher 'xyz'. Choose from single_layer, convolution, graph_convolution"),
        (f"{RANDOM} --sparsity 5", "sparsity must not exceed tokens, got sparsity=5 > tokens=4. Try sparsity=4."),
        (f"{RANDOM} --tokens 0", "tokens must be a whole number of at least 1, got 0. Try tokens=4."),
        (f"{RANDOM} --features -1", "features must be a whole number of at least 1, got -1"),
        (
            f"{RANDOM} --grid 4x4",
            "--grid means nothing for the teacher random. It takes --tokens, --sparsity, --features",
        ),
        (
            "train --teacher graph_convolution --sparsity 3",
            "--sparsity means nothing for the teacher graph_convolution",
        ),
        ("train --teacher graph_convolution --tokens 2", "a cycle needs at least 3 nodes, got tokens=2"),
        ("train --teacher convolution --grid 6", "--grid is height x width, got '6'. For example --grid 6x6."),
        ("train --teacher convolution --grid 6xa", "--grid is height x width, got '6xa'."),
        ("train --teacher convolution --pool 4x4", "but pool=(4, 4) does not divide grid=(6, 6)"),
        ("train --teacher sparse_token_selection --selected 1,1", "selected holds different tokens between 0 and 19"),
        ("train --teacher sparse_token_selection --selected a", "--selected is a list of whole numbers, got 'a'"),
        ("train --teacher group_sparse --group 20", "group is one of 0 to 19, got group=20"),
        (f"{RANDOM} --activation gelu", "an activation is identity, relu or leaky_relu:SLOPE, got 'gelu'"),
        (f"{RANDOM} --activation leaky_relu:x", "got 'leaky_relu:x'. Try leaky_relu:0.1."),
        (f"{RANDOM} --activation leaky_relu:2", "negative_slope lies in (-1, 1], got 2.0"),
        (f"{RANDOM} --positions sinus", "there is no positional encoding 'sinus'. Did you mean sinusoidal?"),
        (f"{RANDOM} --logit-scale 0", "logit_scale must be positive and finite"),
        (f"{RANDOM} --dynamics descent", "there is no dynamics 'descent'. Did you mean gradient_descent?"),
        (f"{RANDOM} --learning-rate 0", "learning_rate must be positive and finite, got learning_rate=0.0"),
        (f"{RANDOM} --learning-rate nan", "learning_rate must be positive and finite, got learning_rate=nan"),
        (
            f"{RANDOM} --noise 1",
            "--noise means nothing for the dynamics gradient_descent. It takes --learning-rate, --steps.",
        ),
        (f"{RANDOM} --dynamics online --batch-size 0", "batch_size must be a whole number of at least 1, got 0"),
        (f"{RANDOM} --dynamics flow --learning-rate 1", "--learning-rate means nothing for the dynamics flow"),
        ("train --teacher random --dynamics flow --time -1", "time must be finite and not negative"),
        ("train --teacher symmetric --dynamics reduced", "no stable learning rate is known for SymmetricTeacher"),
        ("train --teacher symmetric --learning-rate 1", "is known by its support sizes alone. Train it by dc.Reduced"),
        ("train --teacher symmetric --positions orthogonal", "a symmetric teacher takes --positions identity"),
        ("train --teacher symmetric --value-norm 0 --dynamics flow", "value_norm must be positive and finite"),
        (f"{RANDOM} --positions sinusoidal --dynamics reduced", "Reduced needs uniform columns, a start at zero"),
        (f"{RANDOM} --steps -1", "steps must be finite and not negative"),
        (f"{RANDOM} --saves 1", "log_spaced needs at least 2 points, got n=1"),
        (f"{RANDOM} --inputs normal", "there is no law of inputs 'normal'. Choose from gaussian, exponential"),
        (f"{RANDOM} --inputs exponential", "GradientDescent needs an exact loss, and there is none"),
    ],
)
def test_one_message_and_no_files(command: str, message: str, tmp_path: Path) -> None:
    done = docendo(f"{command} --out {tmp_path / 'new' / 'run.nc'} --checkpoint {tmp_path / 'state'} --quiet")
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flag", ["--out {}/run.nc", "--plot {}/run.svg", "--checkpoint {}", "--out {}/deeper/run.nc"])
def test_folders_are_tried_before_any_work(flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docendo.training.train", lambda *_, **__: pytest.fail("worked before it looked"))
    done = docendo(f"{RANDOM} {flag.format(not_a_folder(tmp_path))}")
    assert done.exit_code == 2
    assert f"an output folder must exist and be writable, '{tmp_path / 'file'}' is not" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_names_of_files(tmp_path: Path) -> None:
    done = docendo(f"{RANDOM} --out {tmp_path}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"'{tmp_path}' is a folder, but the name of a file is wanted. Try {tmp_path / 'run.nc'}." in done.stderr
    done = docendo(f"{RANDOM} --plot {tmp_path / 'run.jpg'}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"a picture's name ends in one of .svg, .png, .pdf, got '{tmp_path / 'run.jpg'}'" in done.stderr
