"""A sample drawn once: its gradient against NumPy, its batches, its limit, what is recorded, and resuming."""

import numpy as np
import optax
import pytest
import xarray

import docendo as dc

OF = dc.teachers.random(tokens=5, sparsity=2, features=3, channels=2, activation=dc.leaky_relu(0.2), seed=0)
RNG = np.random.default_rng(1)
START = dc.PositionOnly(
    RNG.standard_normal((2, 3)), RNG.standard_normal((5, 5)), dc.positions.orthogonal(5, seed=2), 0.7
)
X = RNG.standard_normal((6, 3, 5))


def moved(run):
    return {name: np.asarray(array) for name, array in run.student.parameters().items()}


def slope(z):
    return np.where(z > 0, 1.0, 0.2)


def numpy_gradient(value, key_query, x):
    """Backward through ½ mean‖Y − σ(W X S)‖² by hand, noiseless labels."""
    positions, tau = np.array(START.positions), 0.7
    logits = tau * positions.T @ key_query @ positions
    s = np.exp(logits - logits.max(0))
    s /= s.sum(0)
    target = np.array(OF.value) @ x @ np.array(OF.scores)
    z = value @ x @ s
    error = (z * slope(z) - target * slope(target)) * slope(z) / len(x)
    by_value = np.einsum("nmi,ndj,ji->md", error, x, s)
    by_score = np.einsum("nmi,md,ndj->ji", error, value, x)
    by_logit = s * (by_score - (s * by_score).sum(0))
    return by_value, tau * positions @ by_logit @ positions.T


def numpy_descent(batches, rate=0.1):
    value, key_query = np.array(START.value), np.array(START.key_query)
    for batch in batches:
        by_value, by_key_query = numpy_gradient(value, key_query, X[batch])
        value, key_query = value - rate * by_value, key_query - rate * by_key_query
    return {"value": value, "key_query": key_query}


def close(found, wanted):
    return all(np.allclose(found[name], wanted[name], rtol=1e-11, atol=1e-12) for name in wanted)


@pytest.mark.parametrize("given", [X, X.tolist(), dc.inputs.Empirical(X)], ids=["array", "lists", "law"])
def test_full_batches_against_numpy(given):
    run = dc.train(OF, START, dc.FiniteSample(given, 0.1), 12)
    assert close(moved(run), numpy_descent([np.arange(6)] * 12))
    assert len(run.data.attrs["key"]) == 0, "nothing was drawn"


def test_no_key_where_nothing_is_drawn_and_one_where_something_is():
    for dynamics in (
        dc.FiniteSample(6, 0.1),
        dc.FiniteSample(X, 0.1, noise=1.0),
        dc.FiniteSample(X, 0.1, batch_size=2),
    ):
        with pytest.raises(ValueError, match=r"a key is required where something is sampled, here FiniteSample\(n=6"):
            dc.train(OF, START, dynamics, 1)


def test_an_epoch_goes_once_through_the_sample():
    """Of all 90 ways to cut six inputs into three batches, one gives NumPy's descent, and epochs differ in theirs."""
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    epochs = [(p, q, r) for p in pairs for q in pairs for r in pairs if len({*p, *q, *r}) == 6]
    assert len(epochs) == 90
    ends = {epoch: numpy_descent([list(batch) for batch in epoch]) for epoch in epochs}
    seen = []
    for key in range(4):
        run = dc.train(OF, START, dc.FiniteSample(X, 0.1, batch_size=2), 6, key=key, observe=PARAMETERS, save_at=[3, 6])
        (first,) = [epoch for epoch, end in ends.items() if close({n: run.data[n].values[0] for n in end}, end)]
        both = [numpy_descent([list(batch) for batch in (*first, *second)]) for second in epochs]
        (second,) = [epoch for epoch, end in zip(epochs, both, strict=True) if close(moved(run), end)]
        seen += [first, second]
    assert len(set(seen)) > 4


PARAMETERS = {name: lambda student, name=name: getattr(student, name) for name in ("value", "key_query")}


