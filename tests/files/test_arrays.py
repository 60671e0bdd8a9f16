"""Arrays with a header: they read back exactly, and damage never reads back as something else."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from docendo.files import load_arrays, read_npz, save_arrays

FUZZ = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
ARRAYS = {
    ".value": np.linspace(0, 1, 6).reshape(2, 3),
    "states[0]/count": np.array(7),
    "single": np.array([0.1, np.nan, np.inf], np.float32),
    "flags": np.array([True, False]),
    "empty": np.zeros((0, 4)),
    "fortran": np.asfortranarray(np.arange(6).reshape(3, 2)),
    "big endian": np.arange(3, dtype=">i4"),
    "names": np.array(["σ", "V*"]),
    "file": np.array([1 + 2j]),
}
HEADER = {"steps": 10, "note": "η", "bad": None}


def assert_same(loaded: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    assert list(loaded) == list(expected)
    for name, array in expected.items():
        assert loaded[name].dtype == array.dtype
        assert loaded[name].shape == array.shape
        assert loaded[name].tobytes() == array.tobytes()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return save_arrays(tmp_path / "state.npz", ARRAYS, HEADER)


def with_header(path: Path, header: bytes, **arrays: np.ndarray) -> Path:
    np.savez(path, __header__=np.frombuffer(header, np.uint8), **arrays)  # type: ignore[arg-type]
    return path


def test_arrays_and_header_read_back_exactly(saved: Path) -> None:
    arrays, header = load_arrays(saved)
    assert_same(arrays, ARRAYS)
    assert header == HEADER
    arrays[".value"][0, 0] = 5.0  # a copy one may write to


def test_numpy_reads_the_file_without_pickle(saved: Path) -> None:
    with np.load(saved, allow_pickle=False) as archive:
        assert np.array_equal(archive[".value"], ARRAYS[".value"])
        assert json.loads(archive["__header__"].tobytes())["header"] == HEADER


def test_equal_content_gives_equal_bytes(saved: Path, tmp_path: Path) -> None:
    assert save_arrays(tmp_path / "again", ARRAYS, HEADER).read_bytes() == saved.read_bytes()


def test_non_finite_header_entries_become_null(tmp_path: Path) -> None:
    assert load_arrays(save_arrays(tmp_path / "f", {}, {"a": np.nan})) == ({}, {"a": None})


def test_no_flipped_bit_goes_unnoticed(tmp_path: Path) -> None:
    arrays = {"shape": np.ones((100, 1), np.uint8), "x": np.array([1.5])}
    path = save_arrays(tmp_path / "state.npz", arrays, {"a": 1})
    content = path.read_bytes()
    noticed = 0
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << (position % 8)
        path.write_bytes(damaged)
        try:
            loaded, header = load_arrays(path)
        except ValueError as error:
            assert str(path) in str(error)
            noticed += 1
        else:  # a bit that means nothing, such as one of a date
            assert_same(loaded, arrays)
            assert header == {"a": 1}
    assert noticed > len(content) / 2


def test_flipped_bit_that_shortens_a_stored_shape_is_noticed(tmp_path: Path) -> None:
    path = save_arrays(tmp_path / "state.npz", {"x": np.ones(10_000, np.uint8)}, {})
    content = path.read_bytes()
    assert content.count(b"(10000,)") == 1
    path.write_bytes(content.replace(b"(10000,)", b"(1000 ,)"))
    with np.load(path) as archive:
        assert archive["x"].shape == (1000,)  # NumPy alone does not see it
    with pytest.raises(ValueError, match=r"state.npz is .*damaged: BadZipFile: Bad CRC-32"):
        load_arrays(path)


def test_no_truncation_goes_unnoticed(saved: Path) -> None:
    content = saved.read_bytes()
    for length in range(0, len(content), 37):
        saved.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"state.npz is not an npz file of plain arrays, or is damaged"):
            load_arrays(saved)


@FUZZ
@given(content=st.binary(max_size=200))
def test_any_bytes_are_refused_clearly(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="any is not an npz file of plain arrays, or is damaged"):
        load_arrays(path)


@FUZZ
@given(member=st.binary(max_size=80), npy=st.booleans())
def test_any_member_is_read_or_refused_clearly(tmp_path: Path, member: bytes, npy: bool) -> None:
    path = tmp_path / "any"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", (b"\x93NUMPY\x01\x00" if npy else b"") + member)
    with pytest.raises(ValueError, match="any is not an npz file of plain arrays"):
        read_npz(path)


JSON = st.recursive(
    st.none() | st.integers(0, 3) | st.text(max_size=3) | st.just("docendo arrays"),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["format", "version", "arrays", "header"]), inner, max_size=4)
    ),
    max_leaves=6,
)


@FUZZ
@given(header=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_header_is_read_or_refused_clearly(tmp_path: Path, header: bytes) -> None:
    path = with_header(tmp_path / "any.npz", header)
    try:
        arrays, read = load_arrays(path)
    except ValueError as error:
        assert str(path) in str(error)
    else:
        assert arrays == {}
        assert isinstance(read, dict)


def about(**changes: Any) -> bytes:
    header = {"format": "docendo arrays", "version": 1, "arrays": {"x": ["<f8", [2]]}, "header": {}}
    return json.dumps(header | changes).encode()


@pytest.mark.parametrize(
    ("header", "array", "message"),
    [
        (
            about(version=2),
            np.zeros(2),
            "format version 2, this docendo reads up to 1. Try pip install --upgrade",
        ),
        (about(version=0), np.zeros(2), "damaged header: version 0"),
        (about(header=[]), np.zeros(2), r"damaged header: version 1, header \[\]"),
        (about(format="npz"), np.zeros(2), "not one of docendo's: its header has no format"),
        (b"{", np.zeros(2), "damaged header: Expecting"),
        (about(), np.zeros(2, np.float32), r"should hold .*'<f8', \[2\].* it holds .*'<f4', \[2\]"),
        (about(), np.zeros(3), r"should hold .*'<f8', \[2\].* it holds .*'<f8', \[3\]"),
        (about(arrays={}), np.zeros(2), r"should hold \{\} \(dtype, shape\), it holds"),
    ],
)
def test_wrong_header_is_refused(tmp_path: Path, header: bytes, array: np.ndarray, message: str) -> None:
    path = with_header(tmp_path / "state.npz", header, x=array)
    with pytest.raises(ValueError, match=f"state.npz .*{message}"):
        load_arrays(path)


def test_right_header_is_accepted(tmp_path: Path) -> None:
    assert list(load_arrays(with_header(tmp_path / "state.npz", about(), x=np.zeros(2)))[0]) == ["x"]


def test_foreign_missing_and_pickled_files_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "foreign.npz", x=np.zeros(2))
    with pytest.raises(ValueError, match="foreign.npz is an npz file, but not one of docendo's"):
        load_arrays(tmp_path / "foreign.npz")
    with pytest.raises(ValueError, match="can't read .*missing.npz: No such file"):
        load_arrays(tmp_path / "missing.npz")
    with pytest.raises(ValueError, match="can't read .*: Is a directory"):
        load_arrays(tmp_path)
    np.savez(tmp_path / "pickled.npz", x=np.array([{}]))
    with pytest.raises(ValueError, match="pickled.npz is not an npz file of plain arrays"):
        read_npz(tmp_path / "pickled.npz")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"": np.zeros(1)}, "an array's name must be a string, not empty.*got ''"),
        ({"a\0b": np.zeros(1)}, "without NUL"),
        ({"__header__": np.zeros(1)}, "not __header__"),
        ({3: np.zeros(1)}, "must be a string.*got 3"),
        ({"x": np.array([None])}, "array 'x' must hold numbers or strings, got dtype object"),
        (
            {"x": np.zeros(2, ml_dtypes.bfloat16)},
            "array 'x' must hold numbers or strings, got dtype bfloat16",
        ),
    ],
)
def test_what_the_file_cannot_hold_is_refused(tmp_path: Path, arrays: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        save_arrays(tmp_path / "state.npz", arrays, {})
    assert list(tmp_path.iterdir()) == []
