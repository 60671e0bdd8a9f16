"""What all commands share: how they start, which streams they use, and how they end."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import docendo as dc
from docendo.studies import choices
from tests.cli.calling import SMALL, docendo, succeed


def test_no_arguments_show_help() -> None:
    said = succeed("")
    assert said.split() == succeed("--help").split() == succeed("-h").split()
    for command in ("train", "teachers", "show"):
        assert f" {command} " in said


def test_version() -> None:
    assert succeed("--version") == f"docendo {dc.__version__}\n"


def test_it_is_a_module_too(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "docendo", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"docendo {dc.__version__}\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("trian", "Did you mean 'train'?"),
        ("train", "what is to be trained? Name a study file, or a teacher"),
        ("train --teacher random --tokns 3", "--tokens"),
        ("train --teacher random --tokens four", "Invalid value for '--tokens'"),
        ("train --teacher random --steps 1.5", "a whole number is wanted, got '1.5'"),
        ("train --teacher random --steps many", "a whole number is wanted, got 'many'"),
        ("show", "Missing argument"),
    ],
)
def test_usage_errors(command: str, message: str) -> None:
    done = docendo(command)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert message in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("command", ["teachers", SMALL, "--help", "train --help"])
def test_eighty_columns(command: str) -> None:
    assert max(len(line) for line in succeed(command).splitlines()) <= 80


@pytest.mark.parametrize("command", ["teachers convolution single_layer", f"{SMALL}", "show {stored}", "--help"])
def test_ascii_streams_get_ascii(command: str, stored: Path) -> None:
    said = succeed(command.format(stored=stored), charset="ascii")
    assert said.isascii()
    assert "?" not in said


def test_colour_where_it_is_wanted(stored: Path) -> None:
    coloured = "\x1b[32m"
    assert coloured not in succeed(f"show {stored}")
    assert coloured in succeed(f"show {stored}", FORCE_COLOR="1", TERM="xterm")
    assert coloured not in succeed(f"show {stored}", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm")
    assert "\x1b" not in succeed(f"show {stored}", FORCE_COLOR="1", TERM="dumb")


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "docendo", "teachers"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None and program.stderr is not None
    program.stdout.close()
    assert program.stderr.read() == b""
    program.stderr.close()
    assert program.wait(60) == 1


# What goes wrong inside


def fail_with(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize("error", [RuntimeError("a defect"), ValueError("not docendo's own"), KeyError("x")])
def test_defects_keep_their_traceback(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "make_teacher", fail_with(error))
    done = docendo(SMALL)
    assert done.exception is error
    assert "error:" not in done.stderr


def test_ctrl_c_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "make_teacher", fail_with(KeyboardInterrupt()))
    done = docendo(SMALL)
    assert done.exit_code == 130
    assert done.stderr.startswith("stopped: by Ctrl-C")


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", fail_with(OSError(errno.ENOSPC, "No space left on device")))
    done = docendo(f"{SMALL} --out {tmp_path / 'run.nc'}")
    assert done.exit_code == 1
    assert "run.nc, left as it was: No space left on device" in done.stderr
    assert list(tmp_path.iterdir()) == []
