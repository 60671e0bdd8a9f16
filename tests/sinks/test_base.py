"""What every sink shares."""

import numpy as np
import pytest

from docendo.sinks import JsonLines, MLflow, Sink, TensorBoard, WandB
from docendo.sinks.base import as_numbers, one_number_each, require


def test_every_sink_has_the_protocol() -> None:
    for kind in (JsonLines, MLflow, TensorBoard, WandB):
        assert issubclass(kind, Sink)
    assert not issubclass(dict, Sink)


def test_arrays_become_one_number_each() -> None:
    values = {
        "loss": np.float32(0.5),
        "ok": True,
        "v": np.array([1, 2]),
        "m": [[3.0], [4.0]],
        "none": np.zeros(0),
    }
    expected = {"loss": 0.5, "ok": 1.0, "v/0": 1.0, "v/1": 2.0, "m/0/0": 3.0, "m/1/0": 4.0}
    numbers = one_number_each(values)
    assert numbers == expected
    assert {type(number) for number in numbers.values()} == {float}


@pytest.mark.parametrize("value", ["0.5", None, 1j, {"a": 1}])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="a sink takes real numbers and arrays of them, got loss="):
        as_numbers({"loss": value})


def test_missing_package_names_the_extra() -> None:
    with pytest.raises(ImportError, match=r'needs no_such_tracker \(.*\): pip install "docendo\[tracker\]"'):
        require("no_such_tracker", "tracker")
    assert require("json", "tracker").loads("1") == 1
