"""Which part of docendo may import which, as data, and a reader of imports that holds the source against it.

The source is parsed, never imported, so that imports inside functions and under TYPE_CHECKING count as well.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "docendo"

# Imports only point down; rooms on one line do not import each other. A room is a module or a folder of src/docendo.
HOUSE = (
    ("__main__",),
    ("cli",),
    ("experiments", "report"),
    ("verification",),
    ("studies", "plots"),
    ("theory",),
    ("training",),
    ("population",),
    ("students", "teachers"),
    ("activations", "inputs", "positions"),
    ("results",),
    ("files", "progress", "sinks"),
    ("checks", "compilation", "drawing", "figures", "precision", "randomness", "steps"),
)

# What points up all the same, (file, room) → why. Such an import is a lazy start, inside a function.
LAZY_STARTS = {("training/run.py", "plots"): "Run.plot draws the run"}

# Files that never import each other: their agreement is a test.
INDEPENDENT = (("training/reduced.py", "training/gradient_descent.py"),)

# Files and rooms that start no JAX, neither themselves nor through what they import.
STARTERS = ("__init__.py", "__main__.py", "cli/__init__.py")
WITHOUT_JAX = ("report", "results", "files", "progress", "sinks", "compilation", "drawing", "figures", "steps")
JAX = frozenset({"diffrax", "equinox", "jax", "jaxlib", "lineax", "optax", "optimistix"})

# What a module may read from the package itself, whose names are otherwise for users.
ROOT_NAMES = frozenset({"__version__", "_jax_came_first"})

# What oracles are made of.
ORACLE_LIBRARIES = frozenset({"mpmath", "numpy", "scipy"}) | sys.stdlib_module_names


@dataclass(frozen=True)
class Import:
    """One imported module.

    Attributes:
        file: the importing file, relative to the package.
        line: its line.
        target: the absolute dotted module that is imported.
        names: the names taken from it; empty for a plain `import`.
        lazy: whether it stands inside a function.
        typing: whether it stands under `if TYPE_CHECKING`.
    """

    file: str
    line: int
    target: str
    names: tuple[str, ...]
    lazy: bool
    typing: bool

    def __str__(self) -> str:
        taken = f"from {self.target} import {', '.join(self.names)}" if self.names else f"import {self.target}"
        return f"{self.file}:{self.line}: {taken}"


def files(source: Path) -> list[str]:
    """The Python files of a package, relative to it."""
    return sorted(path.relative_to(source).as_posix() for path in source.rglob("*.py"))


def parse(source: Path, file: str) -> ast.Module:
    """The syntax tree of one file."""
    return ast.parse((source / file).read_text(encoding="utf-8"), file)


def imports(source: Path, file: str) -> list[Import]:
    """Every import of one file of a package; `from package import module` counts as importing that module."""
    found = _walk(parse(source, file), False, False)
    return [each for node, lazy, typing in found for each in _targets(source, file, node, lazy, typing)]


Found = tuple[ast.Import | ast.ImportFrom, bool, bool]


def _walk(node: ast.AST, lazy: bool, typing: bool) -> Iterator[Found]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, lazy, typing
    lazy |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    typing |= isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, lazy, typing)


def _targets(source: Path, file: str, node: ast.Import | ast.ImportFrom, lazy: bool, typing: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(file, node.lineno, alias.name, (), lazy, typing)
        return
    base = _absolute(source, file, node)
    modules = [alias.name for alias in node.names if _exists(source, f"{base}.{alias.name}")]
    for name in modules:
        yield Import(file, node.lineno, f"{base}.{name}", (), lazy, typing)
    names = tuple(alias.name for alias in node.names if alias.name not in modules)
    if names:
        yield Import(file, node.lineno, base, names, lazy, typing)


def _absolute(source: Path, file: str, node: ast.ImportFrom) -> str:
    folders = [source.name, *Path(file).parent.parts]
    base = folders[: len(folders) + 1 - node.level] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


def _exists(source: Path, module: str) -> bool:
    path = source.parent.joinpath(*module.split("."))
    return path.is_relative_to(source) and (path.with_suffix(".py").is_file() or path.is_dir())


def file_of(source: Path, module: str) -> str | None:
    """The file a dotted module of the package lies in; None for other packages."""
    path = source.parent.joinpath(*module.split("."))
    for each in (path.with_suffix(".py"), path / "__init__.py"):
        if each.is_relative_to(source) and each.is_file():
            return each.relative_to(source).as_posix()
    return None


def room(file: str) -> str:
    """The room a file is in: its folder, or its own name."""
    return Path(file).parts[0].removesuffix(".py")


def without_jax(source: Path) -> list[str]:
    """The files that start no JAX."""
    return [file for file in files(source) if file in STARTERS or room(file) in WITHOUT_JAX]


def room_imported(source: Path, each: Import) -> str | None:
    """The room an import leads to; None for other packages and for the package itself."""
    package, *rest = each.target.split(".")
    return rest[0] if package == source.name and rest else None


def misplaced(source: Path, house: tuple[tuple[str, ...], ...] = HOUSE) -> list[str]:
    """Files that belong to no room of the house."""
    rooms = {name for line in house for name in line}
    return [file for file in files(source) if file != "__init__.py" and room(file) not in rooms]


def upward(source: Path, house: tuple[tuple[str, ...], ...] = HOUSE) -> list[Import]:
    """Imports that don't point down: to a room on a higher line, or to another room on the same one."""
    depth = {name: i for i, line in enumerate(house) for name in line}
    found = []
    for file in files(source):
        for each in imports(source, file):
            goal = room_imported(source, each)
            if goal in (None, room(file)) or room(file) not in depth:
                continue
            if depth.get(goal or "", -1) <= depth[room(file)]:
                found.append(each)
    return found


