"""A study's dataset in the formats of other tools: one table of all cells and saves, or netCDF."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from docendo.files import writable_folder, write_atomically
from docendo.files.atomic import FilePath

if TYPE_CHECKING:
    import xarray

__all__ = ["FORMATS", "export"]


def export(data: "xarray.Dataset", path: FilePath) -> Path:
    """Write a study's dataset as .csv, .parquet or .nc, atomically.

    Tables have one row per cell and save, and a column for each axis and quantity; quantities with further dimensions
    are in .nc only.

    Raises:
        ValueError: the ending is none of these, a library is missing, or the folder can't be written.
    """
    file = Path(path)
    if file.suffix not in FORMATS:
        raise ValueError(f"a study is exported as {', '.join(FORMATS)}, got {str(file)!r}. Try {file}.csv.")
    return write_atomically(writable_folder(file.parent) / file.name, FORMATS[file.suffix](data))


def _table(data: "xarray.Dataset") -> Any:
    """All quantities that are one number a save; an axis that is also a quantity's name keeps to itself."""
    axes = list(data["status"].dims)
    along = next((dim for dim in ("step", "time", "save") if dim in data.dims), None)
    wanted = [name for name, each in data.data_vars.items() if {*each.dims} <= {*axes, along}]
    return data[wanted].to_dataframe().reset_index()


def _csv(data: "xarray.Dataset") -> bytes:
    return _table(data).to_csv(index=False).encode()


def _parquet(data: "xarray.Dataset") -> Callable[[IO[bytes]], object]:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ValueError("Parquet needs pyarrow. Install it: pip install 'docendo[parquet]'.") from error
    stream = BytesIO()
    _table(data).to_parquet(stream, index=False)
    content = stream.getvalue()
    return lambda file: file.write(content)


def _netcdf(data: "xarray.Dataset") -> bytes:
    stream = BytesIO()
    data.to_netcdf(stream, engine="h5netcdf")
    return stream.getvalue()


FORMATS: dict[str, Callable[["xarray.Dataset"], Any]] = {".csv": _csv, ".parquet": _parquet, ".nc": _netcdf}
