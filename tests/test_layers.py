"""Imports point down the list of tests/house.py; and each reader of imports finds what it is there to find."""

from pathlib import Path

import pytest

from tests import house

ROOMS = [name for line in house.HOUSE for name in line]
SMALL_HOUSE = (("top",), ("left", "right"), ("bottom",))


def test_every_file_has_a_room() -> None:
    assert house.misplaced(house.SOURCE) == [], "add the room to HOUSE in tests/house.py"


def test_no_room_is_listed_twice() -> None:
    assert sorted(ROOMS) == sorted(set(ROOMS))


def test_imports_point_down() -> None:
    wrong = [
        str(each)
        for each in house.upward(house.SOURCE)
        if not (each.lazy and (each.file, house.room_imported(house.SOURCE, each)) in house.LAZY_STARTS)
    ]
    assert wrong == []


def test_every_exception_is_in_use() -> None:
    used = {(each.file, house.room_imported(house.SOURCE, each)) for each in house.upward(house.SOURCE)}
    assert set(house.LAZY_STARTS) <= used


@pytest.mark.parametrize("name", ROOMS)
def test_no_circle_inside_a_room(name: str) -> None:
    assert house.circle(house.SOURCE, name) == []


@pytest.mark.parametrize("pair", house.INDEPENDENT, ids=" and ".join)
def test_independent_files_do_not_import_each_other(pair: tuple[str, str]) -> None:
    for file in set(pair) & set(house.files(house.SOURCE)):
        goals = {house.file_of(house.SOURCE, each.target) for each in house.imports(house.SOURCE, file)}
        assert goals.isdisjoint(pair)


@pytest.mark.parametrize("file", house.without_jax(house.SOURCE))
def test_starts_no_jax(file: str) -> None:
    started = house.started(house.SOURCE, file)
    assert {name: by for name, by in started.items() if name in house.JAX} == {}


def test_theory_judges_and_never_trains() -> None:
    files = [file for file in house.files(house.SOURCE) if house.room(file) == "theory"]
    assert [use for file in files for use in house.mentions(house.SOURCE, file, "train")] == []


def test_private_names_stay_private() -> None:
    assert [str(each) for each in house.private(house.SOURCE)] == []


def test_public_names_are_for_users() -> None:
    assert house.from_the_root(house.SOURCE) == []


def test_oracles_are_independent() -> None:
    tests = Path(__file__).parent
    oracles = [file for file in house.files(tests) if any(part.startswith("oracle") for part in Path(file).parts)]
    assert oracles
    used = {each.target.split(".")[0]: str(each) for file in oracles for each in house.imports(tests, file)}
    assert {name: by for name, by in used.items() if name not in house.ORACLE_LIBRARIES | {"tests"}} == {}


def build(folder: Path, **sources: str) -> Path:
    """A package `pack` with the files given, written as room__file="source"."""
    for name, text in sources.items():
        path = (folder / "pack").joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "pack"


def test_reader_finds_upward_and_sideways_imports(tmp_path: Path) -> None:
    source = build(
        tmp_path,
        top="from pack import left\nimport pack.bottom\n",
        left__one="from pack.right import two\nfrom ..bottom import x\nfrom . import other\n",
        left__other="def late():\n    import pack.top\n",
        right__two="",
        bottom="import numpy\nfrom pack.attic import y\n",
        attic="",
    )
    found = [str(each) for each in house.upward(source, SMALL_HOUSE)]
    assert found == [
        "bottom.py:2: from pack.attic import y",
        "left/one.py:1: import pack.right.two",
        "left/other.py:2: import pack.top",
    ]
    assert house.misplaced(source, SMALL_HOUSE) == ["attic.py"]
    assert [each.lazy for each in house.imports(source, "left/other.py")] == [True]


@pytest.mark.parametrize("line", ["from pack.left import one", "from . import one", "import pack.left.one"])
def test_reader_finds_circles(tmp_path: Path, line: str) -> None:
    source = build(tmp_path, left__one="from pack.left.two import x", left__two=line)
    assert set(house.circle(source, "left")) == {"left/one.py", "left/two.py"}
    build(tmp_path, left__two="")
    assert house.circle(source, "left") == []


def test_reader_finds_a_room_that_imports_itself_whole(tmp_path: Path) -> None:
    source = build(tmp_path, left____init__="")
    (source / "left" / "__init__.py").write_text("from pack.left.one import x")
    build(tmp_path, left__one="from pack.left import x")
    assert set(house.circle(source, "left")) == {"left/__init__.py", "left/one.py"}


def test_reader_follows_what_starts_on_import(tmp_path: Path) -> None:
    source = build(
        tmp_path,
        top="from typing import TYPE_CHECKING\nfrom pack.left.one import x\nif TYPE_CHECKING:\n    import optax\n",
        left__one="def late():\n    import diffrax\n",
    )
    assert "jax" not in house.started(source, "top.py")
    (source / "left" / "__init__.py").write_text("import jax.numpy")
    assert house.started(source, "top.py") == {"typing": "top.py", "pack": "top.py", "jax": "left/__init__.py"}


def test_reader_finds_private_and_public_names(tmp_path: Path) -> None:
    source = build(
        tmp_path,
        left="from pack.right import _secret, shown\nimport pack\npack.train\npack.__version__\n",
        right="from pack import train, __version__\n",
    )
    assert [str(each) for each in house.private(source)] == ["left.py:1: from pack.right import _secret, shown"]
    assert house.from_the_root(source) == ["left.py:3: pack.train", "right.py:1: from pack import train, __version__"]
    assert house.mentions(source, "left.py", "train") == ["left.py:3: pack.train"]
