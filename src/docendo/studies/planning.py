"""How the cells of a study are run: which of them together, as one program.

Cells whose programs differ in numbers only, such as seeds and learning rates, share a batch. Batches are filled in the
study's order and padded to their width, so what is left after a stop never regroups: each cell meets the same program
whenever it is run.

On one core of a CPU a batch of 32 took, for each cell, 1/5.6 of the time of a run alone at D = 4, 1/3.3 at D = 8 and
16, 1/2.3 at D = 24 and 1/1.8 at D = 32 (benchmarks/study.py); at D = 64 batches lose. A GPU is filled.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docendo.files import content_hash
from docendo.studies.cells import Cell
from docendo.studies.schema import Settings

__all__ = ["Job", "cell_bytes", "plan_jobs"]

WIDEST_ON_CPU = 32
WIDEST_ON_GPU = 1024
MOST_TOKENS_ON_CPU = 32
GPU_BYTES = 2 * 10**9
BATCHED = ("gradient_descent", "reduced")
# D × D arrays that a step of full descent holds at a time, at most.
ARRAYS = 16


@dataclass(frozen=True)
class Job:
    """Cells that are run together.

    Attributes:
        index: its place in the plan.
        width: how many lanes its program has; 1 for a run alone.
        cells: the places of its cells in the study.
    """

    index: int
    width: int
    cells: tuple[int, ...]


def plan_jobs(cells: Sequence[Cell], platform: str) -> list[Job]:
    """All jobs of a study.

    Args:
        cells: in the study's order.
        platform: what JAX calls the machine: cpu, gpu, …
    """
    groups: dict[str, list[int]] = {}
    for cell in cells:
        groups.setdefault(_program(cell.settings), []).append(cell.index)
    batches = [batch for group in groups.values() for batch in _batches(cells[group[0]].settings, group, platform)]
    batches.sort(key=lambda batch: batch[1][0])
    return [Job(index, width, places) for index, (width, places) in enumerate(batches)]


def cell_bytes(settings: Settings) -> int:
    """About how much memory a cell takes while it runs."""
    if settings.dynamics.kind == "reduced" or settings.teacher.kind == "symmetric":
        return 10**6
    tokens, features = _tokens(settings), settings.teacher.features or 8
    samples = (settings.dynamics.batch_size or 100) if settings.dynamics.kind == "online" else 0
    return 8 * (ARRAYS * tokens**2 + 4 * samples * tokens * features) + 10**6


def _batches(settings: Settings, group: list[int], platform: str) -> Iterator[tuple[int, tuple[int, ...]]]:
    width = min(_widest(settings, platform), 1 << (len(group) - 1).bit_length())
    for begin in range(0, len(group), width):
        yield width, tuple(group[begin : begin + width])


def _widest(settings: Settings, platform: str) -> int:
    if settings.dynamics.kind not in BATCHED:
        return 1
    if platform != "cpu":
        return min(WIDEST_ON_GPU, 1 << max(0, (GPU_BYTES // cell_bytes(settings)).bit_length() - 1))
    scalar = settings.dynamics.kind == "reduced"
    return WIDEST_ON_CPU if scalar or _tokens(settings) <= MOST_TOKENS_ON_CPU else 1


def _tokens(settings: Settings) -> int:
    teacher = settings.teacher
    return teacher.grid[0] * teacher.grid[1] if teacher.grid else teacher.tokens or 36


def _program(settings: Settings) -> str:
    """What decides a cell's program: everything but the numbers that enter it as arrays."""
    plain: dict[str, Any] = settings.model_dump(mode="json", exclude_none=True)
    plain.pop("seed", None)
    for section, names in _NUMBERS.items():
        plain[section] = {name: value for name, value in plain.get(section, {}).items() if name not in names}
    activation = plain["teacher"].get("activation")
    if isinstance(activation, str):
        plain["teacher"]["activation"] = "identity" if activation == "identity" else "bent"
    return content_hash(plain)


_NUMBERS: Mapping[str, tuple[str, ...]] = {
    "teacher": ("seed", "value_norm"),
    "student": ("logit_scale",),
    "dynamics": ("learning_rate",),
}
