"""Files of figures: the same bytes every time, whole or absent, nothing in them but the figure."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from docendo.figures import Figure
from docendo.plots import save_figure
from tests.pictures import FIGURES, MARKUP, attention, losses

AGAIN = """
import sys
from docendo.plots import save_figure
from tests.pictures import FIGURES
for figure in FIGURES:
    save_figure(figure, sys.argv[1])
"""


def test_two_files_a_figure_and_nothing_else(tmp_path: Path) -> None:
    assert save_figure(losses("loss"), tmp_path) == [tmp_path / "loss.svg", tmp_path / "loss.png"]
    assert sorted(os.listdir(tmp_path)) == ["loss.png", "loss.svg"]


def test_another_process_on_another_day_writes_the_same_bytes(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    for figure in FIGURES:
        save_figure(figure, here)
    environment = os.environ | {"PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": "1000000000"}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", AGAIN, str(there)], check=True, env=environment, cwd=root)
    assert len(os.listdir(here)) == 2 * len(FIGURES)
    for name in os.listdir(here):
        assert (here / name).read_bytes() == (there / name).read_bytes(), name


def test_svg_needs_no_fonts_scripts_or_network(tmp_path: Path) -> None:
    svg, _ = save_figure(FIGURES[2], tmp_path)
    tree = ElementTree.parse(svg)
    tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert "path" in tags
    assert tags.isdisjoint({"script", "text", "foreignObject"})
    links = [value for element in tree.iter() for name, value in element.attrib.items() if name.endswith("href")]
    assert links
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)
    title = tree.find(".//{http://purl.org/dc/elements/1.1/}title")
    assert title is not None
    assert title.text == f"Worst cases {MARKUP}"
    assert tree.find(".//{http://purl.org/dc/elements/1.1/}date") is None


def test_png_is_fit_for_print(tmp_path: Path) -> None:
    _, png = save_figure(attention("map"), tmp_path)
    with Image.open(png) as image:
        assert image.size[0] == round(6.8 * 300)
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        colours = image.convert("RGB").getcolors(maxcolors=10**7)
    assert colours is not None
    assert len(colours) > 100


@pytest.mark.parametrize("folder", ["missing", "file"])
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="output folder must exist and be writable"):
        save_figure(losses("loss"), tmp_path / folder)
    assert os.listdir(tmp_path) == ["file"]


def test_names_cannot_lead_out_of_the_folder() -> None:
    for name in ("../up", "a/b", "", ".hidden", "<b>", "a\n"):
        with pytest.raises(ValueError, match="a figure's name is a file name of letters, digits"):
            Figure(name, "t", "c")
