"""The Weights & Biases adapter: how it calls a double, and what an offline run holds when it is read back."""

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import wandb
from wandb.proto.wandb_internal_pb2 import Record

from docendo.sinks import WandB
from tests.sinks.pictures import SVG, png, svg

BLOCK = 32768


def records(path: Path) -> Iterator[Record]:
    """What a .wandb file says: a heading of 7 bytes, then blocks of 32 kB of pieces, each with checksum, length, kind.

    Pieces of kind 1 are whole records, of 2, 3 and 4 the first, middle and last parts of one.
    """
    data, at, parts = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        if BLOCK - at % BLOCK < 7:
            at += BLOCK - at % BLOCK
            continue
        _, length, kind = struct.unpack_from("<IHB", data, at)
        parts += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield Record.FromString(parts)
            parts = b""


def history(path: Path) -> list[dict[str, Any]]:
    """The lines of a run's history."""
    found = [record.history for record in records(path) if record.HasField("history")]
    rows = [{item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in row.item} for row in found]
    return [{name: value for name, value in row.items() if name not in ("_runtime", "_timestamp")} for row in rows]


def test_numbers_reach_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(init=Mock())
    monkeypatch.setitem(sys.modules, "wandb", package)
    sink = WandB(project="docendo", mode="offline")
    sink.log(7, {"loss": 0.5, "v": [1, 2]})
    sink.close()
    sink.close()
    package.init.assert_called_once_with(project="docendo", mode="offline")
    package.init.return_value.log.assert_called_once_with({"loss": 0.5, "v/0": 1.0, "v/1": 2.0}, step=7)
    package.init.return_value.finish.assert_called_once_with()


def test_missing_package_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ImportError, match=r'needs wandb .*pip install "docendo\[wandb\]"'):
        WandB(project="docendo")


def test_offline_run_holds_what_was_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WANDB_CACHE_DIR", "WANDB_CONFIG_DIR", "WANDB_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("WANDB_SILENT", "true")
    picture = png(tmp_path)
    sink = WandB(project="docendo", mode="offline", dir=str(tmp_path))
    sink.document("study.toml", "[teacher]")
    sink.figure("start", picture)
    sink.log(0, {"loss": 0.5, "v": [1.0, 2.0]})
    sink.log(10, {"loss": 0.25})
    sink.figure("curves", picture)
    sink.figure("S", svg(tmp_path))
    sink.close()
    sink.close()
    wandb.teardown()  # ends the process that writes the file; until then its last part may be missing
    (log,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    first, last = history(log)
    assert {name: first[name] for name in ("_step", "loss", "v/0", "v/1")} == {
        "_step": 0,
        "loss": 0.5,
        "v/0": 1.0,
        "v/1": 2.0,
    }
    assert (last["_step"], last["loss"]) == (10, 0.25)
    files = log.parent / "files"
    assert (files / "documents" / "study.toml").read_text() == "[teacher]"
    assert "documents/study.toml" in {file.path for record in records(log) for file in record.files.files}
    for row, name in ((first, "figures/start"), (last, "figures/curves")):
        assert (files / row[f"{name}/path"]).read_bytes() == picture.read_bytes()
    assert SVG in (files / last["figures/S/path"]).read_text()
