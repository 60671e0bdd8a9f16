"""Teachers beyond the paper's assumptions against the networks they stand for, written out in NumPy loops."""

import itertools
import re
import sys

import networkx
import numpy as np
import pytest
import scipy.sparse

import docendo as dc

SIZES = {"features": 3, "channels": 2, "seed": 0}


def pooled_by_loops(image, pool, stride, dilation):
    """What an average pooling layer puts out for an image (channels, height, width)."""
    channels, *size = image.shape
    counts = [(n - (p - 1) * d - 1) // s + 1 for n, p, s, d in zip(size, pool, stride, dilation, strict=True)]
    out = np.zeros((channels, *counts))
    for c, i, j in itertools.product(range(channels), *map(range, counts)):
        for a, b in itertools.product(*map(range, pool)):
            out[c, i, j] += image[c, i * stride[0] + a * dilation[0], j * stride[1] + b * dilation[1]]
    return out / (pool[0] * pool[1])


def convolved_by_loops(image, weights, stride, dilation):
    """What a convolution without bias puts out; weights (out, in, height, width)."""
    kernel = weights.shape[2:]
    counts = [
        (n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(image.shape[1:], kernel, stride, dilation, strict=True)
    ]
    out = np.zeros((len(weights), *counts))
    for m, i, j in itertools.product(range(len(weights)), *map(range, counts)):
        for c, a, b in itertools.product(range(len(image)), *map(range, kernel)):
            pixel = image[c, i * stride[0] + a * dilation[0], j * stride[1] + b * dilation[1]]
            out[m, i, j] += weights[m, c, a, b] * pixel
    return out


def repeated(out, stride, grid):
    """Each entry of a layer's output once for every patch of its stride, the last to the end of the grid."""
    rows, columns = (np.minimum(np.arange(n) // s, c - 1) for n, s, c in zip(grid, stride, out.shape[1:], strict=True))
    return out[:, rows][:, :, columns].reshape(len(out), -1)


@pytest.mark.parametrize(
    ("grid", "pool", "stride", "dilation"),
    [
        ((4, 6), (2, 3), None, (1, 1)),
        ((5, 6), (3, 2), (1, 1), (1, 1)),
        ((7, 5), (3, 3), (2, 1), (1, 1)),
        ((6, 7), (2, 2), (1, 2), (3, 2)),
        ((5, 5), (2, 2), None, (2, 2)),
        ((5, 4), (1, 2), (3, 3), (1, 1)),
    ],
)
def test_windows_are_those_of_a_pooling_layer(grid, pool, stride, dilation):
    of = dc.teachers.convolution(grid=grid, pool=pool, stride=stride, dilation=dilation, **SIZES)
    x = np.random.default_rng(0).standard_normal((3, grid[0] * grid[1]))
    features = (np.array(of.value) @ x).reshape(2, *grid)
    wanted = repeated(pooled_by_loops(features, pool, stride or pool, dilation), stride or pool, grid)
    np.testing.assert_allclose(of(x), np.maximum(wanted, 0), rtol=1e-12, atol=1e-14)
    assert of.sparsity == pool[0] * pool[1]


def test_strides_below_the_window_overlap():
    of = dc.teachers.convolution(grid=(1, 4), pool=(1, 3), stride=(1, 1), **SIZES)
    assert [set(np.flatnonzero(column)) for column in np.array(of.scores).T] == [{0, 1, 2}] + [{1, 2, 3}] * 3


@pytest.mark.parametrize(
    ("layout", "order"), [("torch", (0, 1, 2, 3)), ("equinox", (0, 1, 2, 3)), ("flax", (2, 3, 1, 0))]
)
@pytest.mark.parametrize(("stride", "dilation"), [((3, 2), (1, 1)), ((2, 3), (2, 3))])
def test_a_network_becomes_the_teacher_that_computes_it(layout, order, stride, dilation):
    rng = np.random.default_rng(1)
    weights, images = rng.standard_normal((4, 2, 3, 2)), rng.standard_normal((3, 2, 9, 8))
    hidden = np.stack([convolved_by_loops(image, weights, stride, dilation) for image in images])
    grid = hidden.shape[2:]
    of = dc.teachers.from_network(
        weights.transpose(order), layout=layout, grid=grid, pool=(2, 2), stride=(1, 1), kernel=(3, 2)
    )
    tokens = dc.teachers.patches(images, kernel=(3, 2), stride=stride, dilation=dilation)
    wanted = [repeated(np.maximum(pooled_by_loops(one, (2, 2), (1, 1), (1, 1)), 0), (1, 1), grid) for one in hidden]
    np.testing.assert_allclose(of(tokens), wanted, rtol=1e-11, atol=1e-13)
    assert (of.channels, of.features, of.tokens) == (4, 12, grid[0] * grid[1])


def test_weights_and_directions_of_edges():
    a = np.array([[0.0, 2.0, 0.0], [0.0, 3.0, 1.0], [0.5, 0.0, 0.0]])
    looped = a + np.diag([0.25, 0.0, 0.25])
    wanted = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            wanted[j, i] = looped[j, i] / sum(looped[k, i] for k in range(3))
    digraph = networkx.from_numpy_array(a, create_using=networkx.DiGraph)
    for graph in (a, scipy.sparse.csr_array(a), digraph):
        of = dc.teachers.graph_convolution(graph, directed=True, weighted=True, self_loop=0.25, **SIZES)
        np.testing.assert_allclose(of.scores, wanted, rtol=1e-14)
    x = np.random.default_rng(0).standard_normal((3, 3))
    messages = np.stack([sum(wanted[j, i] * x[:, j] for j in range(3)) for i in range(3)], axis=1)
    np.testing.assert_allclose(of(x), np.maximum(np.array(of.value) @ messages, 0), rtol=1e-12, atol=1e-14)


def test_edges_without_weights_keep_their_direction_alone():
    of = dc.teachers.graph_convolution(networkx.DiGraph([(0, 1), (2, 1), (1, 2)]), directed=True, **SIZES)
    # In networkx's own order of nodes, 0, 1, 2.
    np.testing.assert_allclose(of.scores, np.array([[1, 1 / 3, 0], [0, 1 / 3, 1 / 2], [0, 1 / 3, 1 / 2]]), rtol=1e-15)


def test_parallel_and_undirected_edges_add_up():
    graph = networkx.MultiGraph()
    graph.add_weighted_edges_from([(0, 1, 1.0), (1, 0, 2.0), (1, 1, 4.0)])
    of = dc.teachers.graph_convolution(graph, weighted=True, **SIZES)
    np.testing.assert_allclose(of.scores, np.array([[1 / 4, 3 / 7], [3 / 4, 4 / 7]]), rtol=1e-15)


def test_a_support_size_for_each_column():
    of = dc.teachers.random(5, sparsity=[1, 2, 5, 3, 2], **SIZES)
    assert of.support_sizes.tolist() == [1, 2, 5, 3, 2]
    for column, size in zip(np.array(of.scores).T, of.support_sizes, strict=True):
        assert set(column.tolist()) <= {0.0, 1 / size}
    one, each = (dc.teachers.random(5, sparsity=k, **SIZES).scores for k in (2, [2] * 5))
    np.testing.assert_array_equal(one, each)


def test_weights_inside_supports():
    of = dc.teachers.weighted(6, weights=[3, 1, 4], **SIZES)
    for column in np.array(of.scores).T:
        np.testing.assert_allclose(np.sort(column), [0, 0, 0, 1 / 8, 3 / 8, 4 / 8])
    assert len({tuple(column) for column in np.array(of.scores).T}) > 1


def test_decay_with_distance():
    line = np.array(dc.teachers.decaying(5, ratio=0.5, **SIZES).scores)
    for i, j in itertools.product(range(5), range(5)):
        assert line[j, i] == pytest.approx(0.5 ** abs(i - j) / sum(0.5 ** abs(i - k) for k in range(5)), rel=1e-14)
    ring = np.array(dc.teachers.decaying(6, power=2.0, reach=2, ring=True, **SIZES).scores)
    column = np.array([1, 1 / 4, 1 / 9, 0, 1 / 9, 1 / 4])
    for i in range(6):
        np.testing.assert_allclose(ring[:, i], np.roll(column, i) / column.sum(), rtol=1e-14)


def test_a_softmax_of_noise_has_the_logits_it_is_drawn_with():
    of = dc.teachers.softmax_random(60, spread=2.0, **SIZES)
    logits = np.log(np.array(of.scores))
    logits -= logits.mean(0)
    # 3540 independent degrees of freedom: the standard deviation is known to 1.2 %, four times that is allowed.
    assert np.sqrt((logits**2).sum() / (59 * 60)) == pytest.approx(2.0, rel=0.048)
    assert of.sparsity == 60


DENSE = {
    "softmax": lambda: dc.teachers.softmax_random(5, activation=dc.identity, **SIZES),
    "softmax, ReLU": lambda: dc.teachers.softmax_random(5, activation=dc.relu, **SIZES),
    "decaying": lambda: dc.teachers.decaying(5, ratio=0.6, activation=dc.identity, **SIZES),
}


@pytest.mark.parametrize("name", DENSE)
def test_dense_scores_are_reached_exponentially_at_the_rate_of_the_law(name):
    of = DENSE[name]()
    law = dc.universal_law(of)
    assert law.excess_loss == 0 and law.score_error == 0 and law.applies is False
    rate = 0.5 * float(dc.stable_learning_rate(of))
    factor = (1 - rate * law.decay_rate / 2) ** 2
    steps = int(-40 / np.log(factor))
    run = dc.train(of, None, dc.GradientDescent(rate), steps, save_at=[steps - 100, steps])
    # The loss has fallen by about exp(−40); what the next direction adds to its slope is smaller by its own factor.
    slope = np.diff(np.log(run.data.excess_loss.values))[0] / 100
    assert slope == pytest.approx(np.log(factor), rel=0.02)
    assert np.abs(np.log(run.student.scores / of.scores)).max() < 1e-3


def test_dense_scores_are_no_case_of_the_one_over_t_law():
    of = DENSE["softmax"]()
    found = dc.diagnose(of, 0.1, 10**4)
    assert found.seen is False and [reason.name for reason in found.reasons] == ["dense columns"]
    assert "converge exponentially" in found.reasons[0].detail and np.isnan(found.ratio)


def test_unequal_weights_follow_the_one_over_t_law():
    of = dc.teachers.weighted(6, weights=[0.7, 0.3], activation=dc.identity, **SIZES)
    law = dc.universal_law(of)
    assert law.excess_loss == pytest.approx(2 * 6 * 4 / 4)
    run = dc.train(of, None, dc.GradientDescent(0.1), 10**6, save_at=[10**6])
    # Relative corrections are of order (ηT)^(−1/2), here 1/316 times a constant.
    assert 1e5 * run.data.excess_loss[-1].item() == pytest.approx(law.excess_loss, rel=0.03)


WEIGHTS = np.random.default_rng(0).standard_normal((4, 1, 3, 3)).astype(np.float32)
PLACE = {"layout": "torch", "grid": (4, 4), "pool": (2, 2)}


def stored(folder, **tensors):
    numpy = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    path = folder / "model.safetensors"
    numpy.save_file(tensors, path)
    return path


def test_a_network_from_a_file(tmp_path):
    zeros = np.zeros(4, np.float32)
    path = stored(tmp_path, **{"conv.weight": WEIGHTS, "conv.bias": zeros, "fc.weight": np.ones((10, 16))})
    for where in (path, str(path)):
        of = dc.teachers.from_network(where, **PLACE)
        np.testing.assert_array_equal(of.value, WEIGHTS.reshape(4, 9).astype(float))
    named = dc.teachers.from_network(path, name="conv.weight", kernel=(3, 3), **PLACE)
    np.testing.assert_array_equal(named.value, of.value)


def test_a_bias_in_the_file_is_not_lost_silently(tmp_path):
    kernel = WEIGHTS.transpose(2, 3, 1, 0).copy()
    path = stored(tmp_path, **{"params/Conv_0/kernel": kernel, "params/Conv_0/bias": np.array([0, 0.5, -2, 0])})
    flax = PLACE | {"layout": "flax"}
    with pytest.raises(ValueError, match=r"up to 2\. Train it with bias=False, .*drop_bias=True"):
        dc.teachers.from_network(path, **flax)
    of = dc.teachers.from_network(path, drop_bias=True, **flax)
    np.testing.assert_array_equal(of.value, WEIGHTS.reshape(4, 9).astype(float))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is not a safetensors file"),
        (b"PK\x03\x04" + bytes(100), "is not a safetensors file: .*pickled weights may hold code"),
        (b"\x80\x02}q\x00." * 20, "is not a safetensors file"),
    ],
)
def test_files_that_are_something_else(tmp_path, content, reason):
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(str(path)) + " " + reason):
        dc.teachers.from_network(path, **PLACE)


def test_a_file_that_was_cut_off(tmp_path):
    path = stored(tmp_path, weight=WEIGHTS)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match=re.escape(str(path)) + " is not a safetensors file: "):
        dc.teachers.from_network(path, **PLACE)


