"""docs/studies.md: every key with its meaning and default, and a first study that runs as it stands."""

import re
from pathlib import Path

import pytest

from docendo.studies.cells import cells_of
from docendo.studies.reading import KEYS, read_study
from docendo.studies.schema import Execution, Settings

PAGE = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")


def field(key):
    *sections, name = key.split(".")
    model = Settings
    for section in sections:
        model = Execution if section == "execution" else model.model_fields[section].annotation
    return model.model_fields[name]


@pytest.mark.parametrize("key", [*KEYS, "execution.retries"])
def test_every_key_is_documented_as_it_is(key):
    about = field(key)
    default = "required" if about.is_required() else "" if about.default is None else f"`{about.default}`"
    assert f"| `{key}` | {about.description} | {default} |" in PAGE


def test_the_tutorials_study_has_the_cells_it_says(tmp_path):
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
    (tmp_path / "study.toml").write_text(blocks[0] + blocks[1])
    assert len(cells_of(read_study(tmp_path / "study.toml"))) == 3 * 3 * 5
