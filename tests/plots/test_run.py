"""A Run at a glance."""

from dataclasses import replace

import numpy as np
import pytest

import docendo as dc
from docendo.figures import Curves
from docendo.plots import describe_run

TEACHER = dc.teachers.random(tokens=4, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)


@pytest.fixture(scope="module")
def run() -> dc.Run:
    return dc.train(TEACHER, None, dc.GradientDescent(0.1), steps=100, save_at=[0, *range(1, 101, 9)])


def test_draws_what_was_recorded_after_the_start(run: dc.Run) -> None:
    figure = describe_run(run)
    assert [panel.title for panel in figure.panels] == [
        "Excess loss",
        "Distance to the teacher",
        "Direction of W_V",
        "Local exponent",
    ]
    loss = figure.panels[0]
    assert isinstance(loss, Curves)
    np.testing.assert_array_equal(loss.curves[0].y, run.data["excess_loss"].values[1:])
    np.testing.assert_array_equal(loss.curves[0].x, run.data["step"].values[1:])
    assert loss.x_label == "steps T"


def test_plot_is_a_matplotlib_figure(run: dc.Run) -> None:
    drawing = run.plot()
    assert len(drawing.axes) == 4
    assert drawing._repr_png_().startswith(b"\x89PNG")


def test_sampled_losses_have_bands_and_the_test_law_a_colour(run: dc.Run) -> None:
    loss = run.data["excess_loss"]
    sampled = {"sampled_excess_loss": loss, "sampled_excess_loss_stderr": 0.1 * loss, "test_excess_loss": 2 * loss}
    figure = describe_run(replace(run, data=run.data.drop_vars("local_exponent").assign(sampled)))
    assert len(figure.panels) == 3
    panel = figure.panels[0]
    assert isinstance(panel, Curves)
    exact, estimate, test = panel.curves
    assert (exact.style, estimate.style, test.style) == ("line", "points", "line")
    assert estimate.high is not None
    np.testing.assert_allclose(np.array(estimate.high, float), 1.1 * loss.values[1:])
    assert exact.group == estimate.group != test.group


def test_a_run_that_recorded_only_its_start_is_refused() -> None:
    start = dc.train(TEACHER, None, dc.GradientDescent(0.1), steps=0)
    with pytest.raises(ValueError, match="after the start, Run.* has nothing. Try steps=1000"):
        start.plot()
