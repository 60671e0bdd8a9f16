"""`train` and Run: arguments, datasets, saving and loading, checkpoints, sinks."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import jax
import numpy as np
import pytest
import xarray

import docendo as dc
from docendo.training.nouns import describe, restore

OF = dc.teachers.random(tokens=6, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
RATE = dc.GradientDescent(0.1)


class Memory:
    """A sink that keeps what it is told."""

    def __init__(self):
        self.lines = []

    def log(self, step, values):
        self.lines.append((step, values))

    def close(self):
        raise AssertionError("train must not close a sink it was lent")


def test_the_dataset_explains_itself():
    data = dc.train(OF, None, RATE, steps=10).data
    assert data.excess_loss.attrs["definition"].startswith("L - L_opt")
    assert data.channel_cosine.dims == ("step", "channel")
    for name in ("docendo_version", "jax_version", "dtype", "device", "settings", "configuration", "status_message"):
        assert name in data.attrs, name
    assert json.loads(data.attrs["settings"]) == {"kind": "GradientDescent", "learning_rate": 0.1}
    assert data.attrs["dtype"] == "float64"


def test_the_last_step_is_always_recorded_and_step_zero_on_request():
    run = dc.train(OF, None, RATE, steps=10, save_at=[3, 0, 3])
    assert run.data.step.values.tolist() == [0, 3, 10]
    np.testing.assert_allclose(run.data.excess_loss[0], 0.25 * 2 * (OF.value_norm**2) * 6 / 4, rtol=1e-12)


def test_no_steps_at_all():
    run = dc.train(OF, None, RATE, steps=0)
    assert run.data.step.values.tolist() == [0] and run.status == "completed"


def test_save_and_load(tmp_path):
    student = dc.PositionOnly.zeros(OF, dc.positions.orthogonal(6, seed=1))
    run = dc.train(OF, student, RATE, steps=20, test_inputs=dc.inputs.Exponential(), key=3)
    path = run.save(tmp_path / "run.nc")
    back = dc.load_run(path)
    xarray.testing.assert_identical(back.data.drop_attrs(deep=False), run.data.drop_attrs(deep=False))
    for name, value in run.data.attrs.items():
        assert np.array_equal(back.data.attrs[name], value), name
    assert back.status == run.status and back.status.message == run.status.message
    for one, other in ((back.student, run.student), (back.start, run.start), (back.teacher, run.teacher)):
        assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))
    with xarray.open_dataset(path) as plain:
        assert float(plain.excess_loss[-1]) == float(run.data.excess_loss[-1])
    assert repr(back) == repr(run)


def test_names_a_run_cannot_be_saved_under(tmp_path):
    run = dc.train(OF, None, RATE, steps=1)
    with pytest.raises(ValueError, match=rf"'{tmp_path}' is a folder, .*Try '{tmp_path}/run\.nc'"):
        run.save(tmp_path)
    with pytest.raises(ValueError, match=rf"name ends in \.nc, got '{tmp_path}/a\.txt'\. Try '{tmp_path}/a\.nc'"):
        run.save(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="an output folder must exist and be writable"):
        run.save(tmp_path / "missing" / "a.nc")
    assert not list(tmp_path.iterdir())


def test_a_content_attention_run_loads_with_its_blocks(tmp_path):
    run = dc.train(OF, dc.ContentAttention.zeros(OF), dc.Online(0.1, batch_size=8), steps=3, key=0)
    back = dc.load_run(run.save(tmp_path / "run.nc"))
    assert "value_content" in back.data.block.values
    assert back.data.sampled_excess_loss_stderr.dims == ("step",)


@pytest.mark.parametrize("damage", ["missing", "truncated", "flipped", "foreign"])
def test_damaged_files_are_one_clear_error(tmp_path, damage):
    path = dc.train(OF, None, RATE, steps=5000).save(tmp_path / "run.nc")
    content = bytearray(path.read_bytes())
    if damage == "missing":
        path.unlink()
    elif damage == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "flipped":
        losses = dc.load_run(path).data.excess_loss.values.tobytes()
        content[content.index(losses) + len(losses) // 2] ^= 1
        path.write_bytes(content)
    else:
        xarray.Dataset({"x": 1}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(ValueError, match=r"run\.nc (is not a file|cannot be read as a run|is not a run)"):
        dc.load_run(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"needs steps= and nothing else"),
        ({"time": 1.0}, r"needs steps="),
        ({"steps": 3, "time": 1.0}, r"needs steps= and nothing else"),
        ({"steps": -1}, r"steps must be finite and not negative"),
        ({"steps": 2.5}, r"steps must be .* whole"),
        ({"steps": 5, "save_at": [1.5]}, r"save_at holds non-negative finite whole steps"),
        ({"steps": 5, "save_at": [-1]}, r"save_at holds non-negative"),
        (
            {"steps": 5, "save_at": [1, 99]},
            r"got 99 with steps=5\. Train longer, steps=99, or take save_at=dc\.log_spaced",
        ),
        ({"steps": 5, "inputs": dc.inputs.Empirical(np.ones((4, 9, 6)))}, r"features=3, got features=9"),
        ({"steps": 5, "test_inputs": dc.inputs.Exponential()}, r"a key is required where something is sampled"),
        ({"steps": 5, "key": "seed"}, r"key must be an int or a JAX key"),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        dc.train(OF, None, RATE, **arguments)


def test_students_of_another_shape_are_refused():
    other = dc.teachers.random(tokens=5, sparsity=2, features=3, channels=2, seed=0)
    with pytest.raises(ValueError, match=r"share their tokens, got tokens=6 and tokens=5"):
        dc.train(OF, dc.PositionOnly.zeros(other), RATE, steps=1)


def test_a_sink_hears_every_save():
    sink = Memory()
    run = dc.train(OF, None, RATE, steps=5, save_at=[1, 5], sink=sink)
    assert [step for step, _ in sink.lines] == [1, 5]
    assert float(sink.lines[-1][1]["excess_loss"]) == float(run.data.excess_loss[-1])


def test_observers_see_the_student_in_its_own_basis():
    student = dc.PositionOnly.zeros(OF, dc.positions.orthogonal(6, seed=1))
    run = dc.train(OF, student, RATE, steps=9, observe={"corner": lambda s: s.key_query[0, 1]})
    assert float(run.data.corner[-1]) == float(run.student.key_query[0, 1])


def test_a_checkpoint_of_another_configuration_is_refused(tmp_path):
    dc.train(OF, None, RATE, steps=5, checkpoint=tmp_path)
    with pytest.raises(
        ValueError, match=r"configuration \(learning_rate: 0\.1 there, 0\.2 here\)\. Use an empty folder"
    ):
        dc.train(OF, None, dc.GradientDescent(0.2), steps=5, checkpoint=tmp_path)
    with pytest.raises(ValueError, match=r"\(teacher: Teacher\(.*\) with content \w{12} there, Teacher\("):
        dc.train(dc.Teacher(OF.value * 2, OF.scores, dc.relu), None, RATE, steps=5, checkpoint=tmp_path)
    with pytest.raises(
        ValueError, match=r"kind: GradientDescent there, PopulationOptimizer here; .*optimizer: None there"
    ):
        dc.train(OF, None, dc.PopulationOptimizer(0.1), steps=5, checkpoint=tmp_path)
    with pytest.raises(ValueError, match=r"\(observe: \[\] there, \['c'\] here\)"):
        dc.train(OF, None, RATE, steps=5, checkpoint=tmp_path, observe={"c": lambda student: 0.0})


SAMPLED = dc.FiniteSample(5, 0.1, batch_size=2)


@pytest.mark.parametrize("dynamics", [RATE, SAMPLED], ids=["exact", "sample"])
def test_a_run_that_has_ended_goes_on_bit_for_bit(tmp_path, dynamics):
    """The end of the shorter run is not asked for by the longer one, and so it is not in it."""
    first = dc.train(OF, None, dynamics, 31, key=1, save_at=[0, 3], checkpoint=tmp_path)
    assert first.data.step.values.tolist() == [0, 3, 31]
    longer = {"steps": 90, "key": 1, "save_at": [0, 3, 50]}
    straight = dc.train(OF, None, dynamics, **longer)
    extended = dc.train(OF, None, dynamics, **longer, checkpoint=tmp_path)
    xarray.testing.assert_identical(extended.data.drop_attrs(deep=False), straight.data.drop_attrs(deep=False))
    assert extended.data.configuration == straight.data.configuration != first.data.configuration
    assert np.array_equal(extended.student.key_query, straight.student.key_query)


def test_a_flow_that_has_ended_goes_on_where_its_end_is_asked_for(tmp_path):
    flow, straight = dc.GradientFlow(), dc.train(OF, None, dc.GradientFlow(), time=90.0, save_at=[3.0, 31.0])
    dc.train(OF, None, flow, time=31.0, save_at=[3.0], checkpoint=tmp_path)
    with pytest.raises(ValueError, match=r"recorded at other time \(2 saves up to 31; .*give save_at=\[3, 31, …\]"):
        dc.train(OF, None, flow, time=90.0, save_at=[3.0], checkpoint=tmp_path)
    extended = dc.train(OF, None, flow, time=90.0, save_at=[3.0, 31.0], checkpoint=tmp_path)
    xarray.testing.assert_identical(extended.data.drop_attrs(deep=False), straight.data.drop_attrs(deep=False))


def test_a_run_does_not_go_back_nor_invent_what_it_did_not_record(tmp_path):
    dc.train(OF, None, RATE, 20, save_at=[5, 20], checkpoint=tmp_path)
    with pytest.raises(ValueError, match=r"beyond the end asked for \(steps: 20 there, 10 here\)\. Ask for steps=20"):
        dc.train(OF, None, RATE, 10, save_at=[5], checkpoint=tmp_path)
    with pytest.raises(ValueError, match=r"2 saves up to 20; asked for: 2\).*give save_at=\[5, 20, …\]"):
        dc.train(OF, None, RATE, 30, save_at=[5, 15], checkpoint=tmp_path)
    with pytest.raises(ValueError, match="recorded at other steps"):
        dc.train(OF, None, RATE, 40, checkpoint=tmp_path)


@pytest.mark.parametrize("dynamics", [RATE, dc.Online(0.1, batch_size=4, noise=1.0)], ids=["exact", "online"])
def test_stop_and_resume_equals_straight_through_bit_for_bit(tmp_path, dynamics):
    def stopping(student):
        stopping.calls += 1
        if stopping.calls == 4:
            raise KeyboardInterrupt
        return 0.0

    stopping.calls = 0
    common = {"steps": 60, "save_at": dc.log_spaced(12), "key": 7}
    straight = dc.train(OF, None, dynamics, **common, observe={"quiet": lambda s: 0.0})
    first = dc.train(OF, None, dynamics, **common, observe={"quiet": stopping}, checkpoint=tmp_path)
    assert first.status == "interrupted"
    resumed = dc.train(OF, None, dynamics, **common, observe={"quiet": lambda s: 0.0}, checkpoint=tmp_path)
    assert first.data.sizes["step"] < resumed.data.sizes["step"]
    xarray.testing.assert_identical(resumed.data.drop_attrs(), straight.data.drop_attrs())
    assert np.array_equal(resumed.student.key_query, straight.student.key_query)


SCRIPT = """
import sys

