"""Students by other parameters than W_V and W_KQ: scores and gradients against NumPy, training, files, bad input."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import docendo as dc

D, FEATURES, CHANNELS = 4, 3, 2
RNG = np.random.default_rng(0)
P = RNG.standard_normal((3, D))
V = RNG.standard_normal((CHANNELS, FEATURES))


LEAKY = dc.leaky_relu(0.2)


def of(activation=LEAKY):
    return dc.teachers.random(D, sparsity=2, value=V, activation=activation, seed=1)


def students():
    """One of each kind in general position, by name."""
    draw = np.random.default_rng(1).standard_normal
    value = 0.6 * V + 0.4 * draw(V.shape)
    return {
        "factored": dc.FactoredPositionOnly(value, draw((2, 3)), draw((2, 3)), P, 0.7),
        "factored, unit P": dc.FactoredPositionOnly(value, draw((2, D)), draw((2, D))),
        "learned": dc.LearnedPositions(value, draw((3, 3)), P, 0.7),
        "free": dc.FreeTemperature(value, draw((3, 3)), P, 0.7),
        "free, unit P": dc.FreeTemperature(value, draw((D, D)), logit_scale=1.3),
        "relative": dc.RelativePositions(value, draw(2 * D - 1), logit_scale=0.9),
        "clipped": dc.RelativePositions(value, draw(5), tokens=D, logit_scale=0.9),
        "heads": dc.MultiHead(np.stack([value, draw(V.shape)]), draw((2, D, D))),
    }


NAMES = list(students())
# One of each class, where what is tested lies outside the class.
CLASSES = ["factored", "learned", "free", "clipped", "heads"]


def softmax(logits):
    weights = np.exp(logits - logits.max(-2, keepdims=True))
    return weights / weights.sum(-2, keepdims=True)


def numpy_heads(name, student, arrays):
    """Values and scores of all heads from the definitions, with `arrays` in place of the student's trained ones."""
    value = arrays["value"]
    if name == "heads":
        return value, softmax(arrays["key_query"] / np.sqrt(D))
    p = np.eye(D) if name.endswith("unit P") else arrays.get("positions", P)
    if name.startswith("factored"):
        logits = float(student.logit_scale) * (arrays["key"] @ p).T @ (arrays["query"] @ p)
    elif name == "learned":
        logits = 0.7 * p.T @ arrays["key_query"] @ p
    elif name.startswith("free"):
        logits = np.exp(arrays["log_scale"]) * p.T @ arrays["key_query"] @ p
    else:
        reach = (len(arrays["offsets"]) + 1) // 2
        logits = np.empty((D, D))
        for j, i in np.ndindex(D, D):
            logits[j, i] = 0.9 * arrays["offsets"][min(max(i - j, 1 - reach), reach - 1) + reach - 1]
    return value[None], softmax(logits)[None]


def numpy_loss(teacher, values, scores):
    """The excess loss under white Gaussian inputs from a², b², cov and arccos, all pairs of heads among them."""
    v, t, slope = np.array(teacher.value), np.array(teacher.scores), float(teacher.activation.slope)
    alpha, beta = ((1 + slope) / 2) ** 2, ((1 - slope) / 2) ** 2
    a2 = np.einsum("hma,kma,hji,kji->mi", values, values, scores, scores)
    b2 = np.outer((v**2).sum(1), (t**2).sum(0))
    cov = np.einsum("hma,ma,hji,ji->mi", values, v, scores, t)
    ab = np.sqrt(a2 * b2)
    angle = np.arccos(np.clip(cov / ab, -1, 1))
    both = alpha * cov + 2 * beta / np.pi * (ab * np.sin(angle) + (np.pi / 2 - angle) * cov)
    return (0.5 * ((alpha + beta) * (a2 + b2) - 2 * both)).sum()


def numpy_trained(student):
    return {name: np.array(array) for name, array in student.parameters().items()}


