"""Runs spread over devices: equal to one device's to rounding, in shares, with no device holding a whole S."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import docendo as dc
from docendo.training.sharding import shards, spread, spread_state

DEVICES = 8
# 40 steps, in each of which sums of up to 128 terms are added up in another order: 40 × 10 roundings of 2⁻⁵³, and twice
TOLERANCE = 1e-13
OF = dc.teachers.random(tokens=6, sparsity=2, channels=2, features=3, activation=dc.relu, seed=0)
RATE = dc.GradientDescent(0.1)
CASES = [f"{name} {basis}" for name in ("identity", "relu") for basis in ("unit", "orthogonal", "sinusoidal")]
CASES += ["relu transposed", "relu online, coloured, from zero"]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """What eight virtual devices made of it."""
    program = Path(__file__).parent / "program_over_devices.py"
    environment = os.environ | {
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES}",
        "JAX_PLATFORMS": "cpu",
    }
    command = [sys.executable, str(program), str(tmp_path_factory.mktemp("checkpoint"))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES)
def test_spread_run_equals_the_run_on_one_device(report, case):
    found = report["runs"][case]
    assert found["difference"] <= TOLERANCE
    # at most T times the relative change of the loss in one step, so T times its error and that of the next loss
    assert found["exponents"] <= 2 * 40 * TOLERANCE


def test_every_run_was_compared(report):
    assert sorted(report["runs"]) == sorted(CASES)


@pytest.mark.parametrize("case", CASES)
def test_each_device_holds_its_share_of_the_columns(report, case):
    tokens = 128 if case == "relu transposed" else 24
    assert report["runs"][case]["share"] == [tokens, tokens // DEVICES]
    assert report["runs"][case]["devices"] == [None, DEVICES]


@pytest.mark.parametrize("tokens", [24, 128])
def test_no_program_holds_all_columns(report, tokens):
    for text in report["programs"][str(tokens)]:
        share = tokens // DEVICES
        assert f"[{tokens},{share}]" in text or f"[{share},{tokens}]" in text
        assert f"[{tokens},{tokens}]" not in text
        assert not re.search(r"\b(all-gather|all-to-all|collective-permute)", text)
        assert "all-reduce(" in text


def test_stop_and_resume_equals_straight_through_bit_for_bit(report):
    found = report["resumed"]
    assert found["first"] == "interrupted"
    assert found["saves"][0] < found["saves"][1]
    assert found["same"]


def test_checkpoint_of_other_devices_is_refused(report):
    assert "belongs to another configuration" in report["resumed"]["else"]


def test_columns_that_cannot_be_shared_evenly_are_refused(report):
    assert report["uneven"] == (
        "7 devices must share the columns of scores evenly, and 24 is no multiple of 7. Pass devices=6."
    )


def test_one_device_may_be_named():
    alone, named = (dc.train(OF, None, RATE, steps=5, devices=each) for each in (None, jax.devices()[:1]))
    np.testing.assert_allclose(named.student.key_query, alone.student.key_query, rtol=1e-14)
    assert shards(named.teacher) == 1
    assert spread(1, RATE, OF, None, None, None)[0].scores.sharding.mesh.size == 1


def test_without_devices_nothing_is_moved():
    student = dc.PositionOnly.zeros(OF)
    given = spread(None, RATE, OF, student, dc.inputs.white, None)
    assert all(each is own for each, own in zip(given, (OF, student, dc.inputs.white, None), strict=True))
    state = RATE.start(dc.training.base.Problem(OF, student, dc.inputs.white, None, None))
    assert spread_state(state, OF) is state


@pytest.mark.parametrize(
    ("devices", "message"),
    [
        (9, r"devices=9 are more than the \d there (is|are)\. Pass devices=\d"),
        (0, "devices must be a whole number of at least 1, got 0"),
        ([], r"devices must be different devices, at least one, got \[\]. Try jax.devices\(\)\[:1\]"),
        (2 * jax.devices()[:1], "devices must be different devices, at least one"),
    ],
)
def test_devices_that_are_not_there_are_refused(devices, message):
    with pytest.raises(ValueError, match=message):
        dc.train(OF, None, RATE, steps=5, devices=devices)


@pytest.mark.parametrize(
    ("teacher", "student", "dynamics"),
    [
        (OF, None, dc.GradientFlow()),
        (dc.teachers.symmetric(6, 2, value_norm=1.0), None, dc.Reduced(0.1)),
        (OF, dc.ContentAttention.zeros(OF), dc.Online(0.1, batch_size=4)),
    ],
)
def test_runs_without_columns_to_share_are_refused(teacher, student, dynamics):
    with pytest.raises(ValueError, match=r"devices= spreads the columns of S.*Leave devices= out"):
        dc.train(teacher, student, dynamics, steps=5, devices=1)