@pytest.mark.parametrize(
    ("tensors", "name", "reason"),
    [
        ({"fc.weight": np.ones((4, 9))}, None, r"holds no weights of a 2-d convolution.*fc\.weight \(4, 9\)"),
        ({"a.weight": WEIGHTS, "b.weight": WEIGHTS}, None, r"2 arrays with four axes. Say which: name='a\.weight' or"),
        ({"conv1.weight": WEIGHTS}, "conv.weight", r"holds no 'conv\.weight'\. Did you mean 'conv1\.weight'"),
        ({"w": WEIGHTS.astype(np.int32)}, None, r"'w' holds I32, and docendo reads F64.*float32"),
        ({"w": np.where(WEIGHTS > 2, np.nan, np.float32(1))}, None, None),
        ({"w": np.full((1, 1, 2, 2), np.inf)}, None, r"weight must be finite, but weight\[0, 0, 0, 0\] = inf"),
        ({"fc": np.ones((4, 9))}, "fc", r"weights of a convolution have four axes, got shape \(4, 9\)"),
    ],
)
def test_files_that_hold_something_else(tmp_path, tensors, name, reason):
    path = stored(tmp_path, **tensors)
    if reason is None:
        assert dc.teachers.from_network(path, name=name, **PLACE).channels == 4
        return
    with pytest.raises(ValueError, match=reason):
        dc.teachers.from_network(path, name=name, **PLACE)


