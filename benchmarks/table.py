"""The measurements as Markdown."""

from typing import Any

COLUMNS = {
    "c": ("docendo_times", "docendo / C"),
    "torch_exact": ("times_docendo", "PyTorch exact / docendo"),
    "torch_short": ("times_docendo", "PyTorch short / docendo"),
    "torch_online": ("times_docendo", "PyTorch online / docendo"),
}


def step_table(records: list[dict[str, Any]]) -> str:
    """A row per size and activation: times, and ratios with their quartiles."""
    names = [name for name in COLUMNS if name in records[0]["microseconds"]]
    head = ["D, M, d", "σ", "docendo, µs", *(COLUMNS[name][1] for name in names), "compilation, s"]
    return _markdown(head, [_row(record, names) for record in records])


def startup_table(seconds: dict[str, Any]) -> str:
    """A row per command."""
    rows = [
        [f"`{name}`", f"{found.median:.2f} ({found.lower:.2f}–{found.upper:.2f})"] for name, found in seconds.items()
    ]
    return _markdown(["command", "seconds"], rows)


def _row(record: dict[str, Any], names: list[str]) -> list[str]:
    times = record["microseconds"]["docendo"]
    ratios = [_spread(record[COLUMNS[name][0]][name]) for name in names]
    sizes = f"{record['tokens']}, {record['channels']}, {record['features']}"
    return [sizes, record["activation"], _spread(times), *ratios, f"{record['compile_seconds']:.2f}"]


def _spread(found: dict[str, float]) -> str:
    median, lower, upper = (f"{float(f'{found[name]:.3g}'):g}" for name in ("median", "lower", "upper"))
    return f"{median} ({lower}–{upper})"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
