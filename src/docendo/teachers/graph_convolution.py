"""A graph convolution: every node averages its neighbours, itself counted among them.

With A_ji the weight of the edge from j to i, self-loops included, S*_ji = A_ji / Σ_k A_ki: the weights that come into a
node sum to one, so that columns do. Undirected graphs without weights are the paper's case.
"""

from typing import Any

import numpy as np

from docendo.activations import Activation, relu
from docendo.checks import check_finite, check_memory
from docendo.teachers.base import Teacher, draw_value

__all__ = ["cycle", "graph_convolution"]


def graph_convolution(
    graph: Any,
    *,
    features: int | None = None,
    channels: int | None = None,
    activation: Activation = relu,
    value: Any = None,
    regular: bool = False,
    directed: bool = False,
    weighted: bool = False,
    self_loop: float = 1.0,
    seed: Any = None,
) -> Teacher:
    """The graph convolution σ(V* X Â) with Â the column-normalised adjacency, self-loops included.

    The paper (arXiv 2603.22801, Section 2) takes a K-regular graph, K counting the node itself; then all entries of
    a support are 1/K. On other graphs column i has support size degree(i) + 1, counting the edges that come in.

    Args:
        graph: a networkx graph (nodes in its own order), a SciPy sparse adjacency, or a dense one (D, D), whose entry
            (j, i) is the edge from j to i. Non-zero entries are edges; self-loops are added where they are missing.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        regular: insist, as the paper does, that all nodes have the same degree.
        directed: allow edges without their reverse; node i then averages the nodes whose edges come into it.
        weighted: take the entries (in networkx the edges' attribute "weight", 1 where there is none) as weights.
            Otherwise all edges weigh the same.
        self_loop: the weight of a self-loop where a node has none; 0 adds none.
        seed: int or JAX key for V*.

    Raises:
        ValueError: not a graph, not symmetric although `directed` is left out, a weight that is negative or not finite,
            a node that nothing comes into, or not regular although `regular=True` (two degrees named).
    """
    check_finite("self_loop", self_loop)
    if self_loop < 0:
        raise ValueError(f"self_loop is a weight and not negative, got {self_loop}. Try self_loop=1.0.")
    weights = _adjacency(graph, weighted, directed)
    bare = np.diagonal(weights) == 0
    weights[bare, bare] = self_loop
    _check_incoming(weights)
    sizes = (weights > 0).sum(axis=0)
    if regular and sizes.min() != sizes.max():
        low, high = sizes.argmin(), sizes.argmax()
        raise ValueError(
            f"regular=True needs equal degrees, but node {low} has {sizes[low] - 1} neighbours and node {high} has "
            f"{sizes[high] - 1}. Drop regular=True to give each column its own support size."
        )
    return Teacher(draw_value(value, channels, features, seed), weights / weights.sum(axis=0), activation)


def cycle(tokens: int) -> np.ndarray:
    """The adjacency (D, D) of a cycle: with self-loops K = 3, the paper's cyclic tri-diagonal scores."""
    if tokens < 3:
        raise ValueError(f"a cycle needs at least 3 nodes, got tokens={tokens}. Try tokens=20.")
    check_memory(tokens)
    ring = np.roll(np.eye(tokens, dtype=bool), 1, axis=1)
    return ring | ring.T


def _adjacency(graph: Any, weighted: bool, directed: bool) -> np.ndarray:
    """The dense weights of the edges from whatever describes the graph."""
    if hasattr(graph, "adjacency") and hasattr(graph, "nodes"):
        matrix = _of_networkx(graph)
    else:
        matrix = np.array(graph.toarray() if hasattr(graph, "toarray") else graph, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(
            f"graph is a networkx graph or a square adjacency, got something of shape {matrix.shape}. "
            "For example dc.teachers.cycle(20)."
        )
    if weighted:
        _check_weights(matrix)
    else:
        matrix = (matrix != 0).astype(float)
    unpaired = np.argwhere((matrix != 0) != (matrix.T != 0))
    if unpaired.size and not directed:
        j, i = unpaired[0] if matrix[tuple(unpaired[0])] else unpaired[0][::-1]
        raise ValueError(
            f"graph must be undirected, but edge {j}→{i} lacks its reverse. Use adjacency | adjacency.T, or allow "
            "such edges by directed=True."
        )
    return matrix


def _of_networkx(graph: Any) -> np.ndarray:
    index = {node: i for i, node in enumerate(graph.nodes)}
    matrix = np.zeros((len(index), len(index)))
    for one, other, weight in graph.edges(data="weight", default=1.0):
        matrix[index[one], index[other]] += weight
        if not graph.is_directed() and one != other:
            matrix[index[other], index[one]] += weight
    return matrix


def _check_weights(weights: np.ndarray) -> None:
    check_finite("graph", weights)
    negative = np.argwhere(weights < 0)
    if negative.size:
        j, i = negative[0]
        raise ValueError(
            f"weights of edges must not be negative, but the edge {j}→{i} has {weights[j, i]:g}. "
            "Take their sizes: np.abs(adjacency)."
        )


def _check_incoming(weights: np.ndarray) -> None:
    alone = np.flatnonzero(weights.sum(axis=0) == 0)
    if alone.size:
        raise ValueError(
            f"every node averages something, but no edge comes into node {alone[0]}. Add self-loops: self_loop=1.0."
        )
