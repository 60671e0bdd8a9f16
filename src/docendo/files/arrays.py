"""Named arrays and a JSON header in one npz file.

Each array is one `.npy` member, none of them pickled. A further member, ``__header__``, holds UTF-8 JSON as bytes: the
format's name and version, the dtype and shape of every array, and the caller's own header. On reading, the zip's
checksums catch flipped bits and the header catches what is missing or of another dtype.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from docendo.files.atomic import FilePath, write_atomically
from docendo.files.content import to_json

__all__ = ["FORMAT_VERSION", "load_arrays", "read_npz", "save_arrays"]

FORMAT_VERSION = 1
_FORMAT = "docendo arrays"
_HEADER = "__header__"


def save_arrays(path: FilePath, arrays: Mapping[str, np.ndarray], header: Mapping[str, object]) -> Path:
    """Writes arrays and a header atomically; equal content gives equal bytes.

    Args:
        path: The file's full name; nothing is appended to it.
        arrays: Name to array.
        header: What `docendo.files.to_json` takes; NaN and infinities become ``null``.

    Raises:
        ValueError: A name or dtype that the file can't hold, or a folder that can't be written.
        OSError: The write itself failed; what stood under the name before still does.
    """
    checked = {_name(name): _storable(name, np.asarray(array)) for name, array in arrays.items()}
    about = {"format": _FORMAT, "version": FORMAT_VERSION, "arrays": _described(checked), "header": header}
    text = np.frombuffer(to_json(about).encode(), np.uint8)

    def write(stream: IO[bytes]) -> None:
        with zipfile.ZipFile(stream, "w") as archive:
            for name, array in {_HEADER: text, **checked}.items():
                with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)

    return write_atomically(path, write)


def load_arrays(path: FilePath) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Reads what `save_arrays` wrote.

    Returns:
        The arrays by name, of the dtypes and shapes they were saved with, and the caller's header.

    Raises:
        ValueError: The file is missing, damaged, not docendo's, or of a newer format; the message names it.
    """
    arrays = read_npz(path)
    if _HEADER not in arrays:
        raise ValueError(f"{path} is an npz file, but not one of docendo's: it has no member {_HEADER}")
    about = _parsed(path, arrays.pop(_HEADER))
    if about.get("arrays") != _described(arrays):
        raise ValueError(
            f"{path} is damaged: it should hold {about.get('arrays')} (dtype, shape), it holds {_described(arrays)}"
        )
    return arrays, about["header"]


def read_npz(path: FilePath) -> dict[str, np.ndarray]:
    """Reads every array of any npz file, checking each member's checksum; pickled members are refused.

    Raises:
        ValueError: The file is missing, unreadable, damaged, or holds something else than plain arrays.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npy"): _read_member(archive, name) for name in archive.namelist()}
    except OSError as error:
        raise ValueError(f"can't read {path}: {error.strerror or error}") from error
    except Exception as error:  # damaged bytes raise a dozen unrelated types, from zlib.error to SyntaxError
        raise ValueError(
            f"{path} is not an npz file of plain arrays, or is damaged: {type(error).__name__}: {error}"
        ) from error


def _read_member(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    # Read to the end before parsing: zipfile checks a member's CRC only there. One flipped bit in a stored shape
    # ("100" to "10 ") would otherwise end the reading early, unnoticed.
    data = io.BytesIO(archive.read(name))
    array: np.ndarray = np.lib.format.read_array(data, allow_pickle=False)
    if data.read(1):
        raise ValueError(f"member {name} is longer than its shape {array.shape} says")
    return array


def _parsed(path: FilePath, member: np.ndarray) -> dict[str, Any]:
    try:
        about = json.loads(member.tobytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} has a damaged header: {error}") from error
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise ValueError(f"{path} is an npz file, but not one of docendo's: its header has no format {_FORMAT!r}")
    version = about.get("version")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise ValueError(
            f"{path} has format version {version}, this docendo reads up to {FORMAT_VERSION}. "
            "Try pip install --upgrade docendo."
        )
    if version != FORMAT_VERSION or not isinstance(about.get("header"), dict):
        raise ValueError(f"{path} has a damaged header: version {version!r}, header {about.get('header')!r}")
    return about


def _described(arrays: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    return {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}


def _name(name: object) -> str:
    # The zip format cuts a name at NUL, so two arrays could end under one name.
    if not isinstance(name, str) or name in ("", _HEADER) or zipfile.ZipInfo(name).filename != name:
        raise ValueError(f"an array's name must be a string, not empty, without NUL and not {_HEADER}, got {name!r}")
    return name


def _storable(name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "biufcSU":
        raise ValueError(
            f"array {name!r} must hold numbers or strings, got dtype {array.dtype}. Try np.asarray(array, np.float64)."
        )
    return array