def test_files_without_the_library_that_reads_them(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(ImportError, match=re.escape('pip install "docendo[safetensors]"')):
        dc.teachers.from_network(tmp_path / "model.safetensors", **PLACE)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dc.teachers.convolution(grid=(4, 4), pool=(3, 3), dilation=(2, 1), **SIZES),
            "span 5, and there are 4",
        ),
        (
            lambda: dc.teachers.convolution(grid=(4, 4), pool=(2, 2), stride=(0, 1), **SIZES),
            r"stride\[0\] must be a whole",
        ),
        (lambda: dc.teachers.convolution(grid=(5, 4), pool=(2, 2), **SIZES), r"does not divide.*stride=\(1, 1\)"),
        (lambda: dc.teachers.patches(np.ones((2, 4, 4)), kernel=(2, 2)), r"images have axes .*got shape \(2, 4, 4\)"),
        (lambda: dc.teachers.patches(np.ones((1, 1, 4, 4)), kernel=(5, 2)), "a window must fit, but 5 rows"),
        (lambda: dc.teachers.random(4, sparsity=[1, 2], **SIZES), "one for each of tokens=4 columns, got 2"),
        (lambda: dc.teachers.random(2, sparsity=[1, 3], **SIZES), "got sparsity=3 > tokens=2"),
        (
            lambda: dc.teachers.random(2, sparsity=[1, 0], **SIZES),
            r"sparsity\[1\] must be a whole number of at least 1",
        ),
        (
            lambda: dc.teachers.weighted(2, weights=[1, 1, 1], **SIZES),
            r"between 1 and tokens=2 numbers, got shape \(3,\)",
        ),
        (lambda: dc.teachers.weighted(3, weights=[1, -1], **SIZES), r"weights\[1\] = -1\. Leave out"),
        (
            lambda: dc.teachers.weighted(3, weights=[1, np.nan], **SIZES),
            r"weights must be finite, but weights\[1\] = nan",
        ),
        (lambda: dc.teachers.decaying(4, **SIZES), "either a ratio or a power, got ratio=None, power=None"),
        (lambda: dc.teachers.decaying(4, ratio=0.5, power=1.0, **SIZES), "either a ratio or a power"),
        (lambda: dc.teachers.decaying(4, ratio=2.0, **SIZES), r"at most 1, got ratio=2\.0\. Try ratio=0\.5"),
        (lambda: dc.teachers.decaying(4, power=-1.0, **SIZES), "power must be positive and finite"),
        (lambda: dc.teachers.decaying(4, ratio=0.5, reach=-1, **SIZES), "reach must be a whole number of at least 0"),
        (lambda: dc.teachers.softmax_random(4, spread=0.0, **SIZES), "spread must be positive"),
        (lambda: dc.teachers.graph_convolution(-np.eye(2), weighted=True, **SIZES), "the edge 0→0 has -1"),
        (
            lambda: dc.teachers.graph_convolution(np.diag([1.0, np.inf]), weighted=True, **SIZES),
            r"graph must be finite, but graph\[1, 1\] = inf",
        ),
        (
            lambda: dc.teachers.graph_convolution(np.triu(np.ones((2, 2)), 1), directed=True, self_loop=0, **SIZES),
            r"no edge comes into node 0\. Add self-loops",
        ),
        (
            lambda: dc.teachers.graph_convolution(np.ones((2, 2)), self_loop=-1.0, **SIZES),
            "self_loop is a weight and not",
        ),
        (
            lambda: dc.teachers.from_network(WEIGHTS, **PLACE | {"layout": "keras"}),
            "'torch', 'equinox', 'flax', got 'keras'",
        ),
        (
            lambda: dc.teachers.from_network(WEIGHTS, kernel=(3, 3), **PLACE | {"layout": "flax"}),
            r"hold \(4, 1\), 3 channels in and 3 out\. Is the layout another",
        ),
        (lambda: dc.teachers.from_network(WEIGHTS[0], **PLACE), r"have four axes, got shape \(1, 3, 3\)"),
        (lambda: dc.teachers.from_network(WEIGHTS, bias=np.ones(3), **PLACE), "one entry per channel, 4, got shape"),
        (lambda: dc.teachers.from_network(WEIGHTS, bias=np.ones(4), **PLACE), "teachers have no bias, .*up to 1"),
        (lambda: dc.teachers.from_network("nowhere.safetensors", **PLACE), r"nowhere\.safetensors is not there"),
        (lambda: dc.teachers.from_network(".", **PLACE), r"\. is a folder"),
    ],
)
def test_rules(call, message):
    with pytest.raises(ValueError, match=message):
        call()
