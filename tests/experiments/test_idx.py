"""The IDX reader: whole files read exactly, any other bytes are one clear error."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from docendo.experiments.idx import read_idx

FUZZ = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
ENTRIES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
WHOLE = b"\0\0\x08\x03" + struct.pack(">3I", 2, 3, 4) + ENTRIES.tobytes()


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", [WHOLE, gzip.compress(WHOLE, mtime=0)])
def test_whole_file_is_read(tmp_path: Path, content: bytes) -> None:
    array = read_idx(written(tmp_path / "any name", content), 3)
    assert array.dtype == np.uint8
    assert np.array_equal(array, ENTRIES)
    array[0] = 0  # a copy one may write to


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a whole IDX file: it should begin with 0x00000803, it begins with 0x$"),
        (b"\x89PNG\r\n", "it should begin with 0x00000803, it begins with 0x89504e47"),
        (b"\0\0\x08\x01" + WHOLE[4:], "begins with 0x00000801"),
        (b"\0\0\x0d\x03" + WHOLE[4:], "begins with 0x00000d03"),
        (WHOLE[:15], "it ends inside its header"),
        (WHOLE[:-1], r"announces \(2, 3, 4\), 24 bytes, but 23 follow"),
        (WHOLE + b"\0", r"announces \(2, 3, 4\), 24 bytes, but more follow"),
        (
            WHOLE[:4] + b"\xff" * 12 + WHOLE[16:],
            r"79,228,162,458,924,105,385,300,197,375 bytes, but 24 follow",
        ),
        (gzip.compress(WHOLE, mtime=0)[:-9], "can't read .*images: Compressed file ended"),
        (gzip.compress(WHOLE, mtime=0)[:-8] + bytes(8), "can't read .*images: CRC check failed"),
        (b"\x1f\x8b", "can't read .*images"),
        (b"\x1f\x8b\x08" + bytes(30), "can't read .*images: "),
    ],
)
def test_damaged_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"images.*{message}" if "can't" not in message else message):
        read_idx(written(tmp_path / "images", content), 3)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="can't read .*missing: No such file"):
        read_idx(tmp_path / "missing", 1)
    with pytest.raises(ValueError, match="can't read .*: Is a directory"):
        read_idx(tmp_path, 1)


@FUZZ
@given(
    beginning=st.sampled_from([b"", b"\0\0\x08\x01", b"\0\0\x08\x01\0\0\0\x05", b"\x1f\x8b\x08\x00"]),
    rest=st.binary(max_size=30),
    packed=st.booleans(),
)
def test_any_bytes_are_read_or_refused_clearly(tmp_path: Path, beginning: bytes, rest: bytes, packed: bool) -> None:
    content = beginning + rest
    path = written(tmp_path / "any", gzip.compress(content, mtime=0) if packed else content)
    try:
        labels = read_idx(path, 1)
    except ValueError as error:
        assert str(path) in str(error)
    else:
        assert content[:4] == b"\0\0\x08\x01"
        assert struct.unpack(">I", content[4:8]) == labels.shape
        assert content[8:] == labels.tobytes()
