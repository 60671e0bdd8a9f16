"""Independent answers about training, from definitions alone: NumPy, SciPy and mpmath, never docendo.

The full gradient is the plain one, (α+β) q w − … with θ from arccos, and the flow is SciPy's: good to about 1e-9 while
the loss is not small, which is where it is used.
"""

import mpmath
import numpy as np
from scipy.integrate import solve_ivp

from tests import oracles


def two_valued_column(tokens, size, gap):
    """A column of S in mpmath: logits `gap` on the first `size` tokens, 0 on the others."""
    inside, total = mpmath.exp(gap), size * mpmath.exp(gap) + tokens - size
    return [inside / total] * size + [1 / total] * (tokens - size)


def scalar_excess(tokens, sizes, counts, value_norm, slope, c1, gaps):
    """The excess loss at W_V = C1 V*, from the definition, one column per support size times its count."""
    value, total = [[mpmath.mpf(value_norm)]], mpmath.mpf(0)
    for size, count, gap in zip(sizes, counts, gaps, strict=True):
        student = [[entry] for entry in two_valued_column(tokens, size, gap)]
        target = [[mpmath.mpf(1) / size] if j < size else [mpmath.mpf(0)] for j in range(tokens)]
        total += count * oracles.plain_excess([[c1 * value[0][0]]], student, value, target, mpmath.mpf(slope))
    return total


def softmax(logits):
    weights = np.exp(logits - logits.max(0))
    return weights / weights.sum(0)


def gradient(value, logits, target_value, target_scores, slope, features, tokens):
    """∂L/∂W_V and ∂L/∂ℓ; `features` and `tokens` are Σ_d and Σ_D. A zero row of W_V has θ = π/2 and no b/a."""
    alpha, beta = ((1 + slope) / 2) ** 2, ((1 - slope) / 2) ** 2
    s, t, w, v = softmax(logits), target_scores, value, target_value
    q, p, c = (np.einsum("ji,jk,ki->i", *pair) for pair in ((s, tokens, s), (t, tokens, t), (s, tokens, t)))
    ww, vv, wv = (np.einsum("ma,ab,mb->m", *pair) for pair in ((w, features, w), (v, features, v), (w, features, v)))
    a, b = np.sqrt(np.outer(ww, q)), np.sqrt(np.outer(vv, p))
    present = a > 0
    safe = np.where(present, a, 1)
    angle = np.where(present, np.arccos(np.clip(np.outer(wv, c) / (safe * b), -1, 1)), np.pi / 2)
    keep = alpha + beta - 2 * beta / np.pi * np.where(present, b / safe * np.sin(angle), 0)
    turn = alpha + 2 * beta / np.pi * (np.pi / 2 - angle)
    by_value = ((keep @ q)[:, None] * w - (turn @ c)[:, None] * v) @ features
    by_score = tokens @ ((ww @ keep) * s - (wv @ turn) * t)
    return by_value, s * (by_score - (s * by_score).sum(0))


def flow(value, logits, target_value, target_scores, slope, scale, times, features=None, tokens=None, gram=None):
    """Values and logits of the flow at `times`, by SciPy; a start at zero has to be moved off it by the caller."""
    features = np.eye(value.shape[1]) if features is None else features
    tokens = np.eye(len(logits)) if tokens is None else tokens
    gram = np.eye(len(logits)) if gram is None else gram

    def velocity(_, state):
        w, kq = state[: value.size].reshape(value.shape), state[value.size :].reshape(logits.shape)
        by_value, by_logit = gradient(w, kq, target_value, target_scores, slope, features, tokens)
        return -np.concatenate([by_value.ravel(), scale**2 * (gram @ by_logit @ gram).ravel()])

    start = np.concatenate([value.ravel(), logits.ravel()])
    solved = solve_ivp(velocity, (0, times[-1]), start, "LSODA", t_eval=times, rtol=1e-11, atol=1e-12)
    states = solved.y.T
    return states[:, : value.size].reshape(-1, *value.shape), states[:, value.size :].reshape(-1, *logits.shape)