def test_what_does_not_fill_a_batch_waits_for_the_next_epoch():
    """Batches of four from six: one a step, each an epoch of its own."""
    run = dc.train(OF, START, dc.FiniteSample(X, 0.1, batch_size=4), 8, key=0, observe=PARAMETERS, save_at=range(9))
    chosen = []
    for at in range(8):
        before, after = ({name: run.data[name].values[i] for name in PARAMETERS} for i in (at, at + 1))
        steps = {
            batch: numpy_gradient(*before.values(), X[list(batch)])
            for batch in [tuple(sorted({*range(6)} - {a, b})) for a in range(6) for b in range(a)]
        }
        chosen += [
            batch
            for batch, (by_value, _) in steps.items()
            if np.allclose(before["value"] - 0.1 * by_value, after["value"])
        ]
    assert len(chosen) == 8 and len(set(chosen)) > 2
    assert set().union(*chosen) == set(range(6))


def test_many_samples_approach_the_population():
    """The distance to exact descent falls as 1/√n: for a hundred times the sample by ten, here within a factor 2."""
    exact = moved(dc.train(OF, START, dc.GradientDescent(0.1), 20, save_at=[20]))

    def distance(n, key):
        run = moved(dc.train(OF, START, dc.FiniteSample(n, 0.1), 20, key=key, save_at=[20]))
        return sum(((run[name] - exact[name]) ** 2).sum() for name in exact)

    few, many = (np.sqrt(np.mean([distance(n, key) for key in range(6)])) for n in (200, 20_000))
    assert 5 < few / many < 20
    assert many < 0.05


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_labels_and_their_noise(noise):
    """At the teacher (K = D, so that zero logits are S*) the training loss is that of the noise: ½ M D noise²."""
    teacher = dc.teachers.random(tokens=3, sparsity=3, features=2, channels=2, activation=dc.relu, seed=1)
    best = dc.PositionOnly(teacher.value, np.zeros((3, 3)))
    run = dc.train(teacher, best, dc.FiniteSample(1000, 0.1, noise=noise), 50, key=0, save_at=[0, 50])
    first, last = run.data.training_loss.values
    if noise:
        # ½ χ² with 6000 degrees of freedom over 1000: standard deviation ½ √12000 / 1000 = 0.055.
        assert abs(first - 3) < 0.25 and last < first
        assert run.data.excess_loss[-1] > 1e-4, "the noise is learnt as well"
    else:
        assert first < 1e-28 and run.data.excess_loss[-1] < 1e-28


def test_the_population_is_recorded_beside_the_sample():
    run = dc.train(OF, START, dc.FiniteSample(20, 0.1, noise=0.5), 30, key=0, save_at=[30])
    assert float(run.data.excess_loss[-1]) == pytest.approx(float(dc.excess_loss(OF, run.student)), rel=1e-13)
    law = dc.inputs.Gaussian(mean=np.ones((3, 5)))
    given = dc.train(OF, START, dc.FiniteSample(X, 0.1), 30, key=0, inputs=law, test_inputs=dc.inputs.Empirical(X))
    assert "sampled_excess_loss" in given.data
    np.testing.assert_allclose(given.data.training_loss, given.data.test_excess_loss, rtol=1e-12)


def test_the_sample_comes_from_the_law():
    """Of one input only, however often it is drawn: descent on it."""
    law = dc.inputs.Empirical(X[:1])
    exact = dc.train(OF, START, dc.GradientDescent(0.05), 15, inputs=law)
    run = dc.train(OF, START, dc.FiniteSample(9, 0.05, batch_size=4), 15, inputs=law, key=3)
    assert close(moved(run), moved(exact))


def test_other_keys_other_samples():
    losses = {float(dc.train(OF, START, dc.FiniteSample(9, 0.1), 1, key=k).data.training_loss[-1]) for k in range(3)}
    assert len(losses) == 3


def test_content_attention_trains_too():
    start = dc.ContentAttention.zeros(OF, dc.positions.orthogonal(5, seed=1))
    run = dc.train(OF, start, dc.FiniteSample(50, optax.adam(0.01)), 100, key=0)
    assert run.data.training_loss[-1] < 0.5 * run.data.training_loss[0]
    assert "sampled_excess_loss" in run.data


