"""Figure 1: the full one-layer transformer, trained online on a teacher of the class (arXiv 2603.22801).

Claimed: only the left block of W̃_V, which acts on the content, and the bottom-right block of W̃_KQ, where positions
meet positions, end up large. That is so at the end. Early on it is not: other blocks are as large as these for a while,
which the curves over time show.
"""

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docendo.activations import relu
from docendo.experiments.base import Outcome
from docendo.experiments.bench import Bench
from docendo.experiments.sizes import FullTransformer
from docendo.figures import Curve, Curves, Figure, Heatmap
from docendo.positions import orthogonal
from docendo.results import Finding
from docendo.students.content_attention import ContentAttention
from docendo.teachers import convolution
from docendo.training import Online, Run

__all__ = ["run"]

# By the figure's convention the first of each is the active one.
VALUE_BLOCKS = ("value_content", "value_position")
KEY_QUERY_BLOCKS = (
    "key_query_position_position",
    "key_query_content_content",
    "key_query_content_position",
    "key_query_position_content",
)
SMALL = 0.1


def run(sizes: FullTransformer, bench: Bench) -> Outcome:
    """Train the transformer from zero and look at the norms of its blocks."""
    side, pool = isqrt(sizes.tokens), isqrt(sizes.sparsity)
    teacher = convolution(
        grid=(side, side),
        pool=(pool, pool),
        features=sizes.features,
        channels=sizes.channels,
        activation=relu,
        seed=bench.key("teacher"),
    )
    start = ContentAttention.zeros(teacher, orthogonal(sizes.tokens, seed=bench.key("positions")))
    dynamics = Online(sizes.learning_rate, batch_size=sizes.batch_size, noise=sizes.noise)
    trained = bench.train(
        "full_transformer",
        1.0,
        teacher,
        start,
        dynamics,
        steps=sizes.steps,
        saves=sizes.saves,
        key=bench.key("training"),
    )
    norms = {name: np.asarray(trained.data.block_norms.sel(block=name)) for name in (*VALUE_BLOCKS, *KEY_QUERY_BLOCKS)}
    return Outcome(
        summary=_summary(trained, norms),
        settings=vars(sizes) | {"activation": "relu", "positions": "orthogonal"},
        findings=_findings(trained, norms),
        figures=[_curves(trained, norms), _maps(trained)],
        runs={"full_transformer": trained},
        numbers={name: float(norm[-1]) for name, norm in norms.items()},
    )


Norms = dict[str, NDArray[np.float64]]


def _shares(norms: Norms, blocks: tuple[str, ...]) -> NDArray[np.float64]:
    """The largest inactive block over the active one, at every save at which the active one has moved."""
    inactive = np.max([norms[name] for name in blocks[1:]], axis=0)
    active = norms[blocks[0]]
    return np.divide(inactive, active, out=np.zeros_like(active), where=active > 0)


def _findings(trained: Run, norms: Norms) -> list[Finding]:
    return [
        _end(trained, norms, "W̃_V", VALUE_BLOCKS),
        _end(trained, norms, "W̃_KQ", KEY_QUERY_BLOCKS),
        _early(trained, norms),
    ]


def _end(trained: Run, norms: Norms, matrix: str, blocks: tuple[str, ...]) -> Finding:
    share = float(_shares(norms, blocks)[-1])
    return Finding(
        f"Figure 1: of {matrix} only the block {blocks[0].replace('_', ' ')} ends up large",
        0.0,
        share,
        None,
        None,
        f"Frobenius norm of the largest other block over that of this one ({norms[blocks[0]][-1]:.3g}) after "
        f"{int(trained.data.step[-1])} steps; agreement means below {SMALL:g}",
        "agrees" if share < SMALL else "differs",
        figure="figure_1_norms",
    )


def _early(trained: Run, norms: Norms) -> Finding:
    shares = np.maximum(_shares(norms, VALUE_BLOCKS), _shares(norms, KEY_QUERY_BLOCKS))
    steps = np.asarray(trained.data.step)
    last = int(steps[shares >= SMALL].max(initial=0))
    return Finding(
        "Early in training other blocks are not small (seen here; the paper shows the end only)",
        None,
        float(shares.max()),
        None,
        None,
        "largest ratio of an inactive to the active block over the run, reached at step "
        f"{int(steps[shares.argmax()])}; "
        f"the ratio falls below {SMALL:g} for good after step {last}",
        "agrees" if shares.max() > SMALL else "differs",
        figure="figure_1_norms",
    )


def _summary(trained: Run, norms: Norms) -> str:
    others = max(float(norms[name][-1]) for name in (*VALUE_BLOCKS[1:], *KEY_QUERY_BLOCKS[1:]))
    return (
        f"After {int(trained.data.step[-1])} online steps the active blocks have norms "
        f"{norms[VALUE_BLOCKS[0]][-1]:.3g} (values) and {norms[KEY_QUERY_BLOCKS[0]][-1]:.3g} (key–query); the "
        "largest of "
        f"the others has {others:.3g}. On the way there the largest inactive block of the values reached "
        f"{norms[VALUE_BLOCKS[1]].max():.3g}."
    )


def _curves(trained: Run, norms: Norms) -> Figure:
    steps = np.asarray(trained.data.step)

    def panel(title: str, prefix: str, blocks: tuple[str, ...]) -> Curves:
        labels = [name.removeprefix(prefix).replace("_", " × ") for name in blocks]
        curves = [Curve(labels[i], steps, norms[name], group=i) for i, name in enumerate(blocks)]
        return Curves(title, "steps T", "Frobenius norm", curves)

    panels = (panel("Blocks of W̃_V", "value_", VALUE_BLOCKS), panel("Blocks of W̃_KQ", "key_query_", KEY_QUERY_BLOCKS))
    caption = (
        "Norms of all blocks over time. Left: the block acting on the content and the one acting on positions. "
        "Right: row "
        "block × column block. Only one block of each ends up large; early on the others are not small."
    )
    return Figure("figure_1_norms", "Blocks of the full transformer over time", caption, panels)


def _maps(trained: Run) -> Figure:
    student: Any = trained.student
    panels = (
        Heatmap("W̃_V", "content, then position", "channel m", np.asarray(student.value), "weight", diverging=True),
        Heatmap(
            "W̃_KQ",
            "content, then position",
            "content, then position",
            np.asarray(_in_position_basis(student)),
            "weight",
            diverging=True,
        ),
    )
    caption = (
        f"The weights at the end. The first {student.features} rows and columns belong to the content, the others to "
        "positions; these are shown in the basis of the positional encodings, Pᵀ(·)P, where the teacher's blocks show."
    )
    return Figure("figure_1_maps", "Weights of the full transformer", caption, panels)


def _in_position_basis(student: Any) -> NDArray[np.float64]:
    """W̃_KQ with its position rows and columns expressed by the tokens they encode."""
    d, positions = student.features, np.asarray(student.positions)
    basis = np.block([[np.eye(d), np.zeros((d, positions.shape[1]))], [np.zeros((positions.shape[0], d)), positions]])
    return basis.T @ np.asarray(student.key_query) @ basis
