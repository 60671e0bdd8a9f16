"""The Weights & Biases adapter, against a double."""

import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from docendo.sinks import WandB


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
