"""The neighbours the paper compares with, beside its own tasks: one table of measured rates.

    sparse token selection (the paper)     K tokens, the same for every input; guarantee 1/T
    the target set in the query            K tokens, drawn for every input; guarantee O(log T / T) (Wang et al. 2024)
    group-sparse prediction (the paper)    one group decides a number, squared error; guarantee 1/T
    group-sparse classification            one group decides a sign, logistic loss (after Zhang et al. 2025)

D, d, τ and the number of steps are the same for all four, K for the two selections. What differs besides the task is
η of the classification, larger because its loss is so flat, and its start: w small and random where the others have
zero. The sampled classification takes fewer steps, from the same start.
"""

from typing import NamedTuple

import numpy as np

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.group_sparse_classification import Classified, GroupSparseClassification
from docendo.experiments.judging import exponent_finding, near_finding
from docendo.experiments.query_selection import QuerySelection
from docendo.experiments.sizes import Neighbours
from docendo.figures import Curve, Curves, Figure
from docendo.results import Finding
from docendo.steps import log_spaced, resolve_steps
from docendo.students.position_only import PositionOnly
from docendo.teachers import group_sparse, sparse_token_selection
from docendo.theory.rates import Estimate, limit_exponent
from docendo.training import Reduced, Run

__all__ = ["run"]

LATE = 1e3
FIGURE = "neighbours"
SAMPLED_TOLERANCE = 0.05
LIMIT_TOLERANCE = 0.1


class _Row(NamedTuple):
    """A quantity that falls with T: whose, what it is, which power is claimed and by whom, and its curve."""

    task: str
    quantity: str
    claimed: float
    source: str
    step: np.ndarray
    values: np.ndarray


def run(sizes: Neighbours, bench: Bench) -> Outcome:
    """Train all four, and the classification once more on samples."""
    runs = _paper_runs(sizes, bench)
    saves = resolve_steps(log_spaced(sizes.saves), sizes.steps)
    task = QuerySelection(sizes.tokens, sizes.sparsity, sizes.features)
    selected = task.descend(sizes.learning_rate, saves)
    bench.spend(0.2)
    classification = GroupSparseClassification(sizes.tokens, sizes.features)
    start = classification.start(sizes.start, bench.key("classification"))
    early = resolve_steps(log_spaced(sizes.saves), sizes.sampled_steps)
    rate = sizes.classification_rate
    exact = classification.descend(rate, sorted({*saves, *early}), start)
    bench.spend(0.4)
    sampled = classification.sample(rate, early, start, batch_size=sizes.batch_size, seed=bench.key("batches"))
    bench.spend(0.2)
    rows = [
        *(_Row(name, "excess loss", -1.0, "1/T, Theorem 3.1", *_curve(each)) for name, each in runs.items()),
        _Row(_QUERY, "loss", -1.0, "O(log T/T), Wang et al. 2024; 1/T, docendo's law", selected.step, selected.loss),
        _Row(_CLASSES, "loss", -1 / 3, "T^(−1/3), docendo's law", exact.step, exact.loss),
        _Row(_CLASSES, "mass off the group", -2 / 3, "T^(−2/3), docendo's law", exact.step, exact.off_group),
    ]
    found = [_limit(row) for row in rows]
    part = sizes.learning_rate * sizes.steps * float(selected.loss[-1]) / task.limit
    shared = np.isin(exact.step, sampled.step)
    gap = float(np.abs(sampled.loss / exact.loss[shared] - 1).max())
    return Outcome(
        summary=_summary(sizes, rows, found, exact, sampled),
        settings=vars(sizes),
        findings=[
            *(_finding(row, each) for row, each in zip(rows, found, strict=True)),
            near_finding(
                f"{_QUERY}: ηT × loss tends to (D − 1)/(4τ²); its part of that at the end",
                1.0,
                part,
                LIMIT_TOLERANCE,
                f"exact descent, T = {sizes.steps:,}",
                figure=FIGURE,
            ),
            near_finding(
                f"{_CLASSES}: descent on fresh batches follows the population's; largest relative difference of loss",
                0.0,
                gap,
                SAMPLED_TOLERANCE,
                f"{sizes.sampled_steps:,} steps, {sizes.batch_size} inputs each",
                figure=FIGURE,
            ),
        ],
        figures=[_figure(rows, exact, sampled)],
        runs={_file_name(name): each for name, each in runs.items()},
        numbers={
            "query_selection_part_of_its_limit": part,
            "classification_loss_over_its_law": float(exact.loss[-1] / classification.law(rate, exact.step[-1:])[0]),
            "sampled_angle_to_v_star": float(sampled.angle[-1]),
        },
    )


