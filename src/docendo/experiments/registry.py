"""The experiments, in the order of the paper, and what lies beyond it."""

from dataclasses import replace
from typing import Any

from docendo.experiments.base import Experiment
from docendo.experiments.beyond import BEYOND
from docendo.experiments.sizes import Digits, FullTransformer, Synthetic, Theory

__all__ = ["EXPERIMENTS"]

_FIGURES = "Figures 2 and 3"


def _quick(sizes: Synthetic, **changes: Any) -> Synthetic:
    """Fewer steps, but larger ones, so that online descent gets past its first plateau."""
    return replace(sizes, **{"steps": 10**5, "online_steps": 2000, "saves": 60, "batches": 16} | changes)


_CONVOLUTION = Synthetic(tokens=36, sparsity=4, features=8, channels=8, learning_rate=0.1)
_GRAPH = Synthetic(tokens=20, sparsity=3, features=8, channels=4, learning_rate=0.1)
_SELECTION = Synthetic(tokens=20, sparsity=4, features=4, channels=4, learning_rate=0.1, online_steps=30_000)
_GROUP = Synthetic(tokens=20, sparsity=1, features=8, channels=1, learning_rate=0.05)

_RESCALED = "theorem-3.1 with logit_scale"
_THEORY = Theory(("theorem-3.1", "theorem-3.2", "decomposition", "scalar-limits", "law", _RESCALED))
_QUICK_CARDS = ("theorem-3.1", _RESCALED)

EXPERIMENTS = (
    Experiment(
        "figure_1",
        "The full transformer finds position-only attention",
        "Figure 1",
        "docendo.experiments.figure_1:run",
        FullTransformer(),
        FullTransformer(learning_rate=0.05, steps=6000, saves=40),
        seconds=40,
    ),
    Experiment(
        "convolution_relu",
        "Convolution and average pooling, ReLU",
        _FIGURES,
        "docendo.experiments.convolution:relu_task",
        _CONVOLUTION,
        _quick(_CONVOLUTION, learning_rate=0.2),
        seconds=60,
    ),
    Experiment(
        "convolution_leaky_relu",
        "Convolution and average pooling, Leaky ReLU",
        _FIGURES,
        "docendo.experiments.convolution:leaky_relu_task",
        _CONVOLUTION,
        _quick(_CONVOLUTION, learning_rate=0.2),
        seconds=60,
    ),
    Experiment(
        "graph_convolution_relu",
        "Graph convolution on a cycle, ReLU",
        _FIGURES,
        "docendo.experiments.graph_convolution:relu_task",
        _GRAPH,
        _quick(_GRAPH, learning_rate=0.2),
        seconds=30,
    ),
    Experiment(
        "graph_convolution_leaky_relu",
        "Graph convolution on a cycle, Leaky ReLU",
        _FIGURES,
        "docendo.experiments.graph_convolution:leaky_relu_task",
        _GRAPH,
        _quick(_GRAPH, learning_rate=0.2),
        seconds=30,
    ),
    Experiment(
        "sparse_token_selection",
        "Sparse token selection",
        _FIGURES,
        "docendo.experiments.sparse_token_selection:run",
        _SELECTION,
        _quick(_SELECTION, learning_rate=0.2, online_steps=5000),
        seconds=35,
    ),
    Experiment(
        "group_sparse",
        "Group-sparse linear predictor",
        _FIGURES,
        "docendo.experiments.group_sparse:run",
        _GROUP,
        _quick(_GROUP),
        seconds=25,
    ),
    Experiment(
        "mnist",
        "Handwritten digits: a two-layer network as the teacher",
        "Figures 4 and 5",
        "docendo.experiments.mnist:run",
        Digits(),
        Digits(epochs=5, images=1000, steps=1500, saves=30),
        seconds=55,
        needs_digits=True,
    ),
    Experiment(
        "theory",
        "Theorem by theorem",
        "Theorems 3.1 and 3.2",
        "docendo.experiments.theory:run",
        _THEORY,
        replace(_THEORY, cards=_QUICK_CARDS, over=("D=8..128", "K=1,2", "V=2,8", "eta=0.1,0.2"), steps=10**5, saves=60),
        seconds=90,
    ),
    *BEYOND,
)
