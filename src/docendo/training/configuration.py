"""What decides the steps of a run, by name, so that two configurations are told apart and their difference is said.

When a run is recorded and where it ends are no part of it: a run may go on beyond the end it had.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from docendo.files import content_hash
from docendo.training.base import Problem
from docendo.training.nouns import describe

__all__ = ["differences", "of_run"]

_HASH_LENGTH = 64
_SHOWN = 12
# Of a run's attributes: its name with the saves in it, and what is spelt out by the settings.
_NOT_HERE = frozenset({"configuration", "dynamics", "settings"})


def of_run(attributes: Mapping[str, Any], problem: Problem, observed: Iterable[str]) -> dict[str, Any]:
    """The configuration of a run.

    Args:
        attributes: the facts that its plan holds: versions, device, key, settings.
        problem: what is trained on what; arrays count by a hash of their content.
        observed: the names of what is recorded beside the usual.
    """
    facts = {name: value for name, value in attributes.items() if name not in _NOT_HERE}
    nouns = {
        name: f"{noun!r} with content {content_hash(list(describe(noun, name)))[:_SHOWN]}"
        for name, noun in problem._asdict().items()
        if name != "key"
    }
    return facts | json.loads(attributes["settings"]) | nouns | {"observe": sorted(observed)}


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """What differs, as "steps: 1000 there, 2000 here", one after the other."""
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    return "; ".join(f"{name}: {_short(there.get(name))} there, {_short(here.get(name))} here" for name in names)


def _short(value: Any) -> str:
    is_hash = isinstance(value, str) and len(value) == _HASH_LENGTH and not value.strip("0123456789abcdef")
    return value[:_SHOWN] if is_hash else str(value)
