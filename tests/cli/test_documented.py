"""docs/cli.md names every command and every flag, and no others; its commands are understood."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from docendo.cli import app
from tests.cli.calling import docendo

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMANDS: dict[str, Any] = vars(get_command(app))["commands"]
SECTIONS = dict(re.findall(r"^## `docendo (\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_every_command_has_its_section() -> None:
    assert list(SECTIONS) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_flags(name: str) -> None:
    flags = {flag for parameter in COMMANDS[name].params for flag in parameter.opts if flag.startswith("-")}
    assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", SECTIONS[name])) == flags - {"--help", "-h"}


@pytest.mark.parametrize("line", re.findall(r"^\$ docendo (.*)$", PAGE, re.MULTILINE))
def test_lines_are_understood(line: str) -> None:
    name, *arguments = shlex.split(line)
    COMMANDS[name].make_context(name, arguments)


def test_help_and_page_agree_on_names() -> None:
    from docendo.studies import choices

    for name in [*choices.CONSTRUCTORS, *choices.DYNAMICS]:
        assert f"`{name}`" in SECTIONS["train"]
    said = docendo("train --help").stdout
    assert all(name in said for name in choices.DYNAMICS)
