"""What starts without the heavy libraries: `import docendo`, its help, and all that only reads stored results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("bokeh", "diffrax", "equinox", "jax", "matplotlib", "optax", "pandas", "scipy", "xarray")

HELP = """
import sys
from docendo.cli import main
sys.argv = ["docendo", "--help"]
try:
    main()
except SystemExit:
    pass
"""


def imported_by(code: str, folder: Path, heavy: tuple[str, ...] = HEAVY) -> tuple[set[str], str]:
    """Which heavy packages a fresh process has imported after running `code`, and what it printed before."""
    tail = f"\nimport sys\nprint('imported:', *(name for name in {heavy} if name in sys.modules))"
    environment = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code + tail], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    said, names = done.stdout.rsplit("imported:", 1)
    return set(names.split()), said


def test_import_starts_nothing_heavy(tmp_path: Path) -> None:
    assert imported_by("import docendo; docendo.__version__, dir(docendo)", tmp_path)[0] == set()


def test_a_computing_name_starts_jax(tmp_path: Path) -> None:
    assert "jax" in imported_by("import docendo; docendo.relu", tmp_path)[0]


def test_help_starts_nothing_heavy(tmp_path: Path) -> None:
    names, said = imported_by(HELP, tmp_path)
    assert "reproduce" in said
    assert names == set()


@pytest.mark.parametrize("room", ["files", "progress", "sinks", "steps", "results", "report"])
def test_readers_of_results_start_no_jax(room: str, tmp_path: Path) -> None:
    assert imported_by(f"import docendo.{room}", tmp_path, ("jax", "equinox"))[0] == set()


def test_every_public_name_resolves() -> None:
    import docendo

    assert {"Teacher", "train", "relu", "excess_loss", "GradientDescent"} <= set(docendo.__all__)
    for name in docendo.__all__:
        assert getattr(docendo, name) is not None
