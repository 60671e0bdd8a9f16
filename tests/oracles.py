"""Independent answers, from definitions alone: NumPy and mpmath, never docendo.

The loss is written straight from a², b², cov and arccos, without any care for cancellation, in as many digits as asked
for; gradients are high-precision central differences of it.
"""

import json
from pathlib import Path

import mpmath
import numpy as np

DATA = Path(__file__).parent / "data"


def cases(name):
    return json.loads((DATA / f"{name}.json").read_text())


def householder(vector):
    v = np.asarray(vector, dtype=float)
    return np.eye(len(v)) - 2 * np.outer(v, v) / (v @ v)


def matrix(rows):
    return np.array(rows, dtype=float)


def softmax_columns(logits):
    weights = [[mpmath.exp(entry) for entry in row] for row in logits]
    sums = [sum(row[i] for row in weights) for i in range(len(weights[0]))]
    return [[row[i] / sums[i] for i in range(len(sums))] for row in weights]


def precise(array):
    """Nested lists of mpmath numbers, exactly the floats of the array."""
    return [[mpmath.mpf(float(entry)) for entry in row] for row in np.asarray(array)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def column(rows, i):
    return [row[i] for row in rows]


def plain_excess(value, scores, teacher_value, teacher_scores, slope):
    """Σ ½[(α+β)(a² + b²) − 2 E σ(z)σ(z*)] in mpmath's current precision; arguments are nested lists of mpf."""
    alpha, beta = ((1 + slope) / 2) ** 2, ((1 - slope) / 2) ** 2
    total = mpmath.mpf(0)
    for w, v in zip(value, teacher_value, strict=True):
        for i in range(len(scores[0])):
            s, t = column(scores, i), column(teacher_scores, i)
            a2, b2, c = dot(w, w) * dot(s, s), dot(v, v) * dot(t, t), dot(w, v) * dot(s, t)
            a, b = mpmath.sqrt(a2), mpmath.sqrt(b2)
            cosine = c / (a * b) if a and b else mpmath.mpf(0)
            angle = mpmath.acos(min(max(cosine, -1), 1))
            pair = (
                a * b * (alpha * cosine + 2 * beta / mpmath.pi * (mpmath.sin(angle) + (mpmath.pi / 2 - angle) * cosine))
            )
            total += ((alpha + beta) * (a2 + b2) - 2 * pair) / 2
    return total


def precise_excess(value, key_query, teacher_value, teacher_scores, slope, scale, digits=60):
    """The excess loss of a student with P = 1, to `digits` digits."""
    with mpmath.workdps(digits):
        logits = [[mpmath.mpf(scale) * entry for entry in row] for row in precise(key_query)]
        scores = softmax_columns(logits)
        return plain_excess(precise(value), scores, precise(teacher_value), precise(teacher_scores), mpmath.mpf(slope))


def monte_carlo_excess(value, scores, teacher_value, teacher_scores, slope, x):
    """The mean of ½‖σ(W X S) − σ(V X S*)‖² over the inputs x (n, d, D), and its standard error; NumPy."""

    def activate(z):
        return np.where(z > 0, z, slope * z)

    gap = activate(value @ x @ scores) - activate(teacher_value @ x @ teacher_scores)
    losses = 0.5 * (gap**2).sum((1, 2))
    return losses.mean(), losses.std(ddof=1) / np.sqrt(len(losses))
