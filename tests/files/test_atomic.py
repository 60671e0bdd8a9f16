"""Atomic writes against real failures: exceptions in the middle, a size limit of the system, kill -9."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from docendo.files import checksum, remove_leftovers, writable_folder, write_atomically

HALF_THEN_WAIT = """
import sys, time
from docendo.files import write_atomically
def content(stream):
    stream.write(b"new" * 100_000)
    stream.flush()
    print("half", flush=True)
    time.sleep(60)
write_atomically(sys.argv[1], content)
"""

TWO_CONTENTS_IN_TURN = """
import sys
from docendo.files import write_atomically
print("begin", flush=True)
while True:
    for letter in (b"a", b"b"):
        write_atomically(sys.argv[1], letter * 1_000_000)
"""

BEYOND_THE_LIMIT = """
import resource, signal, sys
from docendo.files import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
write_atomically(sys.argv[1], bytes(200_000))
"""


def started(program: str, target: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def killed(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_write_replaces_content_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "file"
    assert write_atomically(target, b"one") == target
    write_atomically(target, lambda stream: stream.write(b"two"))
    assert target.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["file"]


def test_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert write_atomically(tmp_path / "atomic", b"").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), OSError, "file, left as it was: No space left"),
        (KeyboardInterrupt(), KeyboardInterrupt, "^$"),
        (RuntimeError("the writer gave up"), RuntimeError, "the writer gave up"),
    ],
)
def test_failing_writer_leaves_the_old_content(
    tmp_path: Path, failure: BaseException, kind: type[BaseException], message: str
) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def content(stream: IO[bytes]) -> None:
        stream.write(b"new")
        raise failure

    with pytest.raises(kind, match=message) as caught:
        write_atomically(target, content)
    assert getattr(caught.value, "errno", None) == getattr(failure, "errno", None)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_file_size_limit_of_the_system_leaves_the_old_content(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    process = started(BEYOND_THE_LIMIT, target)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"could not write {target}, left as it was: File too large" in complaint
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_kill_in_the_middle_of_a_write_leaves_the_old_content(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    process = started(HALF_THEN_WAIT, target)
    assert len(os.listdir(tmp_path)) == 2
    assert remove_leftovers(tmp_path) == []  # the writer lives
    killed(process)
    assert target.read_bytes() == b"old"
    assert len(remove_leftovers(tmp_path)) == 1
    assert os.listdir(tmp_path) == ["file"]


def test_kill_at_any_moment_leaves_one_whole_content(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_atomically(target, b"b" * 1_000_000)
    for moment in (0.003, 0.011, 0.027, 0.052):
        process = started(TWO_CONTENTS_IN_TURN, target)
        time.sleep(moment)
        killed(process)
        content = target.read_bytes()
        assert content in (b"a" * 1_000_000, b"b" * 1_000_000)
    remove_leftovers(tmp_path)
    assert os.listdir(tmp_path) == ["file"]


def test_leftovers_of_other_machines_and_foreign_files_stay(tmp_path: Path) -> None:
    names = {".docendo-another machine-1-00ff00ff.tmp", ".docendo-", "data.tmp"}
    for name in names:
        (tmp_path / name).touch()
    assert remove_leftovers(tmp_path) == []
    assert set(os.listdir(tmp_path)) == names


def test_write_into_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must exist and be writable, .*nowhere' is not: No such file"):
        write_atomically(tmp_path / "nowhere" / "file", b"")


def test_write_over_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="could not write .*folder, left as it was"):
        write_atomically(tmp_path / "folder", b"")
    assert os.listdir(tmp_path) == ["folder"]


def test_writable_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    folder = writable_folder(tmp_path / "a" / "b")
    assert folder == tmp_path / "a" / "b"
    assert os.listdir(writable_folder(folder)) == []


@pytest.mark.parametrize("name", ["file", "file/below", "with\0nul"])
def test_unwritable_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="output folder must exist and be writable.*Try another, such as"):
        writable_folder(tmp_path / name)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ValueError, match="is not: Permission denied"):
        writable_folder(tmp_path)


def test_checksum_is_sha256(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    # the example of FIPS 180-2, appendix B.1
    assert checksum(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with pytest.raises(ValueError, match="can't read .*missing: No such file"):
        checksum(tmp_path / "missing")