def circle(source: Path, name: str) -> list[str]:
    """The files of a circle of imports inside one room; empty where there is none."""
    inside = [file for file in files(source) if room(file) == name]
    graph = {file: {file_of(source, each.target) for each in imports(source, file)} & set(inside) for file in inside}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def started(source: Path, file: str) -> dict[str, str]:
    """What importing one file imports in the end, as package → the file that names it.

    Only what runs on import is followed, parents of packages included; lazy starts are not.
    """
    packages: dict[str, str] = {}
    waiting, seen = [file], {file}
    while waiting:
        here = waiting.pop()
        for each in imports(source, here):
            if each.lazy or each.typing:
                continue
            packages.setdefault(each.target.split(".")[0], here)
            parts = each.target.split(".")
            for module in (".".join(parts[: n + 1]) for n in range(len(parts))):
                found = file_of(source, module)
                if found is not None and found not in seen:
                    seen.add(found)
                    waiting.append(found)
    return packages


def private(source: Path) -> list[Import]:
    """Imports of another module's private names."""
    found = [each for file in files(source) for each in imports(source, file)]
    return [
        each
        for each in found
        if each.target.split(".")[0] == source.name
        and any(name.startswith("_") and name not in ROOT_NAMES for name in (*each.names, *each.target.split(".")))
    ]


def from_the_root(source: Path) -> list[str]:
    """Uses of the public names by the package's own modules, which would hide where an import leads."""
    found = []
    for file in files(source):
        for each in imports(source, file):
            found += [str(each) for name in each.names if each.target == source.name and name not in ROOT_NAMES]
        for node in ast.walk(parse(source, file)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == source.name:
                found += [f"{file}:{node.lineno}: {ast.unparse(node)}"] if node.attr not in ROOT_NAMES else []
    return found


def mentions(source: Path, file: str, name: str) -> list[str]:
    """Where a file uses a name: imported, read or as an attribute."""
    found = []
    for node in ast.walk(parse(source, file)):
        named = {getattr(node, field, None) for field in ("id", "attr", "name")}
        if name in named and isinstance(node, ast.Name | ast.Attribute | ast.alias):
            found.append(f"{file}:{node.lineno}: {ast.unparse(node)}")
    return found
