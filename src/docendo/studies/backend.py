"""How xarray opens what studies hold: `xarray.open_dataset(folder)` for a study, or for one cell's file."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import xarray
from xarray.backends import BackendEntrypoint

from docendo.files import load_arrays
from docendo.studies.store import is_store

__all__ = ["StudyBackend"]


class StudyBackend(BackendEntrypoint):
    """xarray's engine `docendo`."""

    description = "Studies of docendo, and their cells"

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether this is a study's folder or a cell."""
        if not isinstance(filename_or_obj, (str, os.PathLike)):
            return False
        path = Path(filename_or_obj)
        return is_store(path) or (path.suffix == ".npz" and path.parent.parent.name == "cells")

    def open_dataset(
        self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None
    ) -> xarray.Dataset:
        """The dataset that `docendo.open_study` gives, or that of one run."""
        from docendo.studies.gathering import open_study
        from docendo.training.packing import unpack_data

        path = Path(filename_or_obj)
        data = open_study(path) if path.is_dir() else unpack_data(*load_arrays(path))
        dropped = [drop_variables] if isinstance(drop_variables, str) else list(drop_variables or ())
        return data.drop_vars([name for name in dropped if name in data.variables])
