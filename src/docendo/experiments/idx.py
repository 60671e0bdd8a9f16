"""IDX, the format that the MNIST files have, as they are or compressed by gzip.

The layout: two zero bytes, one byte for the type (8: unsigned bytes, the only one read here), one byte for the number
of axes, each axis's length as a big-endian 32-bit integer, then the entries, last axis fastest.
"""

import gzip
import io
import math
import os
import struct
import zlib

import numpy as np

__all__ = ["read_idx"]

_UNSIGNED_BYTES = 8
_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20


def read_idx(path: str | os.PathLike[str], axes: int) -> np.ndarray:
    """Reads one IDX file of unsigned bytes.

    Args:
        path: The file, plain or gzip, whatever its name says.
        axes: How many axes its array must have: 3 for images, 1 for labels.

    Returns:
        A uint8 array.

    Raises:
        ValueError: The file is missing, unreadable, no such IDX file, cut short, or longer than it says.
    """
    try:
        with _open(path) as stream:
            return _parse(stream, axes)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from error
    except ValueError as error:
        raise ValueError(f"{path} is not a whole IDX file: {error}") from error


def _open(path: str | os.PathLike[str]) -> io.BufferedIOBase:
    with open(path, "rb") as start:
        compressed = start.read(len(_GZIP)) == _GZIP
    return gzip.GzipFile(path) if compressed else open(path, "rb")


def _parse(stream: io.BufferedIOBase, axes: int) -> np.ndarray:
    magic = stream.read(4)
    wanted = bytes([0, 0, _UNSIGNED_BYTES, axes])
    if magic != wanted:
        raise ValueError(f"it should begin with 0x{wanted.hex()}, it begins with 0x{magic.hex()}")
    sizes = stream.read(4 * axes)
    if len(sizes) < 4 * axes:
        raise ValueError("it ends inside its header")
    shape = struct.unpack(f">{axes}I", sizes)
    entries = _at_most(stream, math.prod(shape) + 1)
    if len(entries) != math.prod(shape):
        found = "more" if len(entries) > math.prod(shape) else f"{len(entries):,}"
        raise ValueError(f"its header announces {shape}, {math.prod(shape):,} bytes, but {found} follow")
    return np.frombuffer(entries, np.uint8).reshape(shape).copy()


def _at_most(stream: io.BufferedIOBase, size: int) -> bytes:
    # Piece by piece: a damaged header can announce far more than memory holds, before the file turns out to be short.
    pieces = []
    while size > 0 and (piece := stream.read(min(size, _CHUNK))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