@pytest.mark.parametrize("batch_size", [None, 4], ids=["full", "batches"])
def test_stopped_and_resumed_is_straight_through(tmp_path, batch_size):
    def stopping(student):
        stopping.calls += 1
        if stopping.calls == 3:
            raise KeyboardInterrupt
        return 0.0

    stopping.calls = 0
    dynamics = dc.FiniteSample(10, optax.adam(0.01), batch_size=batch_size, noise=0.5)
    options = {"steps": 41, "key": 5, "save_at": [1, 8, 17, 41]}  # 17 lies within an epoch of two batches
    straight = dc.train(OF, None, dynamics, **options, observe={"quiet": lambda student: 0.0})
    first = dc.train(OF, None, dynamics, **options, observe={"quiet": stopping}, checkpoint=tmp_path)
    assert first.status == "interrupted" and int(first.data.step[-1]) == 8
    resumed = dc.train(OF, None, dynamics, **options, observe={"quiet": lambda student: 0.0}, checkpoint=tmp_path)
    xarray.testing.assert_identical(resumed.data.drop_attrs(), straight.data.drop_attrs())
    assert all(np.array_equal(moved(resumed)[name], array) for name, array in moved(straight).items())


def test_cut_anywhere_the_run_is_the_same_bit_for_bit():
    dynamics = dc.FiniteSample(10, 0.1, batch_size=3)
    ends = [dc.train(OF, None, dynamics, 20, key=3, save_at=cuts) for cuts in ([20], [1, 2, 11, 20], list(range(21)))]
    for other in ends[1:]:
        assert all(np.array_equal(moved(ends[0])[name], value) for name, value in moved(other).items())


def test_configurations_differ_by_sample_optimizer_batch_and_noise():
    kinds = [
        dc.FiniteSample(6, 0.1),
        dc.FiniteSample(X, 0.1),
        dc.FiniteSample(X + 1e-9, 0.1),
        dc.FiniteSample(X, 0.1, batch_size=3),
        dc.FiniteSample(X, 0.1, noise=0.5),
        dc.FiniteSample(X, optax.adam(0.1)),
    ]
    assert len({dc.train(OF, START, kind, 1, key=0).data.configuration for kind in kinds}) == len(kinds)
    assert repr(kinds[3]) == "FiniteSample(n=6, rate=0.1, batch_size=3, noise=0)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dc.FiniteSample(0, 0.1), "n must be a whole number of at least 1, got 0"),
        (lambda: dc.FiniteSample(2.5, 0.1), "n must be a whole number of at least 1, got 2.5"),
        (lambda: dc.FiniteSample(None, 0.1), "n must be a whole number of at least 1, got None"),
        (lambda: dc.FiniteSample(5, 0.1, batch_size=6), r"batch_size=6 > n=5\. Leave it out .*batch_size=2"),
        (lambda: dc.FiniteSample(X, 0.1, batch_size=7), r"batch_size=7 > n=6"),
        (lambda: dc.FiniteSample(5, 0.1, batch_size=0), "batch_size must be a whole number of at least 1, got 0"),
        (lambda: dc.FiniteSample(5, 0.1, noise=-1.0), "noise is a standard deviation, finite and not negative"),
        (lambda: dc.FiniteSample(5, 0.1, noise=np.inf), "noise is a standard deviation.*got inf"),
        (lambda: dc.FiniteSample(5, 0.0), "learning_rate must be positive"),
        (lambda: dc.FiniteSample(5, "adam"), r"Try optax.adam\(1e-2\)"),
        (lambda: dc.FiniteSample(X[0], 0.1), r"array has axes \(inputs, features, tokens\)"),
        (lambda: dc.FiniteSample(X * np.inf, 0.1), "array must be finite"),
        (lambda: dc.train(OF, None, dc.FiniteSample(X[:, :2], 0.1), 1), "features=3, got features=2"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
