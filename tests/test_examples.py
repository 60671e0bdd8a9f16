"""The examples, and the code of the documentation's first steps, run and say what they promise."""

import ast
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

Names = dict[str, Any]


def leakage(names: Names) -> float:
    return float(names["run"].data.leakage[-1])


def last(run: Any) -> float:
    return float(run.data.score_error[-1])


def online_stays_near(names: Names) -> bool:
    exact, online = (names[name].data.excess_loss.values for name in ("exact", "online"))
    return bool(np.all(np.abs(online / exact - 1) < 0.1) and exact[-1] < 0.1 * exact[0])


# What each example shows, beside that its run completes.
SHOWN: dict[str, Callable[[Names], bool]] = {
    "convolution": lambda names: leakage(names) < 0.2,
    # By the law exp(−12) of the loss is left: from 2.7e-4 after 2000 steps, exp(−11) further down.
    "dense_scores": lambda names: bool(names["run"].data.excess_loss[-1] < 1e-6),
    "dilated_convolution": lambda names: leakage(names) < 0.1 and names["teacher"].sparsity == 4,
    "factored_key_query": lambda names: last(names["run"]) < 0.3 * last(names["whole"]),
    "finite_sample": lambda names: names["run"].data.excess_loss[-1] > 1.2 * names["exact"].data.excess_loss[-1],
    "free_temperature": lambda names: bool(
        names["run"].student.logit_scale > 10 * names["run"].start.logit_scale
        and names["run"].data.excess_loss[-1] < 1e-2 * names["held"].data.excess_loss[-1]
    ),
    "from_conv2d": lambda names: leakage(names) < 0.3 and names["teacher"].features == 9,
    "graph_convolution": lambda names: (
        names["teacher"].sparsity == 4 and -1.1 < names["run"].data.local_exponent[-1] < -1
    ),
    "group_sparse": lambda names: int(names["run"].student.scores.mean(axis=1).argmax()) == 3,
    "group_sparse_classification": lambda names: bool(
        abs(names["population"].loss[-1] / names["task"].law(2.0, 50_000) - 1) < 0.01
        and names["sampled"].angle[-1] < 0.05
    ),
    "learned_positions": lambda names: last(names["run"]) < 0.05 < 1 < last(names["fixed"]),
    "length_change": lambda names: bool(
        names["run"].data.excess_loss[-1] < names["run"].data.excess_at_24[-1] < 0.1 * names["run"].data.excess_at_24[0]
    ),
    "online_and_exact": online_stays_near,
    "optimizers": lambda names: bool(
        abs(names["runs"]["momentum"].data.local_exponent[-1] + 1) < 0.05
        and names["runs"]["adam"].data.excess_loss[-1] < 1e-5
    ),
    "out_of_distribution": lambda names: abs(names["slope"][-1] + 1) < 0.05,
    "own_teacher": lambda names: bool(np.abs(names["run"].student.scores - names["scores"]).max() < 0.01),
    "patch_association": lambda names: names["teacher"].support_sizes.tolist() == [3, 2, 3, 3, 3, 3, 2, 3],
    "query_selection": lambda names: bool(abs(names["part"][-1] - 1) < 0.1),
    "random_teacher": lambda names: leakage(names) < 0.2,
    "save_load_plot": lambda names: names["again"].data.identical(
        names["run"].data.assign_attrs(names["again"].data.attrs)
    ),
    "several_heads": lambda names: bool(names["run"].data.excess_loss[-1] < 1e-6 and min(names["errors"]) > 0.3),
    "single_layer": lambda names: bool(names["run"].student.scores.diagonal().min() > 0.9),
    "sparse_token_selection": lambda names: bool(
        names["run"].student.scores[np.array([1, 4, 7])].sum(axis=0).min() > 0.9
    ),
    "weighted_graph": lambda names: bool(abs(names["run"].student.scores - names["teacher"].scores).max() < 0.01),
}


def code_lines(source: str) -> int:
    """Lines that hold code; the opening docstring and comments do not count."""
    body = ast.parse(source).body
    is_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    start = body[0].end_lineno or 0 if is_text else 0
    return sum(1 for line in source.splitlines()[start:] if line.strip() and not line.strip().startswith("#"))


def test_every_example_is_described() -> None:
    assert {path.stem for path in EXAMPLES} == set(SHOWN)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_lines(path.read_text(encoding="utf-8")) <= 10
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(path))
    assert capsys.readouterr().out
    assert all(names[name].status == "completed" for name in ("run", "exact", "online") if name in names)
    assert SHOWN[path.stem](names)


def test_quickstart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    first, *more = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert code_lines(first) <= 10
    monkeypatch.chdir(tmp_path)
    names: Names = {}
    for block in (first, *more):
        exec(compile(block, "docs/quickstart.md", "exec"), names)
    assert names["run"].status == "completed"
    printed = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert capsys.readouterr().out == "".join(printed)


@pytest.mark.parametrize("page", ["devices", "trackers"])
def test_programs_of_pages_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text("[teacher]\n")
    names: Names = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text("utf-8"), re.DOTALL):
        exec(compile(block, f"docs/{page}.md", "exec"), names)
    assert names["run"].status == "completed"
