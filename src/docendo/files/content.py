"""Values as JSON: strict JSON for files, canonical JSON for hashes.

Both take mappings with string keys, lists, tuples, strings, numbers, booleans, None, paths and arrays, nested at will;
a scalar of NumPy or JAX counts as the Python number it holds. They differ where JSON falls short:

* JSON has no NaN and no infinity. Files get ``null`` in their place; hashes keep the three apart, because
  configurations that differ must not share a hash.
* Arrays become nested lists in files; in hashes their dtype, shape and the digest of their bytes.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from docendo.files.atomic import FilePath, write_atomically

__all__ = ["content_hash", "read_json", "to_json", "write_json"]


def content_hash(value: object) -> str:
    """SHA-256, in hexadecimal, of a value's canonical JSON: keys sorted, no spaces.

    Equal for equal content, in whatever order the keys are. ``1`` and ``1.0`` differ, as do ``nan`` and ``None``.

    Raises:
        ValueError: The value holds something JSON can't; the message says where.
    """
    plain = _plain(value, _digest_of_array, "value")
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def to_json(value: object, *, indent: int | None = None) -> str:
    """Strict JSON text; NaN and infinities become ``null``.

    Raises:
        ValueError: The value holds something JSON can't; the message says where.
    """
    plain = _without_nonfinite(_plain(value, np.ndarray.tolist, "value"))
    return json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False)


def write_json(path: FilePath, value: object) -> Path:
    """Writes `to_json` of a value, indented, atomically. Raises as `to_json` and `write_atomically` do."""
    return write_atomically(path, (to_json(value, indent=2) + "\n").encode())


def read_json(path: FilePath) -> Any:
    """Reads a JSON file. Raises ValueError, naming the file, where it is missing, unreadable or not JSON."""
    try:
        return json.loads(Path(path).read_bytes())
    except OSError as error:
        raise ValueError(f"can't read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON, or is cut short: {error}") from error


def _plain(value: object, array_as: Callable[[np.ndarray], object], where: str) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        _check_keys(value, where)
        return {key: _plain(item, array_as, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, array_as, f"{where}[{index}]") for index, item in enumerate(value)]
    array = np.asarray(value) if hasattr(value, "__array__") else None
    if array is None or array.dtype.kind not in "biufU":
        raise ValueError(f"{where} must be a number, string, list, mapping or array, got {value!r}. Try str(...).")
    return array.item() if array.ndim == 0 else array_as(array)


def _check_keys(mapping: Mapping[Any, object], where: str) -> None:
    if strange := [key for key in mapping if not isinstance(key, str)]:
        raise ValueError(f"the keys of {where} must be strings, got {strange[0]!r}. Try {str(strange[0])!r}.")


def _digest_of_array(array: np.ndarray) -> dict[str, object]:
    portable = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    digest = hashlib.sha256(portable.tobytes()).hexdigest()
    return {"array": digest, "dtype": portable.dtype.str, "shape": list(array.shape)}


def _without_nonfinite(plain: Any) -> Any:
    if isinstance(plain, float):
        return plain if math.isfinite(plain) else None
    if isinstance(plain, dict):
        return {key: _without_nonfinite(item) for key, item in plain.items()}
    return [_without_nonfinite(item) for item in plain] if isinstance(plain, list) else plain
