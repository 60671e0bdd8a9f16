"""A graph convolution: every node averages its neighbours, itself counted among them."""

from typing import Any

import numpy as np

from docendo.activations import Activation, relu
from docendo.checks import check_memory
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
    seed: Any = None,
) -> Teacher:
    """The graph convolution σ(V* X Â) with Â the column-normalised adjacency, self-loops included.

    The paper (arXiv 2603.22801, Section 2) takes a K-regular graph, K counting the node itself; then all entries of
    a support are 1/K. On other graphs column i has support size degree(i) + 1.

    Args:
        graph: a networkx graph (nodes in its own order), a SciPy sparse adjacency, or a dense one (D, D). Symmetric;
            every non-zero entry is an edge, and self-loops are added where they are missing.
        features: d, when V* is to be drawn.
        channels: M, when V* is to be drawn.
        activation: σ.
        value: V* (M, d); left out, its entries are standard Gaussian.
        regular: insist, as the paper does, that all nodes have the same degree.
        seed: int or JAX key for V*.

    Raises:
        ValueError: not a graph, not symmetric, or not regular although `regular=True` (two degrees named).
    """
    edges = _adjacency(graph)
    np.fill_diagonal(edges, True)
    sizes = edges.sum(axis=0)
    if regular and sizes.min() != sizes.max():
        low, high = sizes.argmin(), sizes.argmax()
        raise ValueError(
            f"regular=True needs equal degrees, but node {low} has {sizes[low] - 1} neighbours and node {high} has "
            f"{sizes[high] - 1}. Drop regular=True to give each column its own support size."
        )
    return Teacher(draw_value(value, channels, features, seed), edges / sizes, activation)


def cycle(tokens: int) -> np.ndarray:
    """The adjacency (D, D) of a cycle: with self-loops K = 3, the paper's cyclic tri-diagonal scores."""
    if tokens < 3:
        raise ValueError(f"a cycle needs at least 3 nodes, got tokens={tokens}. Try tokens=20.")
    check_memory(tokens)
    ring = np.roll(np.eye(tokens, dtype=bool), 1, axis=1)
    return ring | ring.T


def _adjacency(graph: Any) -> np.ndarray:
    """A dense boolean adjacency from whatever describes the graph."""
    if hasattr(graph, "adjacency") and hasattr(graph, "nodes"):
        index = {node: i for i, node in enumerate(graph.nodes)}
        matrix = np.zeros((len(index), len(index)), dtype=bool)
        for one, other in graph.edges:
            matrix[index[one], index[other]] = True
            matrix[index[other], index[one]] |= not graph.is_directed()
    else:
        dense = graph.toarray() if hasattr(graph, "toarray") else np.asarray(graph)
        matrix = np.array(dense != 0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(
            f"graph is a networkx graph or a square adjacency, got something of shape {matrix.shape}. "
            "For example dc.teachers.cycle(20)."
        )
    unpaired = np.argwhere(matrix != matrix.T)
    if unpaired.size:
        j, i = unpaired[0]
        raise ValueError(f"graph must be undirected, but edge {j}→{i} lacks its reverse. Use adjacency | adjacency.T.")
    return matrix