@pytest.mark.parametrize("name", NAMES)
def test_scores_and_loss_against_numpy(name):
    student = students()[name]
    values, scores = numpy_heads(name, student, numpy_trained(student))
    for found, wanted in zip(student.heads(), (values, scores), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_allclose(dc.excess_loss(of(), student), numpy_loss(of(), values, scores), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_gradient_against_finite_differences(name):
    """Central differences of NumPy's loss by every entry: with h = 1e-5 their error is about h² + 1e-16/h ≈ 1e-10."""
    student, teacher, h = students()[name], of(), 1e-5
    slopes, arrays = dc.gradient(teacher, student), numpy_trained(student)
    for field, array in arrays.items():
        wanted = np.empty(array.shape)
        for place in np.ndindex(array.shape):
            shift = np.zeros(array.shape)
            shift[place] = h
            up, down = (
                numpy_loss(teacher, *numpy_heads(name, student, arrays | {field: array + sign * shift}))
                for sign in (1, -1)
            )
            wanted[place] = (up - down) / (2 * h)
        np.testing.assert_allclose(getattr(slopes, field), wanted, rtol=1e-7, atol=1e-8)
        assert np.abs(wanted).max() > 1e-4


@pytest.mark.parametrize("name", CLASSES)
def test_descent_follows_the_gradient_and_moves_nothing_else(name):
    student, teacher = students()[name], of()
    run = dc.train(teacher, student, dc.GradientDescent(0.05), steps=3)
    by_hand = student
    for _ in range(3):
        by_hand = jax.tree.map(lambda p, g: p - 0.05 * g, by_hand, dc.gradient(teacher, by_hand))
    for found, wanted in zip(jax.tree.leaves(run.student), jax.tree.leaves(by_hand), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    for field in ("positions", "logit_scale"):
        if field not in student.trained and field in vars(student) and getattr(student, field) is not None:
            np.testing.assert_array_equal(getattr(run.student, field), getattr(student, field))
    scores = np.mean(run.student.heads()[1], axis=0)
    assert run.data.score_error[-1] == pytest.approx(np.linalg.norm(scores - teacher.scores), rel=1e-12)


@pytest.mark.parametrize("name", CLASSES)
def test_online_and_files(name, tmp_path):
    student = students()[name]
    run = dc.train(of(), student, dc.Online(0.02, batch_size=50), steps=20, key=0)
    assert run.status == "completed"
    assert not np.array_equal(run.student.heads()[1], student.heads()[1])
    again = dc.load_run(run.save(tmp_path / "run.nc"))
    assert type(again.student) is type(student) and again.student.tokens == student.tokens
    for field in student.trained:
        assert np.asarray(getattr(again.student, field)).tobytes() == np.asarray(getattr(run.student, field)).tobytes()
    np.testing.assert_array_equal(again.student.heads()[1], run.student.heads()[1])
    np.testing.assert_array_equal(again.start.heads()[1], student.heads()[1])


@pytest.mark.parametrize("name", NAMES)
def test_stacked_and_traced(name):
    student = students()[name]
    stacked = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), student)
    scores = jax.jit(jax.vmap(lambda one: one.heads()[1]))(stacked)
    np.testing.assert_allclose(scores[1], student.heads()[1], rtol=1e-13)
    assert type(student).__name__ in repr(student) and f"tokens={D}" in repr(student)


def test_factors_are_their_product():
    """Same loss as PositionOnly at W_Kᵀ W_Q, and the chain rule's gradients W_Q Gᵀ and W_K G."""
    student, teacher = students()["factored"], of()
    product = student.multiplied()
    np.testing.assert_allclose(product.key_query, np.array(student.key).T @ np.array(student.query), rtol=1e-14)
    np.testing.assert_allclose(dc.excess_loss(teacher, student), dc.excess_loss(teacher, product), rtol=1e-13)
    factors, whole = dc.gradient(teacher, student), dc.gradient(teacher, product)
    np.testing.assert_allclose(factors.value, whole.value, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(factors.key, student.query @ whole.key_query.T, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(factors.query, student.key @ whole.key_query, rtol=1e-10, atol=1e-14)


def test_zero_factors_never_move():
    zero = np.zeros((D, D))
    run = dc.train(of(), dc.FactoredPositionOnly(np.zeros(V.shape), zero, zero), dc.GradientDescent(0.1), steps=50)
    assert not np.any(run.student.key) and not np.any(run.student.query) and np.any(run.student.value)


def test_cross_terms_between_heads():
    """Heads with the same scores are one head with the sum of the values."""
    teacher, key_query = of(), RNG.standard_normal((D, D))
    two = dc.MultiHead(np.stack([0.3 * V, 0.5 * V]), np.stack([key_query, key_query]))
    one = dc.PositionOnly(0.8 * V, key_query)
    np.testing.assert_allclose(dc.excess_loss(teacher, two), dc.excess_loss(teacher, one), rtol=1e-12)


def test_equal_heads_stay_equal_and_random_ones_part():
    teacher, rate = of(), dc.GradientDescent(0.1)
    zero = dc.MultiHead(np.zeros((2, CHANNELS, FEATURES)), np.zeros((2, D, D)))
    alike = dc.train(teacher, zero, rate, steps=1000).student
    np.testing.assert_allclose(alike.scores[0], alike.scores[1], rtol=1e-12)
    assert np.abs(alike.scores[0] - 1 / D).max() > 0.1
    random = dc.MultiHead.random(teacher, heads=2, scale=0.01, seed=0)
    apart = dc.train(teacher, random, rate, steps=1000).student
    before, after = (np.abs(each.scores[0] - each.scores[1]).max() for each in (random, apart))
    assert before < 0.01 and after > 3 * before


def test_a_temperature_held_is_the_usual_student():
    student, teacher = students()["free"], of()
    fixed = dc.PositionOnly(student.value, student.key_query, P, 0.7)
    np.testing.assert_allclose(dc.excess_loss(teacher, student), dc.excess_loss(teacher, fixed), rtol=1e-13)
    np.testing.assert_allclose(
        dc.gradient(teacher, student).key_query, dc.gradient(teacher, fixed).key_query, rtol=1e-10
    )


def test_the_scale_stays_positive_whatever_the_step():
    """A step that carries the logarithm down by 5 leaves a scale e⁻⁵ as large."""
    student = students()["free"]
    moved = student.with_parameters({"log_scale": student.log_scale - 5.0})
    np.testing.assert_allclose(moved.logit_scale, 0.7 * np.exp(-5), rtol=1e-13)


def test_relative_scores_at_other_lengths():
    student = students()["relative"]
    offsets = 0.9 * np.array(student.offsets)
    assert student.at_length(D).heads()[1].tobytes() == student.heads()[1].tobytes()
    np.testing.assert_allclose(
        student.at_length(2).scores, softmax(np.array([[offsets[3], offsets[4]], [offsets[2], offsets[3]]])), rtol=1e-13
    )
    longer = [offsets[3 + min(5 - j, 3)] for j in range(6)]
    np.testing.assert_allclose(student.at_length(6).scores[:, 5], softmax(np.array(longer)[:, None])[:, 0], rtol=1e-13)
    assert student.at_length(9).at_length(D).scores.tobytes() == student.scores.tobytes()


@pytest.mark.parametrize("length", [2, D, 11])
def test_a_window_is_represented_at_every_length(length):
    """Logits 40 above the rest on the window leave out at most D′ e⁻⁴⁰ of a column."""
    offsets = np.where(np.abs(np.arange(2 * D - 1) - D + 1) <= 1, 40.0, 0.0)
    student = dc.RelativePositions(V, offsets, logit_scale=1.0).at_length(length)
    teacher = dc.teachers.window(length, before=1, after=1, value=V)
    np.testing.assert_allclose(student.scores, teacher.scores, atol=length * np.exp(-40), rtol=1e-13)


def test_trained_at_one_length_and_judged_at_another():
    short, long = (dc.teachers.window(size, before=1, after=0, value=V) for size in (5, 12))
    run = dc.train(
        short,
        dc.RelativePositions.zeros(short),
        dc.GradientDescent(0.1),
        steps=4000,
        save_at=[1, 10, 100, 1000, 4000],
        observe={"excess_at_12": lambda student: dc.excess_loss(long, student.at_length(12))},
    )
    assert run.data.excess_at_12[-1] < 0.02 * run.data.excess_at_12[0]
    assert float(dc.excess_loss(long, run.student.at_length(12))) == pytest.approx(float(run.data.excess_at_12[-1]))


def test_informed_starts():
    teacher = of()
    for share in (0.0, 0.5, 1.0):
        start = dc.PositionOnly.informed(teacher, share=share, seed=0)
        cosine = (start.value * V).sum() / np.linalg.norm(V) ** 2
        assert float(cosine) == pytest.approx(share, abs=1e-14)
        assert float(jnp.linalg.norm(start.value)) == pytest.approx(np.linalg.norm(V), rel=1e-14)
        assert not np.any(start.key_query) and start.activation == teacher.activation
    flow = dc.train(teacher, dc.PositionOnly.informed(teacher, share=0.5, seed=0), dc.GradientFlow(), time=1e3)
    assert flow.data.score_error[-1] < 0.3 * flow.data.score_error[0]


RANDOM = {
    "position only": lambda **more: dc.PositionOnly.random(of(), **more),
    "factored": lambda **more: dc.FactoredPositionOnly.random(of(), **more),
    "heads": lambda **more: dc.MultiHead.random(of(), heads=3, **more),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_starts_are_drawn_from_the_seed_and_scaled(name):
    make = RANDOM[name]
    start, twice, other = make(scale=0.1, seed=3), make(scale=0.2, seed=3), make(scale=0.1, seed=4)
    drawn = [np.ravel(array) for array in start.parameters().values()]
    for field, array in start.parameters().items():
        np.testing.assert_allclose(2 * array, twice.parameters()[field], rtol=1e-14)
        assert not np.any(np.isclose(array, other.parameters()[field]))
    # About 30 to 70 entries: four standard errors of a standard deviation are less than half of it.
    assert 0.05 < np.concatenate(drawn).std() < 0.15
    assert not np.allclose(*(part[:4] for part in drawn[-2:]))


@pytest.mark.parametrize("positions", [dc.positions.sinusoidal(D, 6), dc.positions.gaussian(D, 9, seed=0)])
def test_starts_take_encodings_of_any_width(positions):
    width = positions.shape[0]
    starts = [
        dc.PositionOnly.random(of(), seed=0, positions=positions),
        dc.PositionOnly.informed(of(), seed=0, positions=positions),
        dc.FactoredPositionOnly.random(of(), seed=0, positions=positions, inner=2),
        dc.MultiHead.random(of(), seed=0, positions=positions),
        dc.LearnedPositions.zeros(of(), positions),
        dc.FreeTemperature.zeros(of(), positions),
    ]
    for start in starts:
        assert start.tokens == D and start.positions.shape == (width, D)
        assert float(start.logit_scale) == pytest.approx(0.5)
        assert np.isfinite(dc.excess_loss(of(), start))


SQUARE, PAIR = np.ones((D, D)), np.ones((2, D, D))

BAD = {
    "keys and queries of other widths": (
        lambda: dc.FactoredPositionOnly(V, np.ones((2, 4)), np.ones((2, 5))),
        r"query has axes \(inner, width\) with width=4, got width=5 \(shape \(2, 5\)\)",
    ),
    "keys and queries of other lengths": (
        lambda: dc.FactoredPositionOnly(V, np.ones((2, 4)), np.ones((3, 4))),
        r"query has axes \(inner, width\) with inner=2, got inner=3",
    ),
    "heads that disagree": (
        lambda: dc.MultiHead(np.stack([V, V, V]), PAIR),
        r"key_query has axes \(heads, width, width\) with heads=3, got heads=2",
    ),
    "a head that is not square": (
        lambda: dc.MultiHead(np.stack([V, V]), PAIR[:, :3]),
        r"key_query has axes \(heads, width, width\) with width=4, got width=3",
    ),
    "no heads": (lambda: dc.MultiHead.random(of(), heads=0, seed=0), "heads must be a whole number of at least 1"),
    "encodings too wide for heads": (lambda: dc.MultiHead(np.stack([V, V]), PAIR, np.ones((5, D))), "width=4, got wi"),
    "encodings too wide for factors": (
        lambda: dc.FactoredPositionOnly(V, np.ones((2, 3)), np.ones((2, 3)), np.ones((5, D))),
        r"positions has axes \(width, tokens\) with width=3, got width=5",
    ),
    "encodings too wide to learn": (lambda: dc.LearnedPositions(V, SQUARE, np.ones((5, D))), "width=4, got width=5"),
    "encodings too wide beside a temperature": (
        lambda: dc.FreeTemperature(V, SQUARE, np.ones((5, D))),
        "width=4, got width=5",
    ),
    "nothing to learn": (lambda: dc.LearnedPositions(V, SQUARE, None), r"got None\. Pass positions=dc\.positions\.g"),
    "a temperature of zero": (
        lambda: dc.FreeTemperature(V, SQUARE, logit_scale=0.0),
        r"logit_scale must be positive and finite, got logit_scale=0\.0\. For example logit_scale=0\.5",
    ),
    "a negative temperature": (lambda: dc.FreeTemperature(V, SQUARE, logit_scale=-1.0), "must be positive and finite"),
    "negative scales elsewhere": (
        lambda: dc.RelativePositions(V, np.zeros(7), logit_scale=-1.0),
        "logit_scale must be positive and finite",
    ),
    "scale and logarithm that disagree": (
        lambda: dc.FreeTemperature(V, SQUARE, logit_scale=1.0, log_scale=1.0),
        r"exp\(log_scale\) where both are given, got logit_scale=1 and exp\(log_scale\)=2\.71828",
    ),
    "an infinite logarithm": (
        lambda: dc.FreeTemperature(V, SQUARE, log_scale=-np.inf),
        r"logit_scale must be positive and finite, got logit_scale=0\.0",
    ),
    "an even number of distances": (
        lambda: dc.RelativePositions(V, np.zeros(4)),
        r"2R − 1 in all, got 4, which is even\. For 4 tokens: offsets=np\.zeros\(7\)",
    ),
    "no length": (lambda: dc.RelativePositions(V, np.zeros(7)).at_length(0), "tokens must be a whole number"),
    "a length that is no number": (
        lambda: dc.RelativePositions(V, np.zeros(7), tokens=True),
        "whole number .* got True",
    ),
    "an offset that is no number": (lambda: dc.RelativePositions(V, [0, np.nan, 0]), r"offsets\[1\] = nan"),
    "a share above one": (
        lambda: dc.PositionOnly.informed(of(), share=1.5, seed=0),
        r"from 0 to 1, got share=1\.5\. Try share=0\.5",
    ),
    "no other direction": (
        lambda: dc.PositionOnly.informed(dc.teachers.random(D, sparsity=1, value=[[2.0]], seed=0), seed=0),
        r"V\* of one entry leaves no other direction.*share=0\.5\. Take share=1",
    ),
    "a scale of zero": (lambda: dc.PositionOnly.random(of(), scale=0.0, seed=0), "scale must be positive and finite"),
    "no seed": (lambda: dc.MultiHead.random(of(), seed=None), "seed must be an int or a JAX key, got None"),
    "another length": (
        lambda: dc.excess_loss(of(), dc.RelativePositions.zeros(of()).at_length(6)),
        r"share their tokens, got tokens=4 and tokens=6\. A matching start: dc\.RelativePositions\.zeros\(teacher\)",
    ),
    "factors of another length": (
        lambda: dc.excess_loss(of(), dc.FactoredPositionOnly(V, np.ones((1, 6)), np.ones((1, 6)))),
        r"A matching start: dc\.FactoredPositionOnly\.random\(teacher, seed=0\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_flow_names_the_student_it_does_not_move():
    with pytest.raises(ValueError, match=r"its student is a LearnedPositions\. Take .*dc\.GradientDescent\(0\.1\)"):
        dc.train(of(), students()["learned"], dc.GradientFlow(), time=1.0)
