"""`plot_run`: one Run at a glance."""

from typing import TYPE_CHECKING, Final

from docendo.figures import Curve, Curves, Figure, Style
from docendo.plots.drawing import Drawing, draw

if TYPE_CHECKING:
    import xarray

    import docendo.training.run

__all__ = ["describe_run", "plot_run"]

# Early on, while the loss hardly moves, the local exponent can be anything.
_EXPONENTS: Final = (-3.0, 1.0)

_LOSSES: Final[dict[str, tuple[str, Style, int]]] = {
    "excess_loss": ("exact", "line", 0),
    "sampled_excess_loss": ("on a fixed sample, ± standard error", "points", 0),
    "test_excess_loss": ("test law, exact", "line", 1),
    "sampled_test_excess_loss": ("test law, on a fixed sample, ± standard error", "points", 1),
}
_ERRORS: Final[dict[str, tuple[str, Style, int]]] = {
    "value_error": ("‖W_V − V*‖_F", "line", 2),
    "score_error": ("‖S − S*‖_F", "line", 3),
}
_COSINE: Final[dict[str, tuple[str, Style, int]]] = {"value_cosine": ("cosine of W_V and V*", "line", 2)}
_EXPONENT: Final[dict[str, tuple[str, Style, int]]] = {"local_exponent": ("d log L / d log T", "line", 0)}


def plot_run(run: "docendo.training.run.Run") -> Drawing:
    """Draw the curves of a run: excess losses, errors, cosine and local exponent, as far as it recorded them.

    Raises:
        ValueError: nothing that can be drawn was recorded after the start.
    """
    return draw(describe_run(run))


def describe_run(run: "docendo.training.run.Run") -> Figure:
    """The figure that `plot_run` draws, as data.

    Raises:
        ValueError: nothing that can be drawn was recorded after the start.
    """
    clock = "step" if "step" in run.data.dims else "time"
    # The start has no place on a logarithmic axis.
    data = run.data.isel({clock: run.data[clock].values > 0})
    along = str(data[clock].attrs["long_name"])
    exponent = _curves(data, clock, _EXPONENT)
    panels = [
        Curves("Excess loss", along, "excess loss L − L_opt", _curves(data, clock, _LOSSES)),
        Curves("Distance to the teacher", along, "Frobenius norm of the error", _curves(data, clock, _ERRORS)),
        Curves("Direction of W_V", along, "cosine of W_V and V*", _curves(data, clock, _COSINE), y_log=False),
        Curves("Local exponent", along, "d log L / d log T", exponent, y_log=False, y_range=_EXPONENTS),
    ]
    shown = [panel for panel in panels if panel.curves]
    if not shown or not data.sizes[clock]:
        raise ValueError(f"a run is drawn from what it recorded after the start, {run!r} has nothing. Try steps=1000.")
    caption = f"Training {run.status!s}: {run.status.message}."
    return Figure("run", str(data.attrs["dynamics"]), caption, shown)


def _curves(data: "xarray.Dataset", clock: str, looks: dict[str, tuple[str, Style, int]]) -> list[Curve]:
    """A curve for each recorded variable, with a band of one standard error where it was sampled."""
    x = data[clock].values
    curves = []
    for name, (label, style, group) in looks.items():
        if name in data:
            y = data[name].values
            error = data[f"{name}_stderr"].values if f"{name}_stderr" in data else None
            low, high = (None, None) if error is None else (y - error, y + error)
            curves.append(Curve(label, x, y, style, low, high, group))
    return curves
