"""The TensorBoard adapter: against a double always, against tensorboardX where it is installed."""

import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, call

import pytest

from docendo.sinks import TensorBoard


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


def test_resumed_run_keeps_the_earlier_event_file(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    for first in (0, 3):
        sink = TensorBoard(tmp_path)
        sink.log(first, {"loss": 1.0})
        sink.close()
    assert len(list(tmp_path.glob("events.out.tfevents.*"))) == 2