import numpy as np

import docendo as dc
import docendo.training.run

docendo.training.run.CHECKPOINT_SECONDS = 0.0  # after every piece, so that there is one to be killed after
folder, steps, out = sys.argv[1:]
of = dc.teachers.random(tokens=6, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
save_at = dc.log_spaced(40)
run = dc.train(of, None, dc.GradientDescent(0.1), steps=int(steps), checkpoint=folder, save_at=save_at)
np.save(out, np.concatenate([np.ravel(run.student.key_query), run.data.excess_loss.values]))
"""


def test_kill_9_at_any_moment_and_resume_is_bit_identical(tmp_path):
    script, folder, steps, rng = tmp_path / "script.py", tmp_path / "checkpoint", "6000000", random.Random(0)
    script.write_text(SCRIPT)
    checkpoint = folder / "checkpoint.npz"

    def command(target, out):
        return [sys.executable, str(script), str(target), steps, str(tmp_path / out)]

    def written():
        return checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0

    subprocess.run(command(tmp_path / "other", "straight.npy"), check=True)
    for _ in range(5):
        before = written()
        process = subprocess.Popen(command(folder, "killed.npy"))
        deadline = time.monotonic() + 60
        while written() == before and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.5))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert not (tmp_path / "killed.npy").exists(), "the run ended before it could be killed: give it more steps"
    subprocess.run(command(folder, "resumed.npy"), check=True)
    assert np.array_equal(np.load(tmp_path / "straight.npy"), np.load(tmp_path / "resumed.npy"))
    assert not list(folder.glob(".docendo-*.tmp"))


def test_nouns_survive_description():
    laws = [dc.inputs.Gaussian(np.eye(3) * 2, np.eye(6), np.ones((3, 6))), dc.inputs.Exponential(centred=True)]
    students = [
        dc.PositionOnly.zeros(OF),
        dc.MultiHead(np.ones((2, 2, 3)), np.ones((2, 6, 6))),
        dc.ContentAttention.zeros(OF),
    ]
    for noun in [OF, *laws, *students, dc.inputs.Empirical(np.ones((2, 3, 6)))]:
        spec, arrays = describe(noun, "noun")
        back = restore(json.loads(json.dumps(spec)), arrays)
        assert repr(back) == repr(noun)
        assert jax.tree.structure(back) == jax.tree.structure(noun)


def test_unknown_types_are_not_made():
    with pytest.raises(ValueError, match="not a type this version of docendo knows"):
        restore({"type": "Popen", "fields": {"args": "true"}}, {})
