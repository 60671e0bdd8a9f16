"""Online training: unbiased batches, the same ones however the run is cut, exact losses recorded, and its ends."""

import jax.numpy as jnp
import numpy as np
import optax
import pytest

import docendo as dc

OF = dc.teachers.random(tokens=5, sparsity=2, features=3, channels=2, activation=dc.leaky_relu(0.2), seed=0)
ADAM = dc.Online(optax.adam(0.01), batch_size=4, noise=0.5)


def somewhere():
    """A student far from the teacher and from zero, with positions of its own."""
    rng = np.random.default_rng(1)
    return dc.PositionOnly(
        rng.standard_normal((2, 3)), rng.standard_normal((5, 5)), dc.positions.orthogonal(5, seed=2), 0.7
    )


def moved(run):
    return {name: np.asarray(getattr(run.student, name)) for name in run.student.trained}


@pytest.mark.parametrize("noise", [0.0, 2.0])
def test_the_mean_step_is_the_exact_gradients(noise):
    """One step at rate η from the same start, over independent keys: the mean of (before − after)/η."""
    rate, runs, start = 0.1, 40, somewhere()
    dynamics = dc.Online(rate, batch_size=200, noise=noise)
    steps = [moved(dc.train(OF, start, dynamics, 1, key=key, save_at=[1])) for key in range(runs)]
    exact = dc.gradient(OF, start)
    for name in start.trained:
        slopes = np.stack([(np.asarray(getattr(start, name)) - step[name]) / rate for step in steps])
        error = slopes.std(0, ddof=1) / np.sqrt(runs)
        assert (error < 0.2 * np.abs(np.asarray(getattr(exact, name))).max()).all(), "too few runs to tell"
        # 31 entries with 39 degrees of freedom each: one exceeds 4.5 standard errors once in five hundred such tests.
        assert (np.abs(slopes.mean(0) - np.asarray(getattr(exact, name))) < 4.5 * error).all(), name


def test_noise_widens_the_steps():
    rate, start = 0.1, somewhere()
    spread = {}
    for noise in (0.0, 3.0):
        dynamics = dc.Online(rate, batch_size=50, noise=noise)
        values = [moved(dc.train(OF, start, dynamics, 1, key=key, save_at=[1]))["value"] for key in range(20)]
        spread[noise] = np.std(values, axis=0).mean()
    assert spread[3.0] > 1.5 * spread[0.0]


def test_cut_anywhere_the_run_is_the_same_bit_for_bit():
    ends = [dc.train(OF, None, ADAM, 40, key=3, save_at=cuts) for cuts in ([40], [1, 2, 17, 40], list(range(41)))]
    for other in ends[1:]:
        assert all(np.array_equal(moved(ends[0])[name], value) for name, value in moved(other).items())


def test_batches_differ_from_step_to_step_and_by_key():
    still = dc.Online(1e-12, batch_size=4)
    losses = [dc.train(OF, somewhere(), still, 6, key=key, save_at=list(range(7))).data.batch_loss for key in (0, 1)]
    assert len(np.unique(np.concatenate(losses))) == 14


class Interrupting:
    """A sink that stands for Ctrl-C at one step."""

    def __init__(self, step):
        self.step = step

    def log(self, step, values):
        if step == self.step:
            self.step = None
            raise KeyboardInterrupt

    def close(self):
        raise AssertionError("train must not close a sink it was lent")


def test_stopped_and_resumed_is_straight_through(tmp_path):
    options = {"steps": 30, "key": 5, "save_at": [1, 10, 20, 30]}
    straight = dc.train(OF, None, ADAM, **options)
    stopped = dc.train(OF, None, ADAM, checkpoint=tmp_path, sink=Interrupting(20), **options)
    assert stopped.status == "interrupted" and int(stopped.data.step[-1]) == 20
    resumed = dc.train(OF, None, ADAM, checkpoint=tmp_path, **options)
    assert resumed.status == "completed"
    for name, values in straight.data.data_vars.items():
        np.testing.assert_array_equal(resumed.data[name], values, err_msg=name)
    assert all(np.array_equal(moved(straight)[name], value) for name, value in moved(resumed).items())


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_only_noise_moves_a_student_that_is_the_teacher(noise):
    """K = D: zero logits give S* itself, so without noise every batch has zero loss and zero gradient."""
    teacher = dc.teachers.random(tokens=3, sparsity=3, features=2, channels=2, activation=dc.relu, seed=1)
    run = dc.train(
        teacher, dc.PositionOnly(teacher.value, jnp.zeros((3, 3))), dc.Online(0.1, batch_size=4, noise=noise), 5, key=0
    )
    stayed = np.abs(np.asarray(run.student.value) - np.asarray(teacher.value)).max()
    assert stayed < 1e-14 if noise == 0 else stayed > 1e-3
    batch = float(run.data.batch_loss[-1])
    assert batch < 1e-28 if noise == 0 else 0.1 < batch / (0.5 * 2 * 3) < 3


