"""How runs end: stalled, diverged, non-finite, interrupted; at which step, and what the message advises."""

import jax.numpy as jnp
import numpy as np
import pytest

import docendo as dc
from docendo.training.status import judge_end


def teacher(**changes):
    sizes = {"tokens": 8, "sparsity": 2, "features": 4, "channels": 3} | changes
    return dc.teachers.random(**sizes, activation=dc.relu, seed=0)


def test_completed():
    run = dc.train(teacher(), None, dc.GradientDescent(0.1), steps=500)
    assert run.status == "completed" and run.status.at == 500
    assert run.data.attrs["status"] == "completed"


def test_above_the_limit_it_warns_runs_and_ends_stalled_with_the_limit():
    of = teacher()
    limit = dc.stable_learning_rate(of)
    with pytest.warns(UserWarning, match="at or above the stability limit"):
        run = dc.train(of, None, dc.GradientDescent(1.5 * limit), steps=20_000)
    assert run.status == "stalled"
    assert f"stability limit near the teacher is {limit:.6g}" in run.status.message


@pytest.mark.filterwarnings("ignore:learning_rate")
def test_divergence_names_its_first_step_and_the_record_ends_before_it():
    of = teacher()
    run = dc.train(of, None, dc.GradientDescent(12.0), steps=10**5, save_at=range(50))
    assert run.status == "diverged"
    step = int(run.status.at)
    assert f"at step {step}" in run.status.message
    assert int(run.data.step[-1]) == step - 1
    assert np.isfinite(run.data.excess_loss).all()
    first = float(dc.excess_loss(of, dc.PositionOnly.zeros(of)))
    assert float(run.data.excess_loss[-1]) <= 1e3 * first
    by_hand = dc.PositionOnly.zeros(of)
    losses = []
    for _ in range(step):
        slopes = dc.gradient(of, by_hand)
        moved = {name: getattr(by_hand, name) - 12.0 * getattr(slopes, name) for name in ("value", "key_query")}
        by_hand = by_hand.with_parameters(moved)
        losses.append(float(dc.excess_loss(of, by_hand)))
    assert losses[-1] > 1e3 * first >= max(losses[:-1])


@pytest.mark.filterwarnings("ignore:learning_rate")
def test_a_run_that_diverges_at_once_still_has_its_start_on_record():
    run = dc.train(teacher(), None, dc.GradientDescent(1e9), steps=50)
    assert run.status == "diverged" and run.status.at == 1
    assert run.data.step.values.tolist() == [0] and float(run.data.excess_loss[0]) > 0


@pytest.mark.filterwarnings("ignore:learning_rate")
def test_non_finite():
    of = teacher()
    huge = dc.PositionOnly.zeros(of).with_parameters({"value": 1e200 * jnp.ones((3, 4))})
    run = dc.train(of, huge, dc.GradientDescent(0.1), steps=10)
    assert run.status == "non_finite"
    assert "not finite at step" in run.status.message


def test_a_flat_end_at_a_large_loss_is_a_stall():
    """Correlated tokens whose first step moves W_V along −V*: the loss settles at a positive constant."""
    scores = np.zeros((4, 4))
    scores[0] = 1
    mixing = np.array([[-0.5, 0.5, 0, 0, 0], [1, 0, 0.3, 0, 0], [1, 0, 0, 0.3, 0], [1, 0, 0, 0, 0.3]])
    law = dc.inputs.Gaussian(token_covariance=mixing @ mixing.T)
    of = dc.Teacher(np.eye(2), scores, dc.identity)
    run = dc.train(of, None, dc.GradientDescent(0.1), steps=10**5, inputs=law)
    assert run.status == "stalled" and "no longer moves" in run.status.message


def test_ctrl_c_gives_the_run_so_far():
    calls = []

    def interrupting(student):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return 0.0

    run = dc.train(
        teacher(), None, dc.GradientDescent(0.1), steps=100, save_at=[1, 2, 3, 4], observe={"watch": interrupting}
    )
    assert run.status == "interrupted" and run.status.at == 3
    assert run.data.step.values.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("curve", "oscillates", "flat"),
    [
        (lambda t: 1 / t, False, False),
        (lambda t: 1 + 0 * t, False, True),
        (lambda t: 1 / t + 0.5 + 0.2 * np.sin(t), True, False),
        (lambda t: np.exp(-t / 50), False, False),
        (lambda t: np.maximum(1 / t**12, 1e-30 * (2 + np.sin(t))), False, False),
    ],
)
def test_the_rules_on_known_curves(curve, oscillates, flat):
    clock = np.geomspace(1, 1000, 60)
    assert judge_end(clock, curve(clock)) == (oscillates, flat)
