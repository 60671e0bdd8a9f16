"""README keeps its word: its example runs, and its commands exist."""

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
MAKEFILE = (Path(__file__).parent.parent / "Makefile").read_text(encoding="utf-8")


def test_example_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len([line for line in example.splitlines() if line]) <= 10
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    status, loss = done.stdout.splitlines()[0].split()
    assert status == "completed"
    assert float(loss) < 1e-2
    assert (tmp_path / "run.nc").is_file()


def test_first_screen_shows_two_commands() -> None:
    (console,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    assert re.findall(r"^\$ (\S+ \S+)", console, re.MULTILINE) == ["make reproduce", "make test"]
    assert README[: README.index("```console")].count("\n") < 24


def test_commands_exist() -> None:
    commands = set(re.findall(r"make ([a-z]+)", README))
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    assert {"reproduce", "test"} <= commands <= targets
