"""What every test runs under, and the browser."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from selenium import webdriver

# Set before JAX and equinox are imported, and in the environment, so that the processes which tests start inherit it.
# Compiled programs are kept from run to run; diffrax's can only be kept where equinox reports errors as NaN.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parent.parent / ".cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
os.environ.setdefault("EQX_ON_ERROR", "nan")
os.environ.setdefault("MPLBACKEND", "Agg")

# The first example of a test compiles, which is neither slow code nor a flaw of the strategy.
settings.register_profile(
    "docendo",
    deadline=None,
    max_examples=20,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile("docendo")

# A new profile, no sandbox (which root lacks), and no network: a page must bring all it needs.
CHROMIUM_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    "--window-size=1280,1000",
)


def _first_on_path(*names: str) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Headless Chromium without a network; `browser.get_log("browser")` gives what pages wrote to the console.

    Skips where the system has none, unless DOCENDO_REQUIRE_BROWSER=1 makes that a failure.
    """
    chromium = _first_on_path("chromium", "chromium-browser", "google-chrome")
    driver = _first_on_path("chromedriver")
    if chromium is None or driver is None:
        missing = "no chromium on PATH" if chromium is None else "no chromedriver on PATH"
        if os.environ.get("DOCENDO_REQUIRE_BROWSER") == "1":
            pytest.fail(f"{missing}, and DOCENDO_REQUIRE_BROWSER=1")
        pytest.skip(f"{missing} (on Debian: apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*CHROMIUM_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()
