"""Numbers, durations and figures in words, the same everywhere on the page."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from docendo.plots import ReadyCurve, ReadyCurves, ReadyHeatmap, ReadyPanel

__all__ = ["described", "duration", "interval", "number", "setting", "size", "slug"]

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float | int | None, digits: int = 4) -> str:
    """A number as people write it: 0.9987, 1,000,000, 1.2×10⁻⁷; a dash for none."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0 or (isinstance(value, int) and abs(value) < 10**7):
        return f"{value:,}".replace("-", "−") if value else "0"
    if 1e-3 <= abs(value) < 1e6:
        return f"{float(value):.{max(digits, len(str(int(abs(value)))))}g}".replace("-", "−")
    mantissa, exponent = f"{float(value):.{digits - 1}e}".split("e")
    short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPT)
    return {"1": power, "-1": f"−{power}"}.get(short, f"{short}×{power}".replace("-", "−"))


def interval(measured: float | None, low: float | None, high: float | None) -> tuple[str, str]:
    """A measured number and its interval, to the second digit of the interval's width."""
    if measured is None or low is None or high is None:
        return number(measured), ""
    width, values = high - low, (measured, low, high)
    decimals = 1 - math.floor(math.log10(width)) if width > 0 else 99
    if max(map(abs, values)) < 1e6 and decimals <= 9:
        # z: no minus before a number that rounds to zero
        middle, *ends = (f"{value:z.{max(decimals, 0)}f}".replace("-", "−") for value in values)
    else:
        middle, *ends = (number(value, 6) for value in values)
    return middle, f"[{ends[0]}, {ends[1]}]"


def duration(seconds: float | None) -> str:
    """0.3 s, 45 s, 3 min 5 s."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def size(count: int) -> str:
    """Bytes: 12 kB, 3.4 MB."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{math.ceil(count / 1e3)} kB"


def setting(value: Any) -> str:
    """A setting as text: numbers as above, lists joined by commas, names with their values."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, int | float):
        return number(value, 6)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {setting(inner)}" for name, inner in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(setting(inner) for inner in value)
    return str(value)


def slug(name: str) -> str:
    """A name as part of an address inside the page."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)


def described(ready: ReadyPanel) -> str:
    """A panel in words, for those who can't see it."""
    return _described_curves(ready) if isinstance(ready, ReadyCurves) else _described_heatmap(ready)


def _described_curves(ready: ReadyCurves) -> str:
    panel = ready.panel
    axes = f"{panel.y_label} against {panel.x_label}"
    scales = {(True, True): "both axes logarithmic", (True, False): "horizontal axis logarithmic"}
    scale = scales.get((panel.x_log, panel.y_log), "vertical axis logarithmic" if panel.y_log else "both axes linear")
    curves = "; ".join(_described_curve(curve) for curve in ready.curves)
    return f"{panel.title}: {axes}, {scale}. {curves}."


def _described_curve(curve: ReadyCurve) -> str:
    there = np.flatnonzero(np.isfinite(curve.y))
    if not there.size:
        return f"{curve.label}: nothing drawn"
    first, last = there[0], there[-1]
    if first == last:
        return f"{curve.label}: {number(float(curve.y[first]))} at {number(float(curve.x[first]))}"
    return (
        f"{curve.label}: from {number(float(curve.y[first]))} at {number(float(curve.x[first]))} "
        f"to {number(float(curve.y[last]))} at {number(float(curve.x[last]))}"
    )


def _described_heatmap(ready: ReadyHeatmap) -> str:
    panel, (rows, columns) = ready.panel, ready.values.shape
    finite = ready.values[np.isfinite(ready.values)]
    extent = f"from {number(float(finite.min()))} to {number(float(finite.max()))}" if finite.size else "all missing"
    size_of_it = f"{_count(rows, 'row')} ({panel.y_label}) and {_count(columns, 'column')} ({panel.x_label})"
    return f"{panel.title}: heat map of {size_of_it}; {panel.value_label} {extent}."


def _count(many: int, what: str) -> str:
    return f"{many} {what}" if many == 1 else f"{many} {what}s"
