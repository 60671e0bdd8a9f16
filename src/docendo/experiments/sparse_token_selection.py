"""Sparse token selection: K = 4 of 20 tokens, V* the unit matrix (arXiv 2603.22801, Figures 2 and 3)."""

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.sizes import Synthetic
from docendo.experiments.synthetic import train_task
from docendo.teachers import sparse_token_selection

__all__ = ["run"]


def run(sizes: Synthetic, bench: Bench) -> Outcome:
    """The task."""
    seed = bench.key("teacher")
    teacher = sparse_token_selection(sizes.tokens, sparsity=sizes.sparsity, features=sizes.features, seed=seed)
    return train_task("sparse_token_selection", teacher, sizes, bench)
