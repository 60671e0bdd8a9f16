"""A study as TOML that `docendo.studies.reading` reads back into the same study."""

import json
from collections.abc import Mapping
from typing import Any

from docendo.studies.schema import StudyFile

__all__ = ["to_toml"]


def to_toml(study: StudyFile) -> str:
    """The study's file: what was set, and nothing that was left out."""
    given = study.model_dump(mode="json", exclude_unset=True)
    settings = given.get("settings", {})
    sections = {name: value for name, value in settings.items() if isinstance(value, dict)}
    top = {"name": study.name} | {name: value for name, value in settings.items() if name not in sections}
    sweep = given.get("sweep", {})
    axes = dict(sweep.get("axes", {})) | ({"zipped": sweep["zipped"]} if sweep.get("zipped") else {})
    sections |= {"execution": given["execution"]} if given.get("execution") else {}
    sections |= {"sweep": axes} if axes else {}
    return "\n".join([_lines(top), *(f"[{name}]\n{_lines(values)}" for name, values in sections.items() if values)])


def _lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_value(value)}\n" for name, value in values.items() if value is not None)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_value(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    # JSON's texts, numbers and booleans are TOML's, but for one character that TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