def test_the_exact_loss_is_recorded_and_not_a_test_sets():
    run = dc.train(OF, None, dc.Online(0.1, batch_size=8, noise=1.0), 20, key=0, test_inputs=dc.inputs.Exponential())
    assert float(run.data.excess_loss[-1]) == pytest.approx(float(dc.excess_loss(OF, run.student)), rel=1e-14)
    assert "sampled_excess_loss" not in run.data
    # A leaky ReLU under an exponential law has no closed form: sampled, with its error, under its own name.
    assert "test_excess_loss" not in run.data
    estimate, error = float(run.data.sampled_test_excess_loss[-1]), float(run.data.sampled_test_excess_loss_stderr[-1])
    other, other_error = dc.sampled_excess_loss(OF, run.student, dc.inputs.Exponential(), key=99, samples=20_000)
    assert 0 < error < 0.1 * estimate
    assert abs(estimate - float(other)) < 5 * np.hypot(error, float(other_error))


def test_a_number_is_plain_descent_and_time_counts_its_rate():
    runs = [dc.train(OF, None, dc.Online(rate, batch_size=8), 9, key=0) for rate in (0.2, optax.sgd(0.2))]
    assert all(np.array_equal(moved(runs[0])[name], value) for name, value in moved(runs[1]).items())
    assert float(runs[0].data.time[-1]) == pytest.approx(1.8)
    assert dc.train(OF, None, ADAM, 3, key=0).data.time[-1] == pytest.approx(0.03, rel=1e-6)


def test_data_are_drawn_from_the_array():
    """One input only: every batch is that input, so that Online is descent on it, whatever the key."""
    x = np.random.default_rng(2).standard_normal((1, 3, 5))
    law = dc.inputs.Empirical(x)
    runs = [dc.train(OF, None, dc.Online(0.05, batch_size=3), 15, inputs=law, key=key) for key in (0, 1)]
    exact = dc.train(OF, None, dc.GradientDescent(0.05), 15, inputs=law)
    for name, value in moved(exact).items():
        for run in runs:
            np.testing.assert_allclose(moved(run)[name], value, rtol=1e-11, atol=1e-13)


def test_content_attention_is_trained_and_its_blocks_recorded():
    start = dc.ContentAttention.zeros(OF, dc.positions.orthogonal(5, seed=1))
    run = dc.train(OF, start, dc.Online(0.05, batch_size=64), 300, key=0)
    assert "excess_loss" not in run.data
    assert float(run.data.sampled_excess_loss[-1]) < 0.8 * float(run.data.sampled_excess_loss[0])
    norms = {name: np.linalg.norm(block) for name, block in run.student.blocks().items()}
    for name, norm in norms.items():
        assert float(run.data.block_norms.sel(block=name)[-1]) == pytest.approx(norm)


def test_what_is_observed_is_recorded():
    observe = {
        "first_entry": lambda student: student.value[0, 0],
        "spread": lambda student: jnp.ptp(student.value, axis=1),
    }
    run = dc.train(OF, None, ADAM, 6, key=0, save_at=[2, 6], observe=observe)
    assert float(run.data.first_entry[-1]) == float(run.student.value[0, 0])
    assert run.data.spread.shape == (2, 2)


def test_an_exploding_run_ends_in_a_status():
    run = dc.train(OF, None, dc.Online(50.0, batch_size=8), 500, key=0, save_at=[1, 500])
    assert run.status in ("diverged", "non_finite")
    assert "try a smaller learning rate or a larger batch_size" in run.status.message
    assert 1 < run.status.at <= 500 and f"step {run.status.at}" in run.status.message
    assert np.isfinite(run.data.excess_loss).all() and int(run.data.step[-1]) == run.status.at - 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dc.Online(0.1, batch_size=0), "batch_size"),
        (lambda: dc.Online(0.1, batch_size=4, noise=-1.0), "noise is a standard deviation, finite and not negative"),
        (lambda: dc.Online(0.1, batch_size=4, noise=float("nan")), "noise is a standard deviation"),
        (lambda: dc.Online(-0.1, batch_size=4), "learning_rate"),
        (lambda: dc.Online("adam", batch_size=4), r"got 'adam'. Try optax.adam\(1e-2\)"),
        (lambda: dc.Online(True, batch_size=4), "got True"),
        (lambda: dc.train(OF, None, dc.Online(0.1, batch_size=4), 5), r"Pass key=0"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
