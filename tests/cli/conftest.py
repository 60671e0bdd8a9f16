"""A stored run, which several commands read."""

from pathlib import Path

import pytest

from tests.cli.calling import SMALL, succeed


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of `SMALL`, stored."""
    file = tmp_path_factory.mktemp("runs") / "run.nc"
    succeed(f"{SMALL} --out {file}")
    return file
