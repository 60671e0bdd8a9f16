"""Optimizers on the exact gradient: plain descent again, NumPy's momentum and Adam, resuming, and telling apart."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import xarray

import docendo as dc
from docendo.training.updates import as_optimizer, describe_optimizer, fingerprint, first_rate
from tests import oracles_training

ACTIVATIONS = [dc.identity, dc.leaky_relu(0.2)]  # beside ReLU


def teacher(activation=dc.relu):
    return dc.teachers.random(tokens=5, sparsity=2, features=3, channels=2, activation=activation, seed=0)


OF = teacher()


def start(heads=None, positions=None):
    rng = np.random.default_rng(3)
    lead, width = (() if heads is None else (heads,)), 5 if positions is None else positions.shape[0]
    kind = dc.PositionOnly if heads is None else dc.MultiHead
    return kind(rng.standard_normal((*lead, 2, 3)), rng.standard_normal((*lead, width, width)), positions, 0.6)


STARTS = {
    "zero": None,
    "general": start(),
    "orthogonal": start(positions=dc.positions.orthogonal(5, seed=1)),
    "gaussian": start(positions=dc.positions.gaussian(5, 4, seed=1)),
    "heads": start(heads=2),
}


def moved(run):
    return {name: np.asarray(array) for name, array in run.student.parameters().items()}


def agree(found, wanted, tolerance=1e-12):
    for name, array in moved(wanted).items():
        np.testing.assert_allclose(moved(found)[name], array, rtol=0, atol=tolerance * np.abs(array).max())


PAIRS = [*((activation, "general") for activation in ACTIVATIONS), *((dc.relu, name) for name in STARTS)]


@pytest.mark.parametrize(("activation", "name"), PAIRS, ids=repr)
def test_plain_updates_are_gradient_descent(activation, name):
    """To rounding: 40 steps of contractions whose terms are of order one."""
    of, student = teacher(activation), STARTS[name]
    exact = dc.train(of, student, dc.GradientDescent(0.1), 40, save_at=[1, 40])
    found = dc.train(of, student, dc.PopulationOptimizer(optax.sgd(0.1)), 40, save_at=[1, 40])
    agree(found, exact)
    np.testing.assert_allclose(found.data.time, exact.data.time, rtol=1e-14)
    for name in ("excess_loss", "value_error", "score_error"):
        np.testing.assert_allclose(found.data[name], exact.data[name], rtol=1e-11, err_msg=name)
    np.testing.assert_allclose(found.data.local_exponent, exact.data.local_exponent, rtol=1e-8, atol=1e-10)


RNG = np.random.default_rng(5)
ROOT = RNG.standard_normal((5, 5))
LAWS = {
    "correlated": (dc.relu, dc.inputs.Gaussian(np.diag([1.0, 2.0, 0.5]), ROOT @ ROOT.T / 5 + np.eye(5))),
    "with a mean": (dc.identity, dc.inputs.Exponential()),
    "data": (dc.relu, dc.inputs.Empirical(RNG.standard_normal((7, 3, 5)))),
}


@pytest.mark.parametrize(("activation", "law"), LAWS.values(), ids=LAWS)
def test_plain_updates_are_gradient_descent_under_any_law(activation, law):
    of, student = teacher(activation), start()
    exact = dc.train(of, student, dc.GradientDescent(0.05), 30, inputs=law, save_at=[30])
    agree(dc.train(of, student, dc.PopulationOptimizer(0.05), 30, inputs=law, save_at=[30]), exact)


def numpy_run(update, steps):
    """The oracle's gradient put through an update in NumPy; P = 1 and τ = 0.6."""
    student = start()
    parameters = [np.array(student.value), np.array(student.key_query)]
    memory = [np.zeros((2, *part.shape)) for part in parameters]
    for at in range(1, steps + 1):
        value, key_query = parameters
        slopes = oracles_training.gradient(
            value, 0.6 * key_query, np.array(OF.value), np.array(OF.scores), 0.0, np.eye(3), np.eye(5)
        )
        slopes = [slopes[0], 0.6 * slopes[1]]
        for part, kept, slope in zip(parameters, memory, slopes, strict=True):
            part -= update(part, kept, slope, at)
    return parameters


