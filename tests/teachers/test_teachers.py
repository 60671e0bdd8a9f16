"""Each constructor's S* against its definition, and the rules they hold their arguments to."""

import inspect

import jax
import networkx
import numpy as np
import pytest
import scipy.sparse

import docendo as dc

SIZES = {"features": 3, "channels": 2, "seed": 0}


def supports(teacher):
    return [set(np.flatnonzero(column)) for column in np.array(teacher.scores).T]


def test_single_layer():
    of = dc.teachers.single_layer(5, **SIZES)
    np.testing.assert_array_equal(of.scores, np.eye(5))
    x = np.random.default_rng(0).standard_normal((4, 3, 5))
    np.testing.assert_allclose(of(x), np.maximum(np.array(of.value) @ x, 0), rtol=1e-14)


def test_convolution_pools_blocks_of_the_grid():
    of = dc.teachers.convolution(grid=(4, 6), pool=(2, 3), **SIZES)
    x = np.random.default_rng(0).standard_normal((3, 24))
    pooled = (np.array(of.value) @ x).reshape(2, 2, 2, 2, 3).mean((2, 4))
    wanted = np.maximum(np.repeat(np.repeat(pooled, 2, axis=1), 3, axis=2), 0).reshape(2, 24)
    np.testing.assert_allclose(of(x), wanted, rtol=1e-12)
    assert of.sparsity == 6


@pytest.mark.parametrize("form", ["networkx", "sparse", "dense", "cycle"])
def test_graph_convolution_averages_neighbours(form):
    ring = networkx.cycle_graph(6)
    graph = {
        "networkx": ring,
        "sparse": scipy.sparse.csr_array(networkx.to_numpy_array(ring)),
        "dense": networkx.to_numpy_array(ring),
        "cycle": dc.teachers.cycle(6),
    }[form]
    of = dc.teachers.graph_convolution(graph, regular=True, **SIZES)
    assert supports(of) == [{(i - 1) % 6, i, (i + 1) % 6} for i in range(6)]
    assert of.sparsity == 3


def test_irregular_graphs_have_a_support_size_per_node():
    of = dc.teachers.graph_convolution(networkx.star_graph(3), **SIZES)
    assert of.support_sizes.tolist() == [4, 2, 2, 2] and of.sparsity is None
    with pytest.raises(ValueError, match="node 1 has 1 neighbours and node 0 has 3"):
        dc.teachers.graph_convolution(networkx.star_graph(3), regular=True, **SIZES)


def test_graphs_keep_their_node_order_and_given_self_loops():
    graph = networkx.Graph([("b", "a"), ("a", "a")])
    of = dc.teachers.graph_convolution(graph, **SIZES)
    np.testing.assert_array_equal(of.scores, np.full((2, 2), 0.5))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.triu(np.ones((3, 3)), 1), "edge 0→1 lacks its reverse"),
        (np.ones((2, 3)), r"got something of shape \(2, 3\)"),
        (networkx.DiGraph([(0, 1)]), "lacks its reverse"),
    ],
)
def test_graphs_that_are_none(graph, message):
    with pytest.raises(ValueError, match=message):
        dc.teachers.graph_convolution(graph, **SIZES)


def test_sparse_token_selection():
    of = dc.teachers.sparse_token_selection(6, sparsity=2, features=3, seed=1)
    assert len({frozenset(support) for support in supports(of)}) == 1 and of.sparsity == 2
    np.testing.assert_array_equal(of.value, np.eye(3))
    chosen = dc.teachers.sparse_token_selection(6, selected=[4, 1], features=3)
    assert supports(chosen) == [{1, 4}] * 6


def test_group_sparse():
    of = dc.teachers.group_sparse(6, features=3, seed=0)
    assert of.channels == 1 and of.sparsity == 1 and len({frozenset(s) for s in supports(of)}) == 1
    assert supports(dc.teachers.group_sparse(4, features=3, group=2, seed=0)) == [{2}] * 4


def test_patch_association_partitions():
    of = dc.teachers.patch_association(6, sparsity=3, **SIZES)
    blocks = {frozenset(support) for support in supports(of)}
    assert len(blocks) == 2 and set.union(*map(set, blocks)) == set(range(6))
    given = dc.teachers.patch_association(partition=[[0, 3], [1], [2, 4]], **SIZES)
    assert supports(given) == [{0, 3}, {1}, {2, 4}, {0, 3}, {2, 4}]


