"""The wheel: what is in it, and that it works installed, away from the checkout."""

import email
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import docendo

CHECKOUT = Path(__file__).parent.parent

TRAINING = """
import docendo as dc
teacher = dc.teachers.random(tokens=6, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.1), steps=20)
print(dc.__file__)
print(run.status, float(run.data.excess_loss[0]), float(run.data.excess_loss[-1]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(CHECKOUT)]
    subprocess.run(build, check=True, capture_output=True)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with docendo from the wheel and nothing else; its dependencies are those of the tests."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    return folder


def run_installed(installed: Path, cwd: Path, *command: str) -> str:
    """Run a command with the wheel's docendo ahead of the checkout's on the path."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_holds_what_it_needs_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    source = CHECKOUT / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in (source / "docendo").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"docendo/py.typed", "docendo/__init__.pyi", "docendo/experiments/data/mnist_10k.npz"} <= wanted
    packed = {name for name in names if ".dist-info/" not in name}
    assert packed == wanted


def test_says_who_may_use_it_and_with_what(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        headers = email.message_from_bytes(archive.read(metadata))
        licences = {name: archive.read(name) for name in archive.namelist() if "/licenses/" in name}
    assert headers["Version"] == docendo.__version__
    assert headers["Requires-Python"] == ">=3.11"
    assert set(headers.get_all("Provides-Extra", [])) >= {"mnist", "tensorboard", "wandb", "mlflow", "docs", "test"}
    assert headers["License-Expression"] == "Apache-2.0 AND CC-BY-SA-3.0"
    assert any(b"Apache License" in text for text in licences.values())
    assert any(b"Attribution-ShareAlike 3.0" in text for text in licences.values())


def test_installed_wheel_trains(installed: Path, tmp_path: Path) -> None:
    file, result = run_installed(installed, tmp_path, sys.executable, "-c", TRAINING).splitlines()
    assert Path(file).is_relative_to(installed)
    status, first, last = result.split()
    assert status == "completed"
    assert 0 < float(last) < float(first)


def test_installed_wheel_has_its_digits(installed: Path, tmp_path: Path) -> None:
    code = "from docendo.experiments import digits; print(digits.__file__); print(digits.load_digits())"
    file, *_ = run_installed(installed, tmp_path, sys.executable, "-c", code).splitlines()
    assert Path(file).is_relative_to(installed)


@pytest.mark.parametrize("start", ["module", "script"])
def test_installed_command(installed: Path, tmp_path: Path, start: str) -> None:
    command = [sys.executable, "-m", "docendo"] if start == "module" else [str(installed / "bin" / "docendo")]
    assert "reproduce" in run_installed(installed, tmp_path, *command, "--help")
    assert run_installed(installed, tmp_path, *command, "--version").split()[-1] == docendo.__version__


def test_one_version_everywhere() -> None:
    citation = (CHECKOUT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {docendo.__version__}\n" in citation
    assert f"\n## {docendo.__version__}" in changelog


def test_lock_names_no_registry() -> None:
    lock = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
    assert "--hash=sha256:" in lock
    assert "://" not in lock
