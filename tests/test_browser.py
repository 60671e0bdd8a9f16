"""The browser that other tests use: it runs a page's scripts, tells what they complain of, and reaches no network."""

from pathlib import Path

from selenium.webdriver import Chrome

PAGE = """<!doctype html><meta charset="utf-8"><title>before</title>
<script>document.title = "after"; console.error("heard");</script>
<script src="http://docendo.invalid/missing.js"></script>"""


def test_runs_scripts_hears_errors_and_stays_offline(browser: Chrome, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    browser.get((tmp_path / "page.html").as_uri())
    assert browser.title == "after"
    messages = [entry["message"] for entry in browser.get_log("browser")]
    assert any("heard" in message for message in messages)
    assert any("missing.js" in message and "ERR_NAME_NOT_RESOLVED" in message for message in messages)
