"""Study files as people write them: TOML, overrides from a command line, and errors that name file and key.

    name = "sparsity"
    seed = 0
    [teacher]
    kind = "random"
    tokens = 16
    [sweep]
    teacher.sparsity = [1, 2, 4]
    dynamics.learning_rate = {start = 1e-3, stop = 1e-1, count = 5, spacing = "log"}

A key under `[sweep]` is an axis: a list, a range, or `{count = 10}` for seeds.
"""

import difflib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from docendo.files.atomic import FilePath
from docendo.studies.schema import Settings, StudyFile

__all__ = ["KEYS", "parse_study", "read_study", "set_value"]

MOST_BYTES = 10**6

Model = TypeVar("Model", bound=BaseModel)

_SECTIONS = tuple(Settings.model_fields)


def _leaves(model: type[BaseModel], before: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = [each for each in (field.annotation, *get_args(field.annotation)) if isinstance(each, type)]
        sections = [each for each in inner if issubclass(each, BaseModel)]
        yield from _leaves(sections[0], f"{before}{name}.") if sections else [before + name]


KEYS = tuple(_leaves(Settings))
"""What can be set, and hence swept: teacher.kind, teacher.tokens, …, seed."""


def read_study(path: FilePath, overrides: Sequence[str] = ()) -> StudyFile:
    """A study file, with what a command line changes.

    Args:
        path: of a TOML file.
        overrides: `key=value` each; a value with commas outside brackets, such as 1,2,4, makes the key an axis.

    Raises:
        ValueError: the file cannot be read or is no TOML, or a key or value breaks its rule; all of them are named.
    """
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise ValueError(f"{file} has {size:,} bytes, more than any study file ({MOST_BYTES:,} at most).")
        content = file.read_bytes()
    except OSError as error:
        raise ValueError(f"can't read the study file {file}: {error.strerror or error}") from error
    try:
        given = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not TOML: {error}. A line looks like: tokens = 16") from error
    return parse_study(given, overrides, str(file))


def parse_study(given: Mapping[str, Any], overrides: Sequence[str] = (), source: str = "the study") -> StudyFile:
    """A study from the content of its file.

    Args:
        given: what the TOML file holds, as nested mappings.
        overrides: as for `read_study`.
        source: what messages call it.

    Raises:
        ValueError: a key or value breaks its rule; all of them are named.
    """
    try:
        plain = _plain(given, source)
    except RecursionError as error:
        raise ValueError(f"{source} is nested too deeply to be a study.") from error
    axes = _axes(plain.pop("sweep", {}), source)
    zipped = axes.pop("zipped", [])
    for text in overrides:
        key, value, is_axis = _override(text)
        if is_axis:
            axes[key] = value  # an axis that is there keeps its place
        else:
            axes.pop(key, None)
            _set_in(plain, key, value)
    _check_names(plain, axes, source)
    settings = {name: plain.pop(name) for name in _SECTIONS if name in plain}
    for key, values in axes.items():
        # What an axis varies need not be set elsewhere.
        first = values[0] if isinstance(values, list) and values else None
        if first is not None:
            _set_in(settings, key, first)
    whole = plain | {"settings": settings, "sweep": {"axes": axes, "zipped": zipped}}
    return _validated(StudyFile, whole, source)


def set_value(settings: Settings, changes: Mapping[str, Any], source: str) -> Settings:
    """Settings with other values of some keys.

    Raises:
        ValueError: a value breaks its key's rule.
    """
    plain = settings.model_dump(mode="json", exclude_unset=True)
    for key, value in changes.items():
        _set_in(plain, key, value)
    return _validated(Settings, plain, source)


def _plain(given: Mapping[str, Any], source: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{source} must be a table of keys and values, got {given!r}. For example [teacher].")
    try:
        return json.loads(json.dumps(given, allow_nan=True))
    except TypeError as error:
        raise ValueError(
            f"{source} holds a value that is no number, text or list ({error}). Dates are none."
        ) from error


def _axes(sweep: Any, source: str) -> dict[str, Any]:
    """Axes by full key, whether written `teacher.tokens = …` or `"teacher.tokens" = …`."""
    if not isinstance(sweep, dict):
        raise ValueError(f"{source}: sweep must be a table of axes, got {sweep!r}. For example: [sweep] seed = [0, 1].")
    axes: dict[str, Any] = {}

    def walk(inner: dict[str, Any], before: str) -> None:
        for name, value in inner.items():
            key = before + name
            if isinstance(value, dict) and any(known.startswith(key + ".") for known in KEYS):
                walk(value, key + ".")
            else:
                axes[key] = value

    walk(sweep, "")
    return axes


def _override(text: str) -> tuple[str, Any, bool]:
    key, found, value = text.partition("=")
    key = key.strip()
    if not found or not key:
        raise ValueError(f"an override is key=value, got {text!r}. For example dynamics.learning_rate=0.01.")
    if key not in KEYS:
        raise ValueError(f"{text!r}: there is no key {key!r}. {_suggestion(key, KEYS)}")
    parts = _split(value)
    values = [_value(part, text) for part in parts]
    if len(values) > 1:
        return key, values, True
    return key, values[0], isinstance(values[0], dict)


def _split(value: str) -> list[str]:
    """At commas outside brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in value:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        depth += (letter in "[{(") - (letter in ")}]") if not quote else 0
        if letter == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _value(text: str, override: str) -> Any:
    """A TOML value; anything else is a text, so that names need no quotes."""
    text = text.strip()
    if not text or "\n" in text:
        raise ValueError(f"{override!r}: a value is missing. For example teacher.tokens=16, or =8,16 for an axis.")
    try:
        return json.loads(json.dumps(tomllib.loads(f"value = {text}")["value"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return text


def _set_in(plain: dict[str, Any], key: str, value: Any) -> None:
    *sections, name = key.split(".")
    inner = plain
    for section in sections:
        if not isinstance(inner.get(section), dict):
            inner[section] = {}
        inner = inner[section]
    inner[name] = value


def _check_names(plain: dict[str, Any], axes: dict[str, Any], source: str) -> None:
    top = (*_SECTIONS, "name", "sweep", "execution")
    unknown = [f"there is no key {name!r}. {_suggestion(name, (*top, *KEYS))}" for name in plain if name not in top]
    unknown += [
        f"[sweep]: there is no key {key!r} to vary. {_suggestion(key, KEYS)}" for key in axes if key not in KEYS
    ]
    if unknown:
        raise ValueError(_listed(source, unknown))


def _validated(model: type[Model], given: dict[str, Any], source: str) -> Model:
    try:
        return model.model_validate_json(json.dumps(given))
    except ValidationError as error:
        raise ValueError(_listed(source, [_message(each) for each in error.errors()])) from error
    except RecursionError as error:
        raise ValueError(f"{source} is nested too deeply to be a study.") from error


def _message(error: Any) -> str:
    """One line about one key."""
    place = [str(part) for part in error["loc"] if part not in ("settings", "axes")]
    where = ".".join(place)
    if error["type"] == "extra_forbidden":
        near = [key for key in KEYS if key.startswith(".".join(place[:-1]) + ".")]
        return f"there is no key {where!r}. {_suggestion(where, near or KEYS)}"
    if error["type"] == "missing":
        return (
            f"{where} is missing. For example: [teacher] kind = 'random'."
            if where == "teacher"
            else f"{where} is missing"
        )
    hint = f" {_suggestion(str(error['input']), _choices(error))}" if error["type"] == "literal_error" else ""
    return f"{where}: {error['msg'][:1].lower()}{error['msg'][1:]}, got {error['input']!r}.{hint}"


def _choices(error: Any) -> list[str]:
    return [part.strip("' ") for part in error["ctx"]["expected"].replace(" or ", ", ").split(",")]


def _suggestion(name: str, known: Sequence[str]) -> str:
    ends = {key.rpartition(".")[2]: key for key in known}
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    close = close or [ends[end] for end in difflib.get_close_matches(name.rpartition(".")[2], ends, n=3, cutoff=0.6)]
    return f"Did you mean {' or '.join(close)}?" if close else f"Known: {', '.join(known)}."


def _listed(source: str, messages: Sequence[str]) -> str:
    if len(messages) == 1:
        return f"{source}: {messages[0]}"
    return "\n  ".join([f"{source}:", *messages])
