"""Figures as data: what is drawn, apart from who draws it.

An experiment describes a figure once; `docendo.plots` draws it for a paper (SVG, PNG) and `docendo.report` for the
page (hover, zoom). A description is plain numbers and words and goes to JSON and back.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

__all__ = ["Curve", "Curves", "Figure", "Heatmap", "Numbers", "Panel", "Style", "figure_from_json", "figure_to_json"]

Style = Literal["line", "points", "dashed", "reference"]

# None, as NaN, stands for a point that is not there.
Number = float | int | np.number[Any]
Numbers = Sequence[Number | None] | np.ndarray


@dataclass(frozen=True)
class Curve:
    """One curve. `low` and `high` bound a band around it; `group` gives curves the same colour.

    Styles: `line` for what is exact, `points` for what is sampled, `dashed` for a law or a bound, `reference` for a
    thin grey guide to the eye, of several strokes where a point that is not there parts them.
    """

    label: str
    x: Numbers
    y: Numbers
    style: Style = "line"
    low: Numbers | None = None
    high: Numbers | None = None
    group: int | None = None

    def __post_init__(self) -> None:
        lengths = [len(values) for values in (self.x, self.y, self.low, self.high) if values is not None]
        if len(set(lengths)) > 1 or (self.low is None) != (self.high is None):
            raise ValueError(
                f"x, y and, given together, low and high of a curve have one length; {self.label!r} has lengths "
                f"{lengths}. Try len(x) == len(y)."
            )


@dataclass(frozen=True)
class Curves:
    """A panel of curves. Axis labels hold the symbol and the unit, if there is one."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    x_log: bool = True
    y_log: bool = True
    y_range: tuple[Number, Number] | None = None


@dataclass(frozen=True)
class Heatmap:
    """A panel of one matrix, row 0 on top. `low` and `high` are the ends of the colour scale.

    `diverging` centres the scale on zero, for signed weights.
    """

    title: str
    x_label: str
    y_label: str
    values: Sequence[Numbers] | np.ndarray
    value_label: str
    low: Number | None = None
    high: Number | None = None
    diverging: bool = False

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.values}
        if len(widths) != 1 or widths == {0}:
            raise ValueError(
                f"the rows of a heat map have one length, not zero; {self.title!r} has lengths {sorted(widths)}. "
                "Try np.asarray(values).ndim == 2."
            )


Panel = Curves | Heatmap


@dataclass(frozen=True)
class Figure:
    """Panels in rows of `columns`, with a title and a caption that say what is to be seen.

    `name` is a file name without ending, unique in its report.
    """

    name: str
    title: str
    caption: str
    panels: Sequence[Panel] = field(default_factory=tuple)
    columns: int = 2

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", self.name):
            raise ValueError(
                f"a figure's name is a file name of letters, digits and . _ + -, got {self.name!r}. Try 'figure_1'."
            )


def figure_to_json(figure: Figure) -> dict[str, Any]:
    """The figure as JSON-ready lists, numbers and words; panels are marked with their kind."""
    panels = [{"kind": type(panel).__name__} | _plain(asdict(panel)) for panel in figure.panels]
    return _plain(asdict(figure)) | {"panels": panels}


def figure_from_json(data: dict[str, Any]) -> Figure:
    """The figure that `figure_to_json` described.

    Raises:
        ValueError: something is missing, or a panel is of an unknown kind.
    """
    try:
        return Figure(**data | {"panels": tuple(_panel(panel) for panel in data["panels"])})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not the description of a figure: {error}. Run the experiment again.") from error


def _panel(data: dict[str, Any]) -> Panel:
    fields = {name: value for name, value in data.items() if name != "kind"}
    if data["kind"] == "Heatmap":
        return Heatmap(**fields)
    if data["kind"] != "Curves":
        raise ValueError(f"a panel is Curves or Heatmap, got {data['kind']!r}. Run the experiment again.")
    curves = tuple(Curve(**curve) for curve in fields["curves"])
    bounds = fields["y_range"]
    return Curves(**fields | {"curves": curves, "y_range": None if bounds is None else tuple(bounds)})


def _plain(value: Any) -> Any:
    """Numbers and containers as JSON knows them; what is not finite becomes None."""
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(inner) for inner in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
