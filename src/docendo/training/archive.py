"""A Run as one netCDF file: the dataset at its root, teacher and students in groups beside it.

`xarray.open_dataset(path)` reads the dataset without docendo. Every array carries a Fletcher-32 checksum, so that a
flipped bit is noticed; the file is written under a temporary name and renamed.
"""

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from docendo.files import write_atomically
from docendo.files.atomic import FilePath
from docendo.training.nouns import describe, restore

if TYPE_CHECKING:
    import xarray

__all__ = ["FORMAT_VERSION", "read_run", "write_run"]

FORMAT_VERSION = 1
_NOUNS = "nouns"


def write_run(path: FilePath, data: "xarray.Dataset", nouns: dict[str, Any]) -> Path:
    """Write the dataset and the nouns (teacher, students) atomically.

    Raises:
        ValueError: the name does not end in .nc or is a folder's, or its folder is missing or cannot be written.
    """
    _check_name(Path(path))
    import xarray

    described = {name: describe(noun, name) for name, noun in nouns.items()}
    arrays = {key: array for _, found in described.values() for key, array in found.items()}
    stored = xarray.Dataset(
        {key: (tuple(f"{key}_{axis}" for axis in range(array.ndim)), array) for key, array in arrays.items()},
        attrs={"description": json.dumps({name: spec for name, (spec, _) in described.items()})},
    )
    marked = data.assign_attrs(docendo_format="run", docendo_format_version=FORMAT_VERSION)
    tree = xarray.DataTree.from_dict({"/": marked, f"/{_NOUNS}": stored})
    encoding = {f"/{part}": _checksummed(dataset) for part, dataset in (("", marked), (_NOUNS, stored))}
    content = BytesIO()
    tree.to_netcdf(content, engine="h5netcdf", encoding=encoding)
    return write_atomically(path, content.getvalue())


def read_run(path: FilePath) -> tuple["xarray.Dataset", dict[str, Any]]:
    """The dataset and the nouns that `write_run` wrote.

    Raises:
        ValueError: the file is missing, damaged, not a run, or of a newer format.
    """
    import xarray

    if not Path(path).is_file():
        raise ValueError(f"{path} is not a file. A run is written by run.save({str(path)!r}).")
    try:
        with xarray.open_datatree(path, engine="h5netcdf") as tree:
            data, stored = tree.to_dataset().load(), tree[_NOUNS].to_dataset().load()
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a run ({type(error).__name__}: {error}). Save it again.") from error
    if data.attrs.get("docendo_format") != "run" or int(data.attrs["docendo_format_version"]) > FORMAT_VERSION:
        raise ValueError(f"{path} is not a run this version of docendo can read. Save it with dc.Run.save.")
    arrays = {str(key): np.asarray(values) for key, values in stored.data_vars.items()}
    specs = json.loads(stored.attrs["description"])
    return data, {name: restore(spec, arrays) for name, spec in specs.items()}


def _check_name(path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"'{path}' is a folder, but the name of a file is wanted. Try '{path / 'run.nc'}'.")
    if path.suffix != ".nc":
        raise ValueError(
            f"a run is stored as netCDF, in a file whose name ends in .nc, got '{path}'. "
            f"Try '{path.with_suffix('.nc')}'."
        )


def _checksummed(dataset: "xarray.Dataset") -> dict[Any, dict[str, Any]]:
    """Only arrays with elements can be chunked, which HDF5 needs for a checksum."""
    return {name: {"fletcher32": True} for name, array in dataset.data_vars.items() if array.ndim and array.size}
