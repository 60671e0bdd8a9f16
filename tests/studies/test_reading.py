"""Study files: what may be written, what it means, and what a wrong one is told."""

import json
import tomllib

import pytest
from hypothesis import given, settings, strategies as st

from docendo.studies.cells import axes_of, cells_of
from docendo.studies.choices import CONSTRUCTORS, DYNAMICS
from docendo.studies.reading import KEYS, parse_study, read_study
from docendo.studies.schema import Dynamics, Teacher
from docendo.studies.writing import to_toml

SMALL = """
name = "small"
seed = 3
[teacher]
kind = "random"
tokens = 4
[dynamics]
learning_rate = 0.1
steps = 1e3
[sweep]
teacher.sparsity = [1, 2]
"dynamics.learning_rate" = {start = 1e-3, stop = 1e-1, count = 3, spacing = "log"}
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(SMALL)
    return path


def told(path, *overrides):
    with pytest.raises(ValueError, match=r".") as caught:
        cells_of(read_study(path, overrides))
    return str(caught.value)


def test_a_file_says_what_is_run(study):
    read = read_study(study)
    assert read.name == "small" and read.settings.dynamics.steps == 1000 and read.settings.seed == 3
    axes = axes_of(read)
    assert [axis.name for axis in axes] == ["sparsity", "learning_rate"]
    assert axes[1].values == ((0.001,), (0.01,), (pytest.approx(0.1),))
    assert len(cells_of(read)) == 6


def test_overrides_set_values_and_add_axes(study):
    read = read_study(study, ["dynamics.learning_rate=0.01", "teacher.tokens=4,8", "seed={count=2}", "name2=x"][:3])
    assert read.settings.dynamics.learning_rate == 0.01
    assert [axis.name for axis in axes_of(read)] == ["sparsity", "tokens", "seed"]
    pairs = read_study(study, ["teacher.kind=convolution", "teacher.grid=[2,2],[4,4]", "teacher.sparsity=1"])
    assert axes_of(pairs)[-1].values == (((2, 2),), ((4, 4),))


def test_what_is_written_is_read_back_as_the_same_study(study, tmp_path):
    for overrides in ([], ["seed={count=2,first=7}", "student.logit_scale=D**(-3/2)"], ["teacher.activation=relu"]):
        read = read_study(study, overrides)
        again = tmp_path / "again.toml"
        again.write_text(to_toml(read))
        assert cells_of(read_study(again)) == cells_of(read)
        assert read_study(again).name == read.name


def test_zipped_axes_walk_together(study):
    study.write_text(SMALL.replace("[sweep]", '[sweep]\nzipped = [["teacher.tokens", "teacher.sparsity"]]'))
    read = read_study(study, ["teacher.tokens=4,8"])
    sizes = [(cell.settings.teacher.tokens, cell.settings.teacher.sparsity) for cell in cells_of(read)]
    assert sizes == [(4, 1)] * 3 + [(8, 2)] * 3
    assert "equally many values, got teacher.tokens 3, teacher.sparsity 2" in told(study, "teacher.tokens=4,8,16")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("tokens = 4", "tokns = 4"), "there is no key 'teacher.tokns'. Did you mean teacher.tokens"),
        (('kind = "random"', 'kind = "randm"'), "got 'randm'. Did you mean random?"),
        (('kind = "random"\n', ""), "teacher.kind is missing"),
        (("tokens = 4", "tokens = 0"), "teacher.tokens: input should be greater than or equal to 1, got 0."),
        (("tokens = 4", 'tokens = "4"'), "teacher.tokens: input should be a valid integer, got '4'."),
        (("tokens = 4", "tokens = true"), "teacher.tokens: input should be a valid integer, got True."),
        (("tokens = 4", "tokens = 2026-12-01"), "holds a value that is no number, text or list"),
        (("steps = 1e3", "steps = 1.5"), "dynamics.steps: input should be a valid integer"),
        (("learning_rate = 0.1", "learning_rate = nan"), "dynamics.learning_rate: "),
        (("[teacher]", "[techer]"), "there is no key 'techer'. Did you mean teacher"),
        (("teacher.sparsity = [1, 2]", "teacher.sparsty = [1, 2]"), "there is no key 'teacher.sparsty' to vary"),
        (("teacher.sparsity = [1, 2]", "teacher.sparsity = []"), "teacher.sparsity is empty"),
        (("teacher.sparsity = [1, 2]", "teacher.sparsity = [1, 1]"), "has the value 1 twice"),
        (("teacher.sparsity = [1, 2]", "teacher.sparsity = [1, -2]"), "teacher.sparsity: input should be greater"),
        (("teacher.sparsity = [1, 2]", "seed = {count = 0}"), "seed"),
        (("start = 1e-3", "start = -1"), "a log range has positive ends, got -1 and 0.1."),
        (("[sweep]", "[sweep"), "is not TOML"),
        (("[sweep]", '[sweep]\nzipped = [["seed"]]'), "seed is zipped, but is no axis"),
        (("count = 3", "count = 1000000"), "a study has at most 1,000,000 cells, this one 2,000,000."),
    ],
)
def test_a_wrong_file_is_told_which_key(study, change, message):
    assert SMALL.count(change[0]) == 1
    study.write_text(SMALL.replace(*change))
    assert message in told(study)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("teacher.tokens", "an override is key=value"),
        ("teacher.tokns=4", "there is no key 'teacher.tokns'. Did you mean teacher.tokens"),
        ("teacher.tokens=", "a value is missing"),
        ("teacher.tokens=four", "teacher.tokens: input should be a valid integer, got 'four'."),
    ],
)
def test_a_wrong_override_is_told(study, override, message):
    assert message in told(study, override)


def test_all_mistakes_are_told_at_once(study):
    study.write_text(SMALL.replace("tokens = 4", "tokens = 0").replace("steps = 1e3", "steps = 0"))
    assert "teacher.tokens" in told(study) and "dynamics.steps" in told(study)


def test_a_file_that_is_missing_or_no_text_is_told(tmp_path):
    assert "can't read the study file" in told(tmp_path / "nowhere.toml")
    assert "can't read the study file" in told(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    assert "is not TOML" in told(tmp_path / "bytes.toml")
    (tmp_path / "long.toml").write_text("#" * 2_000_000)
    assert "more than any study file" in told(tmp_path / "long.toml")


def test_the_schema_knows_every_constructor_and_dynamics():
    for section, known in ((Teacher, CONSTRUCTORS), (Dynamics, DYNAMICS)):
        assert set(section.model_json_schema()["properties"]["kind"]["enum"]) == set(known)
    assert {"teacher.kind", "seed", "dynamics.learning_rate", "saves.count"} <= set(KEYS)


FRAGMENTS = st.sampled_from(
    [
        *KEYS,
        "[sweep]",
        "[teacher]",
        "kind",
        "= ",
        "[",
        "]",
        "{",
        "}",
        "'random'",
        "1e400",
        "nan",
        "-1",
        "\n",
        "\\u0000",
        "zipped",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.lists(FRAGMENTS, max_size=30).map(lambda parts: " ".join(parts).encode())))
def test_any_bytes_are_a_study_or_one_clear_error(content):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_bytes(content)
        try:
            cells_of(read_study(path))
        except ValueError as error:
            assert str(error)


RANGE = ["start", "stop", "count", "spacing"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["start", "stop", "count", "x"]), inner)
    ),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from([*KEYS, "zipped"]), VALUES, max_size=4), st.sampled_from(KEYS), VALUES)
def test_any_values_are_a_study_or_one_clear_error(axes, key, value):
    section, _, name = key.rpartition(".")
    given = {"teacher": {"kind": "random"}, "sweep": axes}
    (given.setdefault(section, {}) if section else given)[name] = value
    try:
        study = parse_study(given)
        cells = cells_of(study)
    except ValueError as error:
        assert str(error)
    else:
        assert cells_of(parse_study(tomllib.loads(to_toml(study)))) == cells
        json.dumps([cell.settings.model_dump(mode="json") for cell in cells[:3]])
