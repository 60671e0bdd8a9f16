"""Arguments of another type than they should have get a message with something to try, not a traceback of JAX's.

In processes of their own: the tests' type checker would see such arguments first.
"""

import json
import os
import re
import subprocess
import sys

import pytest

SCRIPT = """
import json, sys, warnings
import numpy as np
import docendo as dc
warnings.simplefilter("ignore")
of = dc.teachers.random(tokens=4, sparsity=2, features=3, channels=2, seed=0)
start, rate = dc.PositionOnly.zeros(of), dc.GradientDescent(0.1)
for call in json.loads(sys.argv[1]):
    try:
        said = f"nothing was said, the result is {eval(call)}"
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps(said))
"""

CALLS = {
    "dc.GradientDescent('a')": "learning_rate must be positive and finite, got learning_rate=a. For example",
    "dc.GradientDescent([0.1])": "learning_rate must be positive and finite, got learning_rate=[0.1]",
    "dc.GradientDescent(True)": "learning_rate must be positive and finite, got learning_rate=True",
    "dc.GradientDescent(1j)": "learning_rate must be positive and finite, got learning_rate=1j",
    "dc.GradientDescent(None)": "learning_rate must be positive and finite, got learning_rate=None",
    "dc.Reduced('a')": "learning_rate must be positive and finite, got learning_rate=a",
    "dc.GradientFlow(rtol='fine')": "rtol must be positive and finite, got rtol=fine",
    "dc.Online(0.1, batch_size='4')": "batch_size must be a whole number of at least 1, got '4'",
    "dc.Online(0.1, batch_size=4, noise='loud')": "noise is a standard deviation, finite and not negative, got 'loud'",
    "dc.FiniteSample('5', 0.1)": "n must be a whole number of at least 1, got '5'",
    "dc.FiniteSample(5, 0.1, batch_size=2.0)": "batch_size must be a whole number of at least 1, got 2.0",
    "dc.train(of, None, rate, steps='5')": "steps must be finite and not negative, steps whole, got '5'. Pass steps=",
    "dc.train(of, None, rate, steps=[5])": "steps must be finite and not negative, steps whole, got [5]",
    "dc.train(of, None, dc.GradientFlow(), time='1')": "time must be finite and not negative, steps whole, got '1'",
    "dc.train(start, of, rate, 5)": "teacher is of another kind than train(teacher, student, dynamics, steps) takes: ",
    "dc.train(of, start, start, 5)": "dynamics is of another kind than train(teacher, student, dynamics, steps) takes",
    "dc.train(of, rate, None, 5)": "student is of another kind than",
    "dc.train(of, None, 0.1, 5)": "got 0.1. For example dynamics=dc.GradientDescent(0.1)",
    "dc.train(of, None, rate, 5, inputs='white')": "got 'white'. For example inputs=dc.inputs.Gaussian()",
    "dc.train(of, None, rate, 5, save_at=7)": "save_at is a list of whole steps or dc.log_spaced(n), got 7",
    "dc.train(of, None, rate, 5, save_at='log')": "save_at is a list of whole steps or dc.log_spaced(n), got 'log'",
    "dc.Teacher(np.ones((2, 3)) * 1j, np.eye(4))": "real numbers are wanted, got array([[0.+1.j",
    "dc.Teacher([[1j]], [[1.0]])": "real numbers are wanted, got [[1j]]. Take its real part",
    "dc.Teacher('value', [[1.0]])": "an array of real numbers is wanted, got 'value'",
    "dc.Teacher([[1.0], [2.0, 3.0]], [[1.0]])": "an array of real numbers is wanted, got [[1.0], [2.0, 3.0]]",
    "dc.Teacher(None, [[1.0]])": "an array of real numbers is wanted, got None",
}


def said(calls: list[str], **changes: str) -> list[str]:
    """What each call raises, in one new process."""
    command = [sys.executable, "-c", SCRIPT, json.dumps(calls)]
    done = subprocess.run(command, env=os.environ | changes, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def heard() -> dict[str, str]:
    return dict(zip(CALLS, said(list(CALLS)), strict=True))


@pytest.mark.parametrize(("call", "wanted"), CALLS.items(), ids=CALLS)
def test_each_is_refused_with_a_message(call: str, wanted: str, heard: dict[str, str]) -> None:
    assert heard[call].startswith("ValueError: ")
    assert wanted in heard[call]


def test_a_flow_in_single_precision_says_so_instead_of_shrinking_its_steps_for_ever() -> None:
    calls = ["dc.GradientFlow()", "dc.train(of, None, dc.GradientFlow(rtol=1e-4), time=10.0).status"]
    refused, done = said(calls, DOCENDO_X64="0")
    wanted = "rtol=1e-09 is out of reach in float32, which DOCENDO_X64=0 asks for: at least 1e-05. Unset DOCENDO_X64"
    assert re.fullmatch(f"ValueError: {re.escape(wanted)}.*", refused)
    assert "completed" in done
