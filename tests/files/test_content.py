"""JSON for files and for hashes."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from docendo.files import content_hash, read_json, to_json, write_json

FINITE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NESTED = st.recursive(
    FINITE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(value=NESTED.filter(lambda value: "\ud800" not in repr(value)))
def test_json_of_finite_values_reads_back(value: object) -> None:
    assert json.loads(to_json(value)) == value


def test_arrays_scalars_and_paths_become_plain_json() -> None:
    value = {
        "a": np.arange(4.0).reshape(2, 2),
        "n": np.int64(3),
        "x": np.float32(0.5),
        "p": Path("runs"),
        "t": (1, True),
    }
    expected = {"a": [[0.0, 1.0], [2.0, 3.0]], "n": 3, "x": 0.5, "p": "runs", "t": [1, True]}
    assert json.loads(to_json(value)) == expected


def test_non_finite_numbers_become_null() -> None:
    assert to_json([np.nan, float("inf"), np.array([1.0, -np.inf])]) == "[null, null, [1.0, null]]"


def test_written_json_reads_back(tmp_path: Path) -> None:
    path = write_json(tmp_path / "summary.json", {"η": [1, None, "σ"]})
    assert read_json(path) == {"η": [1, None, "σ"]}
    assert path.read_text(encoding="utf-8").endswith("}\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "can't read .*f.json: No such file"),
        (b'{"a": [1, 2', "f.json is not JSON, or is cut short"),
        (b"\xff\xfe\x00", "f.json is not JSON"),
        (b"[" * 100_000, "f.json is not JSON"),
    ],
)
def test_unreadable_json_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "f.json").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_json(tmp_path / "f.json")


@pytest.mark.parametrize("use", [to_json, content_hash])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"a": [0, {1, 2}]},
            r"value\['a'\]\[1\] must be a number, string, list, mapping or array, got \{1, 2\}",
        ),
        ({"a": {3: 0}}, r"the keys of value\['a'\] must be strings, got 3. Try '3'"),
        ([1j], r"value\[0\] must be a number"),
        (np.array([object()]), "value must be a number"),
    ],
)
def test_what_json_cannot_hold_is_refused(use: object, value: object, message: str) -> None:
    assert callable(use)
    with pytest.raises(ValueError, match=message):
        use(value)


def test_hash_ignores_key_order_and_scalar_kind_only() -> None:
    assert content_hash({"a": 1.0, "b": [2]}) == content_hash({"b": (np.int64(2),), "a": np.array(1.0)})
    distinct = [
        1,
        1.0,
        True,
        "1",
        None,
        np.nan,
        np.inf,
        -np.inf,
        [1],
        {"1": 1},
        np.array([1]),
        np.array([1.0]),
    ]
    distinct += [np.array([[1.0]]), np.array([1.0, 2.0]), np.array([1.0], np.float32), "nan"]
    assert len({content_hash(value) for value in distinct}) == len(distinct)


def test_hash_of_an_array_depends_on_entries_not_on_layout() -> None:
    array = np.arange(6.0).reshape(2, 3)
    for same in (np.asfortranarray(array), array.astype(">f8"), np.repeat(array, 2, axis=0)[::2]):
        assert content_hash(same) == content_hash(array)
    assert content_hash(array.T) != content_hash(array)
    assert content_hash(array) != content_hash(array + np.eye(2, 3) * 1e-15)


def test_hash_is_the_same_in_every_session() -> None:
    # printf '{"D":8,"eta":0.1}' | sha256sum
    assert content_hash({"eta": 0.1, "D": 8}) == "962bcee3f3329c5ba91bdddd52a253ef37edfda91ea1edc10840decb0ab67a1f"
