"""The MLflow adapter: against a double always, against mlflow with a local store where it is installed."""

import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from docendo.sinks import MLflow


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Mock:
    client = Mock()
    client.get_experiment_by_name.return_value = None
    client.create_experiment.return_value = "e1"
    client.create_run.return_value = SimpleNamespace(info=SimpleNamespace(run_id="r1"))
    metric = SimpleNamespace(Metric=lambda *fields: fields)
    monkeypatch.setitem(sys.modules, "mlflow", SimpleNamespace(MlflowClient=Mock(return_value=client)))
    monkeypatch.setitem(sys.modules, "mlflow.entities", metric)
    return client


def test_numbers_reach_a_new_run(client: Mock) -> None:
    sink = MLflow("mine", run_name="first")
    sink.log(7, {"loss": 0.5, "v": np.arange(1500)})
    sink.close()
    sink.close()
    client.create_run.assert_called_once_with("e1", run_name="first")
    batches = [call.kwargs["metrics"] for call in client.log_batch.mock_calls]
    assert [len(batch) for batch in batches] == [1000, 501]
    assert [(name, number, step) for name, number, _, step in batches[0][:2]] == [
        ("loss", 0.5, 7),
        ("v/0", 0.0, 7),
    ]
    client.set_terminated.assert_called_once_with("r1")


def test_earlier_experiment_and_run_are_used(client: Mock) -> None:
    client.get_experiment_by_name.return_value = SimpleNamespace(experiment_id="e0")
    MLflow("mine")
    client.create_run.assert_called_once_with("e0", run_name=None)
    MLflow(run_id="r0").log(1, {"loss": 0.5})
    assert client.log_batch.mock_calls[0].args == ("r0",)
    client.create_experiment.assert_not_called()


def test_missing_package_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match=r'needs mlflow.*pip install "docendo\[mlflow\]"'):
        MLflow()


def test_local_store_holds_what_was_logged(tmp_path: Path) -> None:
    package = pytest.importorskip("mlflow", reason="mlflow is not installed")
    store = f"sqlite:///{tmp_path / 'store.db'}"
    sink = MLflow("mine", tracking_uri=store)
    sink.log(3, {"loss": 0.5})
    sink.close()
    client = package.MlflowClient(store)
    (run,) = client.search_runs([client.get_experiment_by_name("mine").experiment_id])
    assert (run.info.status, run.data.metrics) == ("FINISHED", {"loss": 0.5})
