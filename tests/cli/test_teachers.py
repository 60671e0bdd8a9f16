"""`docendo teachers`."""

import inspect

from docendo.studies import choices
from tests.cli.calling import succeed


def test_teachers_lists_each_with_parameters_and_picture() -> None:
    said = succeed("teachers")
    for name, constructor in choices.CONSTRUCTORS.items():
        (part,) = (part for part in said.split("\n\n") if part.startswith(name + "\n"))
        documented = {line.split()[0] for line in part.splitlines()[1:]}
        assert set(inspect.signature(constructor).parameters) <= documented, name
        assert ("┌" in part) == (name != "symmetric")
    assert succeed("teachers group_sparse random").split("\n")[0] == "group_sparse"


def test_teachers_picture_is_the_support() -> None:
    lines = [line.strip().strip("│") for line in succeed("teachers single_layer").splitlines() if "│" in line]
    assert [(line.index("▀"), line.index("▄")) for line in lines] == [(i, i + 1) for i in range(0, 20, 2)]
