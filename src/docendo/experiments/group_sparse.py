"""The group-sparse linear predictor: one group of features of 20 decides (arXiv 2603.22801, Figures 2 and 3)."""

from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.sizes import Synthetic
from docendo.experiments.synthetic import train_task
from docendo.teachers import group_sparse

__all__ = ["run"]


def run(sizes: Synthetic, bench: Bench) -> Outcome:
    """The task."""
    teacher = group_sparse(sizes.tokens, features=sizes.features, seed=bench.key("teacher"))
    return train_task("group_sparse", teacher, sizes, bench)
