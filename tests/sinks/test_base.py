"""What every sink shares."""

from pathlib import Path

import numpy as np
import pytest

from docendo.sinks import FileSink, JsonLines, MLflow, Sink, TensorBoard, WandB
from docendo.sinks.base import as_numbers, checked_name, checked_picture, one_number_each, require


class NumbersOnly:
    def log(self, step, values):
        pass

    def close(self):
        pass


def test_every_sink_has_the_protocols() -> None:
    for kind in (JsonLines, MLflow, TensorBoard, WandB):
        assert issubclass(kind, Sink)
        assert issubclass(kind, FileSink)
    assert issubclass(NumbersOnly, Sink)
    assert not issubclass(NumbersOnly, FileSink)
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


@pytest.mark.parametrize("name", ["curves", "study.toml", "figure 1/S_0-9", "η"])
def test_names_of_figures_and_documents(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize("name", ["", "/etc/motd", "../curves", "a/../b", "a//b", "a/", ".", " ", "a:b", "a\\b", "a\n"])
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"a figure or document is named by letters.*For example 'curves'"):
        checked_name(name)


def test_pictures_must_be_there_and_of_a_kind_that_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.PNG").touch()
    assert checked_picture(tmp_path / "a.PNG", ".png", ".svg") == tmp_path / "a.PNG"
    with pytest.raises(ValueError, match=r"end in .png or .svg, got '.*a.pdf'. Save the figure as 'a.png'"):
        checked_picture(tmp_path / "a.pdf", ".png", ".svg")
    with pytest.raises(ValueError, match=r"there is no picture '.*b.png'. Save it first: figure.savefig"):
        checked_picture(tmp_path / "b.png", ".png")
