"""The page in a browser: every plot drawn, no complaint, nothing fetched; hover, zoom, legend, dark, narrow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from selenium.webdriver import Chrome
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from docendo.plots.style import family_colours
from docendo.report.shades import on_dark
from tests.pictures import LOSS, MARKUP, STEPS, attention

PATIENCE = 60

# A plot's view, and the place on the screen of a point of its axes.
VIEW = """
const target = document.getElementById(arguments[0]);
const view = [...Bokeh.index].find((view) => target.contains(view.el));
"""
PLACE = f"""{VIEW}
target.scrollIntoView({{block: "center", behavior: "instant"}});
const box = view.el.getBoundingClientRect();
return [box.left + view.frame.x_scale.compute(arguments[1]), box.top + view.frame.y_scale.compute(arguments[2])];
"""
RANGES = f"{VIEW} return [view.model.x_range.start, view.model.x_range.end];"
# Bokeh keeps what it writes in shadow roots.
BOKEH_TOOLTIP = """
const found = [];
const walk = (root) => root.querySelectorAll("*").forEach((element) => {
  if (element.className === "bk-tooltip-content") found.push(element.innerText);
  if (element.shadowRoot) walk(element.shadowRoot);
});
walk(document);
return found.join(" ");
"""


class Reader:
    """Someone who reads the page."""

    def __init__(self, chrome: Chrome):
        self.chrome = chrome

    def run(self, script: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(script, *arguments)

    def wait(self, script: str, *arguments: Any) -> Any:
        return WebDriverWait(self.chrome, PATIENCE, 0.05).until(
            lambda chrome: chrome.execute_script(script, *arguments)
        )

    def point(self, plot: str, x: float, y: float) -> tuple[float, float]:
        """Move the pointer to a point of a plot, given in its own units."""
        left, top = self.run(PLACE, plot, float(x), float(y))
        actions = ActionBuilder(self.chrome, duration=20)
        actions.pointer_action.move_to_location(round(left), round(top))
        actions.perform()
        return left, top

    def drag(self, start: tuple[float, float], by: int) -> None:
        actions = ActionBuilder(self.chrome, duration=50)
        pointer = actions.pointer_action
        pointer.move_to_location(round(start[0]), round(start[1]))
        pointer.pointer_down()
        pointer.move_to_location(round(start[0]) + by, round(start[1]) + by)
        pointer.pointer_up()
        actions.perform()

    def pixels(self, plot: str) -> int:
        """How many colours a plot shows."""
        return int(
            self.run(
                f"""{VIEW} const canvas = view.canvas_view.compose().canvas;
                const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
                return new Set(new Uint32Array(data.buffer)).size;""",
                plot,
            )
        )


def css(rgb: list[int]) -> str:
    return f"rgb({', '.join(map(str, rgb))})"


@pytest.fixture(scope="module")
def reader(browser: Chrome, report: Path) -> Iterator[Reader]:
    browser.get_log("browser")  # what earlier pages said
    browser.get(report.as_uri())
    reader = Reader(browser)
    reader.wait("return document.documentElement.dataset.plots")
    yield reader
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.get("about:blank")


def test_every_plot_is_drawn(reader: Reader) -> None:
    plots = [element.get_attribute("id") for element in reader.chrome.find_elements(By.CLASS_NAME, "plot")]
    assert len(plots) == 12
    assert reader.run("return document.documentElement.dataset.plots") == "12"
    for plot in plots:
        assert plot is not None
        assert reader.pixels(plot) > 10, plot
    assert reader.pixels("plot-attention-2") > 150, "a heat map shows its entries"


def test_nothing_is_complained_of_and_nothing_fetched(reader: Reader) -> None:
    complaints = [entry for entry in reader.chrome.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]
    assert complaints == []
    assert reader.run("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []


def test_markup_is_inert(reader: Reader) -> None:
    assert reader.chrome.title.startswith("docendo")
    assert reader.run("return document.querySelectorAll('main b, nav b').length") == 0


def test_hover_tells_the_curves_at_the_pointer(reader: Reader) -> None:
    index = 100
    reader.point("plot-losses-1", STEPS[index], LOSS[index])
    text = reader.wait("const text = document.querySelector('.readout'); return !text.hidden && text.innerText")
    rows = [line.split("\t") for line in text.splitlines()]
    assert rows[0][1:] == ["steps T", "excess loss L − L_opt"]
    values = {row[0]: [float(cell) for cell in row[1:]] for row in rows[1:]}
    np.testing.assert_allclose(values["exact population training"], [STEPS[index], LOSS[index]], rtol=1e-4)
    assert "slope −1" not in values
    reader.point("plot-losses-1", STEPS[0], LOSS[-1])
    assert reader.wait("return document.querySelector('.readout').hidden")


def test_hover_text_is_text(reader: Reader) -> None:
    reader.point("plot-worst-2", 5, 0.4)
    text = reader.wait("const text = document.querySelector('.readout'); return !text.hidden && text.innerText")
    assert MARKUP in text
    assert reader.chrome.title.startswith("docendo")


def test_hover_tells_row_column_and_value_of_a_heat_map(reader: Reader) -> None:
    row, column = 10, 13
    reader.point("plot-attention-1", column, row)
    text = " ".join(reader.wait(BOKEH_TOOLTIP).split())
    panel = attention("again").panels[0]
    expected = np.asarray(panel.values)[row, column]  # type: ignore[union-attr]
    assert f"row j: {row} column i: {column} attention S_ji: " in text
    assert float(text.rsplit(" ", 1)[1]) == pytest.approx(expected, rel=1e-4)


def test_a_box_zooms_and_reset_goes_back(reader: Reader) -> None:
    before = reader.run(RANGES, "plot-losses-2")
    reader.drag(reader.point("plot-losses-2", 1e3, -0.8), 60)
    reader.wait(f"{VIEW} return view.model.x_range.end < arguments[1]", "plot-losses-2", before[1] / 2)
    after = reader.run(RANGES, "plot-losses-2")
    assert before[0] < after[0] == pytest.approx(1e3, rel=0.1)
    reader.run(f"{VIEW} view.reset()", "plot-losses-2")
    assert reader.run(RANGES, "plot-losses-2") == pytest.approx(before)


def test_a_wheel_scrolls_the_page_and_with_ctrl_zooms(reader: Reader) -> None:
    left, top = reader.point("plot-losses-2", 1e3, -0.8)
    before, scrolled = reader.run(RANGES, "plot-losses-2"), reader.run("return scrollY")
    wheel = {"type": "mouseWheel", "x": left, "y": top, "deltaX": 0, "deltaY": 60}
    reader.chrome.execute_cdp_cmd("Input.dispatchMouseEvent", wheel)
    reader.wait("return scrollY > arguments[0]", scrolled)
    assert reader.run(RANGES, "plot-losses-2") == before
    left, top = reader.point("plot-losses-2", 1e3, -0.8)
    reader.chrome.execute_cdp_cmd("Input.dispatchMouseEvent", wheel | {"x": left, "y": top, "modifiers": 2})
    reader.wait(f"{VIEW} return view.model.x_range.end !== arguments[1]", "plot-losses-2", before[1])
    reader.run(f"{VIEW} view.reset()", "plot-losses-2")


def test_the_legend_hides_and_shows_by_keyboard(reader: Reader) -> None:
    button = reader.chrome.find_element(By.CSS_SELECTOR, "button[data-plot=plot-losses-1][data-curve='1']")
    shown = f"{VIEW} return view.model.renderers.filter((r) => r.tags.includes(1)).map((r) => r.visible)"
    assert reader.run(shown, "plot-losses-1") == [True, True]  # band and points
    button.send_keys(" ")
    assert button.get_attribute("aria-pressed") == "false"
    assert reader.run(shown, "plot-losses-1") == [False, False]
    button.send_keys("\n")
    assert reader.run(shown, "plot-losses-1") == [True, True]


def test_labels_that_look_like_tex_stay_text(reader: Reader) -> None:
    labels = f"{VIEW} return [view.model.below[0], view.model.left[0]].map((axis) => axis.axis_label.text)"
    assert reader.run(labels, "plot-worst-2") == ["steps T $x$", "$$y$$"]
    assert reader.run("return typeof MathJax") == "undefined"


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_dark_and_light_pages_have_curves_to_match(reader: Reader, scheme: str) -> None:
    darkest = family_colours(12)[0]
    expected = [round(255 * part) for part in to_rgb(on_dark(darkest) if scheme == "dark" else darkest)]
    feature = {"name": "prefers-color-scheme", "value": scheme}
    reader.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    colour = f"{VIEW} return view.model.renderers.find((r) => r.tags.includes(0)).glyph.line_color.value"
    reader.wait(f"return (function () {{ {colour} }})(...arguments) === arguments[1]", "plot-worst-1", css(expected))


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_no_width_makes_the_page_scroll_sideways(reader: Reader, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    reader.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert reader.run("return document.documentElement.scrollWidth") <= width
    wide = reader.run("return Math.max(...[...document.querySelectorAll('.plot')].map((p) => p.offsetWidth))")
    assert 280 <= wide <= min(width, 640)
