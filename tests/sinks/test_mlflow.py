"""The MLflow adapter: how it calls a double, and what a local store holds afterwards."""

import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import mlflow
import numpy as np
import pytest

from docendo.sinks import MLflow
from tests.sinks.pictures import SVG, png, svg


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


def test_local_store_holds_what_was_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a database is, artifacts go beside it: to mlruns of the working folder
    store, picture = f"sqlite:///{tmp_path / 'store.db'}", png(tmp_path)
    sink = MLflow("mine", tracking_uri=store)
    sink.document("study.toml", "[teacher]")
    sink.log(3, {"loss": 0.5})
    sink.figure("curves", picture)
    sink.figure("more/S", svg(tmp_path))
    sink.close()
    client = mlflow.MlflowClient(store)
    experiment = client.get_experiment_by_name("mine")
    assert experiment is not None
    (run,) = client.search_runs([experiment.experiment_id])
    assert (run.info.status, run.data.metrics) == ("FINISHED", {"loss": 0.5})
    assert [metric.step for metric in client.get_metric_history(run.info.run_id, "loss")] == [3]
    kept = Path(client.download_artifacts(run.info.run_id, "", str(tmp_path)))
    assert (kept / "documents" / "study.toml").read_text() == "[teacher]"
    assert (kept / "figures" / "curves.png").read_bytes() == picture.read_bytes()
    assert (kept / "figures" / "more" / "S.svg").read_text() == SVG
