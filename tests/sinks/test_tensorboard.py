"""The TensorBoard adapter: how it calls a double, and what its event files hold when they are read back."""

import struct
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, call

import matplotlib.image
import numpy as np
import pytest
from tensorboardX.proto.event_pb2 import Event

from docendo.sinks import TensorBoard
from tests.sinks.pictures import PIXELS, png, svg


def events(folder: Path) -> Iterator[Event]:
    """What the event files say: records of a length, its checksum, as many bytes, and theirs."""
    for path in sorted(folder.glob("events.out.tfevents.*")):
        data = path.read_bytes()
        while data:
            (length,) = struct.unpack_from("<Q", data)
            yield Event.FromString(data[12 : 12 + length])
            data = data[16 + length :]


def test_numbers_reach_the_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(SummaryWriter=Mock())
    monkeypatch.setitem(sys.modules, "tensorboardX", package)
    sink = TensorBoard("events")
    sink.log(7, {"loss": 0.5, "v": [1, 2]})
    sink.close()
    sink.close()
    assert package.SummaryWriter.call_args.args == ("events",)
    assert package.SummaryWriter.call_args.kwargs["purge_step"] == 7
    writer = package.SummaryWriter.return_value
    assert writer.add_scalar.mock_calls == [call("loss", 0.5, 7), call("v/0", 1.0, 7), call("v/1", 2.0, 7)]
    writer.flush.assert_called_once_with()
    writer.close.assert_called_once_with()


def test_missing_package_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(ImportError, match=r'needs tensorboardX .*pip install "docendo\[tensorboard\]"'):
        TensorBoard("events")


def test_event_files_hold_what_was_logged(tmp_path: Path) -> None:
    sink = TensorBoard(tmp_path / "events")
    sink.document("study.toml", "[teacher]\n# a comment, no heading\n")
    sink.log(7, {"loss": 0.5, "v": [1.0, 2.0]})
    sink.figure("curves", png(tmp_path))
    sink.close()
    first, *rest = [event for event in events(tmp_path / "events") if not event.file_version]
    assert (first.session_log.status, first.step) == (first.session_log.START, 7)
    assert {event.step for event in rest} == {7}
    values = {value.tag: value for event in rest for value in event.summary.value}
    assert {tag: value.simple_value for tag, value in values.items() if value.HasField("simple_value")} == {
        "loss": 0.5,
        "v/0": 1.0,
        "v/1": 2.0,
    }
    (text,) = values["documents/study.toml/text_summary"].tensor.string_val
    assert text.decode() == "    [teacher]\n    # a comment, no heading"
    pixels = matplotlib.image.imread(BytesIO(values["figures/curves"].image.encoded_image_string))
    np.testing.assert_array_equal(pixels[..., :3], PIXELS)


def test_svg_is_refused_since_it_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"this sink takes pictures that end in .png, got .*small.svg"):
        TensorBoard(tmp_path).figure("curves", svg(tmp_path))


def test_document_without_numbers_hides_nothing(tmp_path: Path) -> None:
    sink = TensorBoard(tmp_path)
    sink.document("note", "done")
    sink.close()
    sink.close()
    found = list(events(tmp_path))
    assert [value.tag for event in found for value in event.summary.value] == ["documents/note/text_summary"]
    assert not any(event.HasField("session_log") for event in found)


def test_resumed_run_keeps_the_earlier_event_file(tmp_path: Path) -> None:
    for first in (0, 3):
        sink = TensorBoard(tmp_path)
        sink.log(first, {"loss": 1.0})
        sink.close()
    assert len(list(tmp_path.glob("events.out.tfevents.*"))) == 2
