"""What the digits say about the paper's Figures 4 and 5."""

from collections.abc import Sequence

import numpy as np

from docendo.experiments.judging import near_finding
from docendo.experiments.mnist_part import Part
from docendo.results import Finding

__all__ = ["findings", "numbers", "summary"]

ACCURACY = 0.71
ACCURACY_MARGIN = 0.1
COSINE = 0.9
FALL = 0.05
FOUND = 0.5
MARGIN = 0.1
BLANK = 0.1
WORDS = {"relu": "ReLU", "leaky_relu": "Leaky ReLU"}


def findings(part: Part) -> list[Finding]:
    """Every claim beside its number."""
    return [_accuracy(part), _loss(part), _cosine(part), _groups(part), _border(part), _background(part)]


def numbers(part: Part) -> dict[str, float]:
    """What else the report shows."""
    cosine = np.asarray(part.run.data.channel_cosine[-1])
    by_channel = {f"{part.name}_cosine_channel_{index}": float(value) for index, value in enumerate(cosine)}
    return {
        f"{part.name}_test_accuracy": part.accuracy,
        f"{part.name}_excess_loss_first": float(part.run.data.excess_loss[0]),
        f"{part.name}_excess_loss_end": float(part.run.data.excess_loss[-1]),
        f"{part.name}_value_cosine": float(part.run.data.value_cosine[-1]),
        f"{part.name}_leakage": float(part.run.data.leakage[-1]),
    } | by_channel


def summary(parts: Sequence[Part], count: int) -> str:
    """The experiment in a few sentences."""
    rights = " and ".join(f"{part.accuracy:.1%} ({WORDS[part.name]})" for part in parts)
    cosine = min(float(part.run.data.channel_cosine[-1].min()) for part in parts)
    inner = " and ".join(f"{_inner(part):.2f} ({WORDS[part.name]})" for part in parts)
    outer = " and ".join(f"{_outer(part):.2f}" for part in parts)
    return (
        f"Of {count:,} digits, the last seventh held out, the networks classify {rights} of these right. Students that "
        f"learn from the hidden layer, from zero, reach a cosine of at least {cosine:.3f} in every channel. A patch "
        f"gets {inner} of the attention due to it from the outputs of its own pooling group, but {outer} in the first "
        "and last row of patches: where patches are background in nearly all images they are alike, and nothing tells "
        "the student which of them to look at."
    )


def _accuracy(part: Part) -> Finding:
    return near_finding(
        f"The network reaches about 71 % test accuracy, {WORDS[part.name]} (Section 5)",
        ACCURACY,
        part.accuracy,
        ACCURACY_MARGIN,
        f"share of {part.tested:,} images held out that are classified right",
        figure="mnist_curves",
    )


def _loss(part: Part) -> Finding:
    loss = np.asarray(part.run.data.excess_loss)
    share = float(loss[-1] / loss[0])
    return Finding(
        f"The training loss falls quickly, {WORDS[part.name]} (Figure 4)",
        None,
        share,
        None,
        None,
        f"loss over all the student's images after {int(part.run.data.step[-1]):,} steps of Adam, as a share of that "
        f"after step {int(part.run.data.step[0])}; agreement means below {FALL:g}",
        "agrees" if share < FALL else "differs",
        figure="mnist_curves",
    )


def _cosine(part: Part) -> Finding:
    cosine = np.asarray(part.run.data.channel_cosine[-1])
    return Finding(
        f"The cosine between W_V and V* rises above 0.9, {WORDS[part.name]} (Figure 4)",
        COSINE,
        float(cosine.mean()),
        float(cosine.min()),
        float(cosine.max()),
        f"mean over the {len(cosine)} channels after {int(part.run.data.step[-1]):,} steps, with the smallest and the "
        f"largest; agreement means that all are above {COSINE:g}",
        "agrees" if cosine.min() > COSINE else "differs",
        figure="mnist_curves",
    )


def _groups(part: Part) -> Finding:
    inner = part.received[1:-1]
    return Finding(
        f"The heat map shows the pooling groups, {WORDS[part.name]} (Figure 5)",
        1.0,
        float(inner.mean()),
        float(inner.min()),
        float(inner.max()),
        "attention that a patch gets from the outputs of its own group, where the teacher's is 1: mean over the "
        "patches without the image's first and last row of them, with the smallest and the largest; agreement means "
        f"that the mean is above {FOUND:g}",
        "agrees" if inner.mean() > FOUND else "differs",
        figure=f"mnist_{part.name}_attention",
    )


def _border(part: Part) -> Finding:
    outer = part.received[[0, -1]]
    return Finding(
        f"… except in its first and last nine rows, the image's border, background, {WORDS[part.name]} (Figure 5)",
        None,
        _outer(part),
        float(outer.min()),
        float(outer.max()),
        f"the same mean over these two rows of patches, with the smallest and the largest, against {_inner(part):.3f} "
        f"between them; agreement means that it is at least {MARGIN:g} lower",
        "agrees" if _outer(part) < _inner(part) - MARGIN else "differs",
        figure=f"mnist_{part.name}_attention",
    )


def _background(part: Part) -> Finding:
    """The same by what decides: patches without ink look alike, so that attention to them is not determined."""
    blank = part.received[part.ink < BLANK]
    inked = part.received[part.ink >= BLANK]
    return Finding(
        f"It is the background that is not found, in whatever row, {WORDS[part.name]}",
        None,
        float(blank.mean()),
        float(blank.min()),
        float(blank.max()),
        f"the same mean over the {len(blank)} patches that are all background in more than {1 - BLANK:.0%} of the "
        f"images, against {inked.mean():.3f} over the {len(inked)} others; agreement means that it is at least "
        f"{MARGIN:g} lower",
        "agrees" if blank.mean() < inked.mean() - MARGIN else "differs",
        figure=f"mnist_{part.name}_attention",
    )


def _inner(part: Part) -> float:
    return float(part.received[1:-1].mean())


def _outer(part: Part) -> float:
    return float(part.received[[0, -1]].mean())