def momentum(part, kept, slope, at):
    kept[0] = 0.9 * kept[0] + slope
    return 0.05 * kept[0]


def adamw(part, kept, slope, at):
    kept[0] = 0.9 * kept[0] + 0.1 * slope
    kept[1] = 0.999 * kept[1] + 0.001 * slope**2
    scaled = kept[0] / (1 - 0.9**at) / (np.sqrt(kept[1] / (1 - 0.999**at)) + 1e-8)
    return 0.02 * (scaled + 0.1 * part)


@pytest.mark.parametrize(
    ("optimizer", "update"),
    [
        (optax.sgd(0.05, momentum=0.9), momentum),
        (optax.adamw(0.02, weight_decay=0.1), adamw),
        (optax.sign_sgd(0.01), lambda part, kept, slope, at: 0.01 * np.sign(slope)),
        (optax.sgd(lambda count: 0.1 / (1 + count)), lambda part, kept, slope, at: 0.1 / at * slope),
    ],
    ids=["momentum", "adamw", "signs", "schedule"],
)
def test_updates_against_numpy(optimizer, update):
    run = dc.train(OF, start(), dc.PopulationOptimizer(optimizer), 25, save_at=[25])
    for found, wanted in zip((run.student.value, run.student.key_query), numpy_run(update, 25), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9)


def test_a_minimizer_that_asks_for_the_loss_gets_it():
    run = dc.train(OF, start(), dc.PopulationOptimizer(optax.lbfgs()), 30, save_at=[0, 30])
    assert run.status != "diverged" and run.data.excess_loss[-1] < 1e-3 * run.data.excess_loss[0]
    assert np.isnan(run.data.time[-1])


def test_the_exponent_is_the_slope_of_the_next_step():
    run = dc.train(OF, None, dc.PopulationOptimizer(optax.adam(0.01)), 51, save_at=[0, 50, 51])
    losses = np.log(run.data.excess_loss.values)
    np.testing.assert_allclose(run.data.local_exponent[1], (losses[2] - losses[1]) / np.log(51 / 50), rtol=1e-8)
    assert np.isnan(run.data.local_exponent[0])