def test_random_columns_are_drawn_apart():
    of = dc.teachers.random(20, sparsity=3, **SIZES)
    assert of.sparsity == 3 and len({frozenset(support) for support in supports(of)}) > 10
    counts = np.array(dc.teachers.random(200, sparsity=20, **SIZES).scores > 0).sum(1)
    assert abs(counts.mean() - 20) < 1e-9 and counts.std() < 3 * np.sqrt(18)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dc.teachers.random(4, sparsity=5, **SIZES),
            "sparsity must not exceed tokens, got sparsity=5 > tokens=4",
        ),
        (lambda: dc.teachers.random(4, sparsity=0, **SIZES), "sparsity must be a whole number of at least 1, got 0"),
        (lambda: dc.teachers.convolution(grid=(4, 4), pool=(3, 2), **SIZES), "does not divide grid"),
        (lambda: dc.teachers.convolution(grid=(4,), pool=(2, 2), **SIZES), r"grid is a pair"),
        (lambda: dc.teachers.sparse_token_selection(4, sparsity=5, features=2, seed=0), "must not exceed tokens"),
        (lambda: dc.teachers.sparse_token_selection(4, selected=[1, 1], features=2), "selected holds different tokens"),
        (lambda: dc.teachers.sparse_token_selection(4, selected=[4], features=2), "between 0 and 3"),
        (lambda: dc.teachers.sparse_token_selection(4, sparsity=2, seed=0), "needs features"),
        (lambda: dc.teachers.patch_association(6, sparsity=4, **SIZES), "sparsity=4 does not divide tokens=6"),
        (lambda: dc.teachers.patch_association(partition=[[0, 2]], **SIZES), "token 1 appears 0 times"),
        (lambda: dc.teachers.patch_association(partition=[[0, 1], [1]], **SIZES), "token 1 appears 2 times"),
        (lambda: dc.teachers.single_layer(4, features=2), "needs channels, features and seed, got channels=None"),
        (lambda: dc.teachers.single_layer(4, value=np.ones((2, 3)), features=5), "features=5, got features=3"),
        (lambda: dc.teachers.cycle(2), "a cycle needs at least 3 nodes"),
        (lambda: dc.teachers.random(10**6, sparsity=2, **SIZES), r"need about 64000 GB .*dc\.teachers\.symmetric"),
        (lambda: dc.teachers.cycle(10**6), "need about 64000 GB"),
        (lambda: dc.Teacher(np.ones((1, 2)), np.eye(3) * (1 + 1e-6)), r"Try scores / scores\.sum\(axis=0\)"),
        (lambda: dc.Teacher(np.ones((1, 2)), np.array([[0.5, 0.5], [0.2, 0.8]])), r"Try scores\.T, whose columns do"),
    ],
)
def test_rules(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_all_constructors_take_keywords_and_draw_the_same_by_the_same_seed():
    for name in ("single_layer", "random", "patch_association"):
        make = getattr(dc.teachers, name)
        extra = {"sparsity": 2} if "sparsity" in inspect.signature(make).parameters else {}
        one, other = (make(4, **extra, **SIZES) for _ in range(2))
        assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))
        by_key = make(4, **extra, **SIZES | {"seed": jax.random.key(0)})
        assert np.array_equal(one.value, by_key.value)


def test_reprs_name_sizes():
    of = dc.teachers.random(6, sparsity=2, activation=dc.leaky_relu(0.1), **SIZES)
    assert repr(of) == "Teacher(tokens=6, features=3, channels=2, activation=leaky_relu(0.1), sparsity=2)"
    mixed = dc.teachers.graph_convolution(networkx.star_graph(3), **SIZES)
    assert repr(mixed).endswith("sparsity=2..4)")


def test_teachers_are_pytrees_that_may_be_traced():
    of = dc.teachers.random(4, sparsity=2, **SIZES)
    doubled = jax.jit(lambda t: dc.Teacher(2 * t.value, t.scores, t.activation))(of)
    np.testing.assert_allclose(doubled.value, 2 * of.value)
