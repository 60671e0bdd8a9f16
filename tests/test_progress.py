"""Progress in its three forms: a bar in a real terminal, lines elsewhere, nothing when off."""

import os
import subprocess
import sys

import pytest

from docendo.progress import progress_bar

IN_A_TERMINAL = """
from docendo.progress import progress_bar
with progress_bar("experiments [2]", 2, unit="runs") as outer:
    for run in range(2):
        with progress_bar(f"training {run}", 1000, start=400) as inner:
            inner.update(1000)
        outer.update(run + 1)
"""


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("docendo.progress.monotonic", clock)
    return clock


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def test_nothing_is_shown_when_off(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("training", 10, enabled=False) as bar:
        bar.update(10)
    assert lines_of(capsys) == []


def test_lines_say_what_how_far_how_fast_and_how_long(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("training", 10_000, start=1000) as bar:
        clock.now += 20
        bar.update(5000)
        clock.now += 40
        bar.update(10_000)
        clock.now += 1
    assert lines_of(capsys) == [
        "training: 5,000 of 10,000 steps (50 %), 200 steps/s, 0:00:25 left",
        "training: 10,000 of 10,000 steps (100 %), 150 steps/s, 0:00:00 left",
        "training: 10,000 of 10,000 steps (100 %), 148 steps/s, done after 0:01:01",
    ]


def test_lines_are_rare(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("training", 100, interval=10) as bar:
        for done in range(1, 101):
            clock.now += 1
            bar.update(done)
    assert len(lines_of(capsys)) == 10 + 1


def test_line_without_a_total_or_any_rate(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("searching", unit="cells"):
        clock.now += 1
    with progress_bar("nothing", 0):
        clock.now += 1
    assert lines_of(capsys) == [
        "searching: 0 cells, done after 0:00:01",
        "nothing: 0 of 0 steps, done after 0:00:01",
    ]


def test_slow_work_and_going_beyond_the_total(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("flow", 4.5, unit="decades", interval=0) as bar:
        clock.now += 10
        bar.update(5)
    assert lines_of(capsys)[0] == "flow: 5 of 4.5 decades (111 %), 0.5 decades/s, 0:00:00 left"


def test_last_line_says_where_it_stopped(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), progress_bar("training", 100) as bar:
        clock.now += 2
        bar.update(50)
        raise KeyboardInterrupt
    assert lines_of(capsys) == ["training: 50 of 100 steps (50 %), 25 steps/s, stopped after 0:00:02"]


def test_without_standard_error_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with progress_bar("training", 10, interval=0) as bar:
        bar.update(10)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_nested_bars_in_a_terminal(encoding: str) -> None:
    controller, terminal = os.openpty()
    variables = os.environ | {"TERM": "xterm", "COLUMNS": "100", "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-c", IN_A_TERMINAL],
        stderr=terminal,
        stdout=subprocess.PIPE,
        check=False,
        env=variables,
        timeout=60,
    )
    os.close(terminal)
    shown = read_all(controller)
    assert done.returncode == 0, shown
    assert done.stdout == b""
    for text in ("experiments [2]", "training 0", "training 1", "100%", "0:00:0"):
        assert text in shown
    assert shown.rstrip().endswith("\x1b[?25h")  # the cursor is back


def read_all(descriptor: int) -> str:
    pieces = []
    try:
        while piece := os.read(descriptor, 65536):
            pieces.append(piece)
    except OSError:  # Linux's way to say that the other end is closed
        pass
    os.close(descriptor)
    return b"".join(pieces).decode()


def test_a_part_is_not_called_done(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("half", 10) as bar:
        bar.update(5)
    said = capsys.readouterr().err
    assert "5 of 10 steps (50 %)" in said
    assert "stopped after" in said
