"""From what is stored to the page's text. Names come from users, so the templates escape all they insert."""

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Final
from urllib.parse import quote

from bokeh.resources import Resources
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from docendo.report import words
from docendo.report.facts import command, facts
from docendo.report.reading import Stored
from docendo.report.shades import on_dark
from docendo.report.views import figure_view

__all__ = ["render"]

# How a verdict is marked beside its word: its class in the style sheet, and a sign, for colour alone is not enough.
MARKS: Final = {
    "agrees": ("good", "✓"),
    "holds": ("good", "✓"),
    "differs": ("bad", "✗"),
    "fails": ("bad", "✗"),
    "undecided": ("open", "?"),
    "not applicable": ("none", "∅"),
    "violated": ("bad", "✗"),
    "not checkable": ("open", "?"),
}


def render(stored: Stored, folder: Path) -> str:
    """The whole page: text, style, scripts and data in one.

    Args:
        stored: what to show.
        folder: where its files are, to tell their sizes.
    """
    environment = _environment(folder)
    results = [experiment.result for experiment in stored.experiments if experiment.result is not None]
    found: Counter[str] = Counter(finding.verdict for result in results for finding in result.findings)
    return environment.get_template("page.html").render(
        stored=stored,
        about=stored.about,
        command=command(stored.about),
        facts=facts(stored.about, stored.origin),
        results=results,
        verdicts={word: found[word] for word in MARKS if word in found},
        seconds=sum(result.seconds for result in results),
        style=_own("style.css"),
        hover=_own("hover.js"),
        script=_own("page.js"),
        bokeh=Markup("\n".join(Resources(mode="inline", components=["bokeh"], log_level="warn").js_raw)),
    )


def _environment(folder: Path) -> Environment:
    environment = Environment(
        loader=PackageLoader("docendo.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Bokeh's JSON refers back to what came before: its order must stay.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    environment.filters |= {
        "address": quote,
        "duration": words.duration,
        "filesize": lambda path: words.size((folder / path).stat().st_size),
        "number": words.number,
        "on_dark": on_dark,
        "setting": words.setting,
        "slug": words.slug,
    }
    environment.globals |= {"figure_view": figure_view, "interval": words.interval, "marks": MARKS}
    return environment


def _own(name: str) -> Markup:
    """A file of this package that goes into the page as it is."""
    return Markup((files("docendo.report") / "templates" / name).read_text(encoding="utf-8"))
