"""Figure 1: the full one-layer transformer, trained online on a teacher of the class (arXiv 2603.22801).

Claimed: only the left block of W̃_V, which acts on the content, and the bottom-right block of W̃_KQ, where positions
meet positions, end up large. That is so at the end. Early on it is not: other blocks are as large as these for a while,
which the curves over time show.
"""

from math import isqrt

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
WORDS = {
    "value_content": "on content",
    "value_position": "on positions",
    "key_query_position_position": "position × position",
    "key_query_content_content": "content × content",
    "key_query_content_position": "content × position",
    "key_query_position_content": "position × content",
}
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


def _largest_other(norms: Norms, blocks: tuple[str, ...]) -> NDArray[np.float64]:
    return np.max([norms[name] for name in blocks[1:]], axis=0)


def _shares(norms: Norms, blocks: tuple[str, ...]) -> NDArray[np.float64]:
    """The largest inactive block over the active one, at every save at which the active one has moved."""
    active = norms[blocks[0]]
    return np.divide(_largest_other(norms, blocks), active, out=np.zeros_like(active), where=active > 0)


def _findings(trained: Run, norms: Norms) -> list[Finding]:
    return [
        _end(trained, norms, "W̃_V", VALUE_BLOCKS),
        _end(trained, norms, "W̃_KQ", KEY_QUERY_BLOCKS),
        _early(trained, norms, "W̃_V", VALUE_BLOCKS),
        _early(trained, norms, "W̃_KQ", KEY_QUERY_BLOCKS),
    ]


def _end(trained: Run, norms: Norms, matrix: str, blocks: tuple[str, ...]) -> Finding:
    share = float(_shares(norms, blocks)[-1])
    return Finding(
        f"Of {matrix} only the block {WORDS[blocks[0]]} ends up large (Figure 1)",
        0.0,
        share,
        None,
        None,
        f"Frobenius norm of the largest other block, {_largest_other(norms, blocks)[-1]:.3g}, over that of this one, "
        f"{norms[blocks[0]][-1]:.3g}, after {int(trained.data.step[-1]):,} steps; agreement means below {SMALL:g}",
        "agrees" if share < SMALL else "differs",
        figure="figure_1_norms",
    )


def _early(trained: Run, norms: Norms, matrix: str, blocks: tuple[str, ...]) -> Finding:
    shares, steps = _shares(norms, blocks), np.asarray(trained.data.step)
    last = int(steps[shares >= SMALL].max(initial=0))
    until = f"is at least {SMALL:g} up to step {last:,}" if last else f"is below {SMALL:g} throughout"
    return Finding(
        f"The other blocks of {matrix} are small all along (suggested by leaving them out, not claimed in the paper)",
        0.0,
        float(shares.max()),
        None,
        None,
        f"the same ratio at its largest, at step {int(steps[shares.argmax()]):,}; it {until}; agreement means below "
        f"{SMALL:g} throughout",
        "agrees" if shares.max() < SMALL else "differs",
        figure="figure_1_norms",
    )


def _summary(trained: Run, norms: Norms) -> str:
    values, key_query = _largest_other(norms, VALUE_BLOCKS), _largest_other(norms, KEY_QUERY_BLOCKS)
    steps = np.asarray(trained.data.step)
    return (
        f"After {int(steps[-1]):,} online steps the block of W̃_V that acts on the content has norm "
        f"{norms[VALUE_BLOCKS[0]][-1]:.3g}, the block of W̃_KQ between positions {norms[KEY_QUERY_BLOCKS[0]][-1]:.3g}; "
        f"the largest of the others has {max(values[-1], key_query[-1]):.3g}. On the way there the value block that "
        f"acts on positions reached {values.max():.3g} (step {int(steps[values.argmax()]):,}), and another block of "
        f"W̃_KQ {key_query.max():.3g} (step {int(steps[key_query.argmax()]):,})."
    )


def _curves(trained: Run, norms: Norms) -> Figure:
    steps = np.asarray(trained.data.step)
    losses = [Curve("on a fixed sample", steps, np.asarray(trained.data.sampled_excess_loss), "points")]

    def panel(title: str, blocks: tuple[str, ...]) -> Curves:
        # After the first step W̃_KQ is still zero, which a logarithmic axis cannot show.
        moved = np.min([norms[name] for name in blocks], axis=0) > 0
        curves = [Curve(WORDS[name], steps[moved], norms[name][moved]) for name in blocks]
        return Curves(title, "steps T", "Frobenius norm", curves)

    panels = (
        panel("Blocks of W̃_V", VALUE_BLOCKS),
        panel("Blocks of W̃_KQ", KEY_QUERY_BLOCKS),
        Curves("Excess loss", "steps T", "excess loss", losses),
    )
    caption = (
        "Norms of all blocks of the full transformer over time, and its excess loss. In the end one block of each "
        "matrix is large; early on others are not small."
    )
    return Figure("figure_1_norms", "Blocks of the full transformer over time", caption, panels, columns=3)


def _maps(trained: Run) -> Figure:
    student = trained.student
    if not isinstance(student, ContentAttention):
        raise ValueError(f"Figure 1 needs attention that sees the content, got {student!r}. Run the experiment again.")
    axis = f"content 0–{student.features - 1}, then positions"
    panels = tuple(
        Heatmap(title, axis, rows, np.asarray(values), "weight", diverging=True)
        for title, rows, values in (
            ("W̃_V", "channel m", student.value),
            ("W̃_KQ", axis, student.key_query),
            ("W̃_KQ, positions by token", axis, _by_token(student)),
        )
    )
    caption = (
        f"Figure 1. The weights at the end; the first {student.features} rows and columns belong to the content, the "
        f"others to positions. Right: the same W̃_KQ with its position rows and columns turned into tokens, Pᵀ(·)P, "
        "where the teacher's groups show."
    )
    return Figure("figure_1_maps", "Weights of the full transformer", caption, panels, columns=3)


def _by_token(student: ContentAttention) -> NDArray[np.float64]:
    """W̃_KQ with its position rows and columns expressed by the tokens they encode."""
    content, positions = np.eye(student.features), np.asarray(student.positions)
    basis = np.block(
        [
            [content, np.zeros((student.features, student.tokens))],
            [np.zeros((len(positions), student.features)), positions],
        ]
    )
    return basis.T @ np.asarray(student.key_query) @ basis
