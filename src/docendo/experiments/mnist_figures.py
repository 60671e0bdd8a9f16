"""The figures of the digits: curves of both activations, and attention for each."""

from collections.abc import Sequence

import numpy as np

from docendo.experiments.mnist_findings import WORDS
from docendo.experiments.mnist_part import POOL, Part
from docendo.experiments.task import scores
from docendo.figures import Curve, Curves, Figure, Heatmap

__all__ = ["figures"]


def figures(parts: Sequence[Part]) -> list[Figure]:
    """All figures."""
    return [_curves(parts), *(_maps(part) for part in parts)]


def _curves(parts: Sequence[Part]) -> Figure:
    losses, cosines = [], []
    for group, part in enumerate(parts):
        data, word = part.run.data, WORDS[part.name]
        steps, cosine = np.asarray(data.step), np.asarray(data.channel_cosine)
        losses.append(Curve(f"{word}, all images", steps, np.asarray(data.excess_loss), group=group))
        losses.append(Curve(f"{word}, the step's batch", steps, np.asarray(data.batch_loss), "points", group=group))
        bands = {"low": cosine.min(1), "high": cosine.max(1)}
        cosines.append(Curve(f"{word}, mean over channels", steps, cosine.mean(1), group=group, **bands))
    panels = (
        Curves("Training loss", "steps T", "½ mean ‖f*(X) − TF(X)‖²", losses),
        Curves("Direction of the values", "steps T", "cosine by channel", cosines, y_log=False),
    )
    caption = (
        "Figure 4. The loss over all the student's images, exact, with that of the batch at each step; and the cosine "
        "between the rows of W_V and V*, the band spanning the smallest and the largest of the channels."
    )
    return Figure("mnist_curves", "Learning from a network's hidden layer", caption, panels)


def _maps(part: Part) -> Figure:
    high = 1 / POOL**2
    panels = (
        Heatmap("S* of the network", "output i", "token j", np.asarray(part.teacher.scores), "attention", 0.0, high),
        Heatmap("S of the student", "output i", "token j", scores(part.run), "attention", 0.0, high),
        Heatmap("Kept in the own group, by output", "column", "row", part.kept, "attention", 0.0, 1.0),
        Heatmap("Received from the own group, by patch", "column", "row", part.received, "attention", 0.0, 1.0),
        Heatmap("Images with ink there, by patch", "column", "row", part.ink, "share of images", 0.0, 1.0),
    )
    caption = (
        f"Figure 5, {WORDS[part.name]}. First attention between the 81 patches; column i shows where output i looks, "
        "and the first and last nine rows belong to the image's first and last row of patches. Then, on the 9 × 9 "
        "grid of patches: how much of an output's attention stays in its own pooling group, how much a patch gets from "
        "the outputs of its own (both are 1 everywhere for the network), and how often there is ink."
    )
    title = f"Attention on digits, {WORDS[part.name]}"
    return Figure(f"mnist_{part.name}_attention", title, caption, panels, columns=3)
