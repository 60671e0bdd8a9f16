"""What is said of a study: a table of where its cells ended, its figure, and its data for other tools."""

from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from docendo.cli.console import say, say_table
from docendo.files import to_json, writable_folder, write_atomically
from docendo.plots import describe_study, picture_files
from docendo.studies.exporting import FORMATS, export
from docendo.studies.gathering import open_study

if TYPE_CHECKING:
    import xarray

__all__ = ["show_study"]

MOST_ROWS = 60
QUANTITIES = ("excess_loss", "sampled_excess_loss", "local_exponent", "score_error")
PICTURES = (".svg", ".png")


def show_study(folder: Path, as_json: bool, out: Path | None) -> None:
    """Print the table; draw the figure into the study's folder, or write what `out` asks for."""
    if out is not None and out.suffix not in (*FORMATS, *PICTURES):
        raise ValueError(
            f"a study is written as {', '.join((*FORMATS, *PICTURES))}, got {str(out)!r}. Try --out {out}.csv."
        )
    data = open_study(folder)
    if as_json:
        say(to_json([dict(zip(_names(data), row, strict=True)) for row in _rows(data)], indent=2))
        return
    say(f"{data.attrs['study']}: {data.attrs['finished']} of {data.attrs['cells']} cells", style="bold")
    rows = [[_shown(value) for value in row] for row in islice(_rows(data), MOST_ROWS)]
    say_table(_names(data), rows, right=range(len(_names(data)) - 1))
    if data["status"].size > MOST_ROWS:
        say(f"… and {data['status'].size - MOST_ROWS} more; all of them: docendo show {folder} --out cells.csv")
    say()
    for path in _written(data, folder, out):
        say(f"written {path}")


def _names(data: "xarray.Dataset") -> list[str]:
    return [*map(str, data["status"].dims), *(name for name in QUANTITIES if name in data), "status"]


def _rows(data: "xarray.Dataset") -> Any:
    """Where each cell ended: the last values it recorded."""
    axes = [str(dim) for dim in data["status"].dims]
    for place in product(*(range(data.sizes[axis]) for axis in axes)):
        cell = data.isel(dict(zip(axes, place, strict=True)))
        ends = [_end(cell[name].values) for name in QUANTITIES if name in data]
        yield [*(cell[axis].item() for axis in axes), *ends, cell["status"].item()]


def _end(values: np.ndarray) -> float:
    there = values[np.isfinite(values)]
    return float(there[-1]) if there.size else float("nan")


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _written(data: "xarray.Dataset", folder: Path, out: Path | None) -> list[Path]:
    if out is not None and out.suffix in FORMATS:
        return [export(data, out)]
    if not data.attrs["finished"]:
        return []
    files = picture_files(describe_study(data))
    if out is not None:
        content = next(content for name, content in files.items() if Path(name).suffix == out.suffix)
        return [write_atomically(writable_folder(out.parent) / out.name, content)]
    figures = writable_folder(folder / "figures")
    return [write_atomically(figures / name, content) for name, content in files.items()]
