"""What an experiment is, and what it gives back.

An experiment is a function of its sizes and of a `Bench` (`docendo.experiments.bench`), on which it trains. It is named
here, not imported, so that listing experiments, and waiting for the processes that run them, starts no JAX.
"""

import difflib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import docendo
from docendo.figures import Figure
from docendo.files import content_hash
from docendo.results import Finding

if TYPE_CHECKING:
    from docendo.training import Run

__all__ = ["Experiment", "Outcome", "choose"]


@dataclass(frozen=True)
class Outcome:
    """What an experiment found; the runner adds its name, its configuration and how long it took.

    Attributes:
        summary: what was done and seen, in a few sentences made from the numbers.
        settings: every size and rate that was used, by name.
        findings: claims beside numbers.
        figures: descriptions of its figures.
        runs: what was trained, by the names of their files.
        numbers: every further number worth showing, by name.
        verdicts: what `docendo.verification.record` gives, for the page's section on theorems; the figures then belong
            there.
    """

    summary: str
    settings: Mapping[str, Any]
    findings: Sequence[Finding]
    figures: Sequence[Figure]
    runs: Mapping[str, "Run"]
    numbers: Mapping[str, float] = field(default_factory=dict)
    verdicts: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes:
        name: its name, also its folder's.
        title: a heading.
        paper: what of the paper it stands for.
        program: `module:function`, the function being called with the sizes and a `Bench`.
        full: its sizes and rates, a dataclass of `docendo.experiments.sizes`.
        quick: the same, smaller, for a first look.
        seconds: about how long the full one takes on one core, to tell how far all of them are.
        needs_digits: whether it depends on where the handwritten digits come from.
        beyond: whether it lies outside the paper's assumptions, and is run only where that is asked for.
    """

    name: str
    title: str
    paper: str
    program: str
    full: Any
    quick: Any
    seconds: float
    needs_digits: bool = False
    beyond: bool = False

    def sizes(self, quick: bool) -> Any:
        """The sizes asked for."""
        return self.quick if quick else self.full

    def configuration(self, quick: bool, seed: int, digits: str) -> str:
        """The hash of all that determines the outcome; `digits` identifies the images, where they are needed."""
        facts = {"docendo_version": docendo.__version__, "program": self.program, "seed": seed}
        images = {"digits": digits} if self.needs_digits else {}
        return content_hash(facts | images | {"sizes": asdict(self.sizes(quick))})

    def resolve(self) -> Callable[..., Outcome]:
        """The function to call."""
        module, _, function = self.program.partition(":")
        return getattr(importlib.import_module(module), function)


def choose(experiments: Sequence[Experiment], only: Sequence[str] | None, beyond: bool = False) -> list[Experiment]:
    """The experiments called for, in their own order; where `only` is None or empty all of the paper's.

    Args:
        experiments: all there are.
        only: names.
        beyond: without names, those beyond the paper as well.

    Raises:
        ValueError: a name that none has, with the closest ones.
    """
    names = [experiment.name for experiment in experiments]
    for name in only or ():
        if name not in names:
            close = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or names
            raise ValueError(f"only= names experiments, got {name!r}. Did you mean {' or '.join(map(repr, close))}?")
    if only:
        return [experiment for experiment in experiments if experiment.name in only]
    return [experiment for experiment in experiments if beyond or not experiment.beyond]
