"""The report of the examples, made once."""

from importlib.resources import files
from pathlib import Path

import pytest

from docendo.report import build_report
from tests.pictures import store_examples


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_report(store_examples(tmp_path_factory.mktemp("report")))


@pytest.fixture(scope="session")
def page(report: Path) -> str:
    return report.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def style() -> str:
    return (files("docendo.report") / "templates" / "style.css").read_text(encoding="utf-8")