_SELECTION, _QUERY = "Sparse token selection", "The target set in the query"
_PREDICTION, _CLASSES = "Group-sparse prediction", "Group-sparse classification"


def _paper_runs(sizes: Neighbours, bench: Bench) -> dict[str, Run]:
    seed = bench.key("teacher")
    teachers = {
        _SELECTION: sparse_token_selection(sizes.tokens, sparsity=sizes.sparsity, features=sizes.features, seed=seed),
        _PREDICTION: group_sparse(sizes.tokens, value=np.eye(1, sizes.features), seed=seed),
    }
    descent = Reduced(sizes.learning_rate)
    options = {"steps": sizes.steps, "saves": sizes.saves}
    return {
        name: bench.train(_file_name(name), 0.1, each, PositionOnly.zeros(each), descent, **options)
        for name, each in teachers.items()
    }


def _curve(run: Run) -> tuple[np.ndarray, np.ndarray]:
    step, loss = np.asarray(run.data["step"]), np.asarray(run.data["excess_loss"])
    return step[step > 0], loss[step > 0]


def _limit(row: _Row) -> Estimate:
    end = float(row.step[-1])
    return limit_exponent(row.step, row.values, window=(end / LATE, end))


def _finding(row: _Row, found: Estimate) -> Finding:
    claim = f"{row.task}: power of T in the {row.quantity}; claimed {row.source}"
    return exponent_finding(claim, row.claimed, found, "limit of the local exponent of exact descent", figure=FIGURE)


def _summary(sizes: Neighbours, rows: list[_Row], found: list[Estimate], exact: Classified, sampled: Classified) -> str:
    """The powers, and how the angle falls, from the numbers."""
    told = [
        f"{row.task}, {row.quantity}: {each.value:.3f} [{each.low:.3f}, {each.high:.3f}] ({row.source})"
        for row, each in zip(rows, found, strict=True)
    ]
    same = (
        f"Four tasks with D = {sizes.tokens}, d = {sizes.features} and T = {sizes.steps:,}; both selections have "
        f"K = {sizes.sparsity}, the group-sparse tasks K = 1; V* is the unit matrix, or one row. η is "
        f"{sizes.learning_rate:g}, {sizes.classification_rate:g} for the classification, whose w starts at length "
        f"{sizes.start:g} instead of zero. Powers of T: "
    )
    at = sampled.step[-1]
    population = exact.angle[exact.step == at][0]
    angle = (
        f" In the classification the angle of w to v* is {population:.2g} after {at:,} steps on the population, "
        f"{sampled.angle[-1]:.2g} on batches of {sizes.batch_size}, whose noise holds it up, and "
        f"{_small(float(exact.angle[-1]))} at the end."
    )
    return same + "; ".join(told).replace(" -", " −").replace("[-", "[−") + "." + angle


def _small(angle: float) -> str:
    return "below 1e-100" if angle < 1e-100 else f"{angle:.2g}"


def _figure(rows: list[_Row], exact: Classified, sampled: Classified) -> Figure:
    losses = [
        Curve(row.task, row.step, row.values, group=place)
        for place, row in enumerate(each for each in rows if "loss" in each.quantity)
    ]
    losses.append(Curve(f"{_CLASSES}, sampled", sampled.step, sampled.loss, "points", group=3))
    seen = exact.angle > np.finfo(float).eps
    panels = (
        Curves("Loss", "steps T", "excess loss", losses),
        Curves("Local power", "steps T", "d log L / d log T", [_slope(curve) for curve in losses[:-1]], y_log=False),
        Curves("Mass off the group", "steps T", "1 − S_j*", _both(exact, sampled, "off_group")),
        Curves("Angle of w to v*", "steps T", "radians", _both(exact, sampled, "angle", seen)),
    )
    caption = "The paper's two tasks and their neighbours: exact descent as lines, descent on fresh batches as points."
    return Figure(FIGURE, "The neighbours", caption, panels)


def _slope(curve: Curve) -> Curve:
    time, loss = np.asarray(curve.x, dtype=float), np.asarray(curve.y)
    return Curve(curve.label, time, np.gradient(np.log(loss), np.log(time)), group=curve.group)


def _both(exact: Classified, sampled: Classified, what: str, seen: np.ndarray | None = None) -> list[Curve]:
    shown = slice(None) if seen is None else seen
    line = Curve("population", exact.step[shown], getattr(exact, what)[shown], group=3)
    return [line, Curve("sampled", sampled.step, getattr(sampled, what), "points", group=3)]


def _file_name(name: str) -> str:
    return name.lower().replace(" ", "_").replace("-", "_")
