"""Where compiled programs are kept."""

import os
from pathlib import Path

import pytest

from docendo.compilation import keep_compiled_programs

NAMES = ("JAX_COMPILATION_CACHE_DIR", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "EQX_ON_ERROR", "XDG_CACHE_HOME")


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    # setenv first, so that what the function sets is taken back as well
    for name in NAMES:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_in_the_user_s_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    keep_compiled_programs()
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(tmp_path / ".cache" / "docendo" / "jax")
    assert os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] == "0"
    assert os.environ["EQX_ON_ERROR"] == "nan"


def test_where_the_system_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    keep_compiled_programs()
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(tmp_path / "docendo" / "jax")


def test_what_the_user_chose_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "mine")
    monkeypatch.setenv("EQX_ON_ERROR", "raise")
    keep_compiled_programs()
    assert (os.environ["JAX_COMPILATION_CACHE_DIR"], os.environ["EQX_ON_ERROR"]) == ("mine", "raise")


def test_nowhere_without_a_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    keep_compiled_programs()
    assert not set(NAMES) & set(os.environ)
    assert list(tmp_path.iterdir()) == []


def test_nowhere_in_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    keep_compiled_programs()
    assert "JAX_COMPILATION_CACHE_DIR" not in os.environ
