"""A study at a glance: curves of some cells, and where all of them end against each axis."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from docendo.figures import Curve, Curves, Figure

if TYPE_CHECKING:
    import xarray

__all__ = ["describe_study"]

MOST_CURVES = 8
MOST_LINES = 6
_ENDS = (("excess_loss", "excess loss at the end", True), ("local_exponent", "d log L / d log T at the end", False))


def describe_study(data: "xarray.Dataset") -> Figure:
    """The figure of what `docendo.sweep` returned. Seeds become the median and the range.

    Raises:
        ValueError: no cell has a result yet, or none recorded an excess loss.
    """
    loss = next((name for name in ("excess_loss", "sampled_excess_loss") if name in data), None)
    if loss is None or not np.isfinite(data[loss]).any():
        raise ValueError("a study is drawn once a cell has an excess loss, this one has none. Run: docendo sweep.")
    axes = [str(dim) for dim in data["status"].dims if dim != "seed"]
    panels = [_courses(data, loss, axes)]
    for axis in axes:
        if data[axis].dtype.kind in "if" and data.sizes[axis] > 1:
            panels += [_ends(data, name, title, log, axis, axes) for name, title, log in _ENDS if name in data]
    seeds = f" Lines are medians over {data.sizes['seed']} seeds, bands their range." if "seed" in data.dims else ""
    caption = f"{data.attrs['finished']} of {data.attrs['cells']} cells.{seeds}"
    return Figure("study", str(data.attrs["study"]), caption, panels)


def _courses(data: "xarray.Dataset", loss: str, axes: Sequence[str]) -> Curves:
    along = str(data[loss].dims[-1])
    points = _thinned(list(_combinations(data, axes)), MOST_CURVES)
    curves = []
    for place, point in enumerate(points):
        cell = data.isel(point)
        clock = cell["step"] if along == "save" and "step" in cell else cell[along]
        x = clock.isel({dim: 0 for dim in clock.dims if dim != along}).values
        curves.append(_curve(_label(data, point), x, cell[loss].values, place, positive=True))
    label = "ηT" if along == "time" else "steps T"
    return Curves("Excess loss", label, "excess loss L − L_opt", [curve for curve in curves if len(curve.x)])


def _ends(data: "xarray.Dataset", name: str, title: str, log: bool, axis: str, axes: Sequence[str]) -> Curves:
    others = [each for each in axes if each != axis]
    ends = _last(data[name])
    curves = []
    for place, point in enumerate(_thinned(list(_combinations(data, others)), MOST_LINES)):
        some = ends.isel(point)
        values = some.transpose(*(dim for dim in some.dims if dim != axis), axis).values
        curves.append(_curve(_label(data, point), data[axis].values.astype(float), values, place, positive=log))
    spread = data[axis].values.astype(float)
    return Curves(f"Against {axis}", axis, title, curves, x_log=bool((spread > 0).all()), y_log=log)


def _last(values: "xarray.DataArray") -> "xarray.DataArray":
    """The last value that was recorded; runs that ended early end earlier."""
    along, array = str(values.dims[-1]), values.values
    there = np.isfinite(array)
    last = array.shape[-1] - 1 - there[..., ::-1].argmax(-1)
    ends = np.take_along_axis(array, last[..., None], -1)[..., 0]
    return values.isel({along: -1}).copy(data=np.where(there.any(-1), ends, np.nan))


def _curve(label: str, x: np.ndarray, values: np.ndarray, group: int, positive: bool) -> Curve:
    """Median and range over all but the last dimension, where there is anything."""
    rows = values.reshape(-1, values.shape[-1])
    good = np.isfinite(rows).any(0) & np.isfinite(x) & ((x > 0) if positive else True)
    rows, x = rows[:, good], x[good]
    if len(rows) == 1:
        return Curve(label, x, rows[0], group=group)
    with np.errstate(all="ignore"):
        middle, low, high = np.nanmedian(rows, 0), np.nanmin(rows, 0), np.nanmax(rows, 0)
    return Curve(label, x, middle, low=low, high=high, group=group)


def _combinations(data: "xarray.Dataset", axes: Sequence[str]) -> Iterator[Mapping[str, int]]:
    for place in product(*(range(data.sizes[axis]) for axis in axes)):
        yield dict(zip(axes, place, strict=True))


def _thinned(points: Sequence[Any], most: int) -> list[Any]:
    """Evenly spread ones, the first and last among them."""
    if len(points) <= most:
        return list(points)
    return [points[place] for place in np.unique(np.linspace(0, len(points) - 1, most).round().astype(int))]


def _label(data: "xarray.Dataset", point: Mapping[str, int]) -> str:
    def shown(value: Any) -> str:
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    return ", ".join(f"{axis} = {shown(data[axis].values[at].item())}" for axis, at in point.items()) or "all cells"