OPTIMIZERS = {
    "adam": optax.adam(0.01),
    "schedule": optax.sgd(optax.cosine_decay_schedule(0.1, 50), momentum=0.5),
    "parts": optax.multi_transform(
        {"slow": optax.sgd(0.01), "fast": optax.adam(0.1)}, {"value": "slow", "key_query": "fast"}
    ),
    "own noise": optax.chain(optax.add_noise(0.1, 0.5, 3), optax.sgd(0.1)),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_stopped_and_resumed_is_straight_through(tmp_path, optimizer):
    def stopping(student):
        stopping.calls += 1
        if stopping.calls == 3:
            raise KeyboardInterrupt
        return 0.0

    stopping.calls = 0
    dynamics, options = dc.PopulationOptimizer(optimizer), {"steps": 40, "save_at": [0, 3, 17, 40]}
    straight = dc.train(OF, None, dynamics, **options, observe={"quiet": lambda student: 0.0})
    first = dc.train(OF, None, dynamics, **options, observe={"quiet": stopping}, checkpoint=tmp_path)
    assert first.status == "interrupted" and int(first.data.step[-1]) < 40
    resumed = dc.train(OF, None, dynamics, **options, observe={"quiet": lambda student: 0.0}, checkpoint=tmp_path)
    xarray.testing.assert_identical(resumed.data.drop_attrs(), straight.data.drop_attrs())
    assert all(np.array_equal(moved(resumed)[name], array) for name, array in moved(straight).items())


def test_different_optimizers_have_different_fingerprints():
    parameters = dc.PositionOnly.zeros(OF).parameters()
    closures = [optax.sgd(optax.piecewise_constant_schedule(0.1, {50: scale})) for scale in (0.5, 0.25)]
    arrays = [
        optax.stateless(lambda updates, _, mask=mask: jax.tree.map(lambda u: -mask[: u.shape[1]] * u, updates))
        for mask in MASKS
    ]
    others = [
        optax.sgd(0.1),
        optax.sgd(np.nextafter(0.1, 1)),
        optax.sgd(0.1, momentum=0.9),
        optax.adam(0.1),
        optax.adam(0.1, b1=0.8),
        optax.adamw(0.1),
        optax.inject_hyperparams(optax.sgd)(learning_rate=0.1),
        optax.inject_hyperparams(optax.sgd)(learning_rate=0.2),
        optax.adagrad(0.1, initial_accumulator_value=0.1),
        optax.adagrad(0.1, initial_accumulator_value=0.2),
        optax.chain(optax.add_noise(0.1, 0.5, 3), optax.sgd(0.1)),
        optax.chain(optax.add_noise(0.1, 0.5, 4), optax.sgd(0.1)),
        *closures,
        *arrays,
    ]
    prints = [fingerprint(as_optimizer(optimizer), parameters) for optimizer in others]
    assert len(set(prints)) == len(prints)
    assert prints[3] == fingerprint(as_optimizer(optax.adam(0.1)), parameters)


MASKS = [jnp.asarray(np.random.default_rng(seed).random(5)) for seed in (0, 1)]


def test_configurations_of_different_optimizers_differ():
    hashes = [
        dc.train(OF, None, dc.PopulationOptimizer(optimizer), 1).data.configuration
        for optimizer in (optax.sgd(0.1), optax.sgd(0.1), optax.sgd(0.1 + 1e-12), optax.adam(0.1))
    ]
    assert hashes[0] == hashes[1] and len(set(hashes)) == 3


@pytest.mark.parametrize(
    ("optimizer", "rate", "words"),
    [
        (0.2, 0.2, "rate=0.2"),
        (optax.sgd(0.1, momentum=0.9), 0.1, "rate=0.1, memory=trace"),
        (optax.adamw(0.02, weight_decay=0.5), 0.02, "rate=0.02, memory=adam"),
        (optax.sgd(optax.linear_schedule(0.1, 0.0, 10)), np.nan, "memory=schedule"),
        (
            optax.multi_transform({"a": optax.sgd(0.1), "b": optax.sgd(0.2)}, {"value": "a", "key_query": "b"}),
            np.nan,
            "",
        ),
        (optax.polyak_sgd(), np.nan, ""),
        (optax.inject_hyperparams(optax.sgd)(learning_rate=0.1), 0.1, "rate=0.1"),
        (optax.inject_hyperparams(optax.sgd)(learning_rate=optax.linear_schedule(0.1, 0.0, 10)), np.nan, ""),
        (optax.masked(optax.sgd(0.1), {"other": True}), np.nan, "optimizer"),
    ],
)
def test_rates_and_words(optimizer, rate, words):
    known = as_optimizer(optimizer)
    assert first_rate(known) == pytest.approx(rate, rel=1e-6, nan_ok=True)
    assert words in describe_optimizer(known)
    assert repr(dc.PopulationOptimizer(optimizer)).startswith(f"PopulationOptimizer({words}")


def test_a_run_is_saved_and_loaded_and_explodes_into_a_status(tmp_path):
    run = dc.train(OF, start(), dc.PopulationOptimizer(1e3), 200)
    assert run.status in ("diverged", "non_finite") and "try a smaller learning rate" in run.status.message
    back = dc.load_run(run.save(tmp_path / "run.nc"))
    assert back.data.attrs["dynamics"] == "PopulationOptimizer(rate=1000)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dc.PopulationOptimizer("adam"), r"got 'adam'. Try optax.adam\(1e-2\)"),
        (lambda: dc.PopulationOptimizer(-0.1), "learning_rate must be positive and finite"),
        (lambda: dc.PopulationOptimizer(None), "got None"),
        (
            lambda: dc.train(OF, dc.ContentAttention.zeros(OF), dc.PopulationOptimizer(0.1), 1),
            r"PopulationOptimizer needs an exact loss.*dc\.Online\(optimizer, batch_size=100\)",
        ),
        (
            lambda: dc.train(
                OF,
                None,
                dc.PopulationOptimizer(optax.multi_transform({"a": optax.sgd(0.1)}, {"other": "a"})),
                1,
            ),
            r"does not take parameters named value and key_query \(.*Labels and masks go by these names",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
