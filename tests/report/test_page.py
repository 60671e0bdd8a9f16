"""The page as text: complete, escaped, self-contained, with every link leading somewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from docendo.results import load_result
from tests.pictures import FIGURES, MARKUP

VOID = {"meta", "link", "br", "img", "input"}


class Page(HTMLParser):
    """Elements with their attributes, and the text outside scripts and styles; insists on closed elements."""

    def __init__(self, text: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> closes something else in line {self.getpos()}"

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("script", "style"):
            self.words += f"{data} "

    def all(self, tag: str, attribute: str) -> list[str]:
        return [attrs[attribute] or "" for name, attrs in self.elements if name == tag and attribute in attrs]


@pytest.fixture(scope="module")
def parsed(page: str) -> Page:
    return Page(page)


def test_nothing_is_fetched(parsed: Page) -> None:
    assert parsed.all("script", "src") == []
    assert parsed.all("link", "href") == ["data:,"]
    for source in parsed.all("img", "src"):
        assert source.startswith("figures/")  # inside noscript
    assert "default-src 'none'" in "".join(parsed.all("meta", "content"))


def test_style_sheet_fetches_nothing(style: str) -> None:
    assert "url(" not in style
    assert "@import" not in style


def test_every_link_leads_somewhere(parsed: Page, report: Path) -> None:
    ids = {attrs["id"] for _, attrs in parsed.elements if "id" in attrs}
    links = parsed.all("a", "href")
    assert len(links) > 20
    for link in links:
        if link.startswith("#"):
            assert link[1:] in ids
        else:
            assert (report.parent / unquote(link)).is_file(), link


def test_ids_are_unique(parsed: Page) -> None:
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert sorted(ids, key=str) == sorted(set(ids), key=str)


def test_every_reference_to_an_id_is_kept(parsed: Page) -> None:
    ids = {attrs["id"] for _, attrs in parsed.elements if "id" in attrs}
    for attribute in ("aria-labelledby", "data-plot", "data-for"):
        found = [attrs[attribute] for _, attrs in parsed.elements if attribute in attrs]
        assert found
        assert set(found) <= ids


def test_markup_in_names_is_text(page: str, parsed: Page) -> None:
    assert MARKUP not in page
    assert "b" not in {tag for tag, _ in parsed.elements}
    assert "taken over" in parsed.words
    assert len(parsed.all("script", "data-for")) == 12


def test_says_everything_that_was_found(parsed: Page, report: Path) -> None:
    words = " ".join(parsed.words.split())
    found = load_result(report.parent / "runs" / "convolution_relu")
    for finding in found.findings:
        assert finding.claim in words
        assert finding.how in words
        assert finding.verdict in words
        assert finding.label in words
    for text in (
        found.title,
        found.paper,
        found.summary,
        "learning rate",
        "6, 6",
        "smallest cosine",
        "12 s",
        "exact.nc",
    ):
        assert text in words
    assert "−0.9999 [−1.0004, −0.9991]" in words


def test_says_what_was_run(parsed: Page) -> None:
    words = " ".join(parsed.words.split())
    assert "To repeat it: docendo reproduce --seed 7" in words
    assert "JAX 0.10.2" in words
    assert "A quick run" not in words


def test_failed_and_missing_experiments_are_shown(parsed: Page) -> None:
    words = " ".join(parsed.words.split())
    assert "mnist … not finished failed: MemoryError: out of <memory>" in words
    assert "group_sparse … not finished stopped before its end" in words
    assert "2 … not finished" in words


def test_theorems_are_shown(parsed: Page) -> None:
    words = " ".join(parsed.words.split())
    assert "Rates of convergence ✗ fails Assumed: ✓ holds learning rate: 0.01" in words
    for text in ("? not checkable D at least", "✗ violated P orthogonal", "theorem-3.1: loss theorem ✗ fails"):
        assert text in words
    assert "excess_loss = Theta(K * D**4 / (eta * T)) D: claimed 4, measured 2.000" in words
    assert "T −1 −1.0000 [−1.0010, −0.9990] ✓ agrees" in words
    assert "D 4 2.000 [1.980, 2.020] ✗ differs two corrections" in words
    assert "Measured over claimed: from 10⁻⁷ to 0.3." in words
    assert "By hand: at T* the claimed bound is above the start." in words
    assert "a claim of mine ✓ holds" in words
    assert "excess_loss <= 1" in words


def test_every_plot_is_told_in_words(parsed: Page) -> None:
    plots = [attrs for tag, attrs in parsed.elements if tag == "div" and attrs.get("class") == "plot"]
    assert len(plots) == sum(len(figure.panels) for figure in FIGURES) + 2
    for attrs in plots:
        assert attrs["role"] == "group"
        assert len(attrs["aria-label"] or "") > 40


def test_notes_are_shown(parsed: Page) -> None:
    assert "zero or negative on a logarithmic axis" in parsed.words
    assert "1 entry missing, drawn in grey." in parsed.words
