"""What every contender is given: a teacher, a start in general position, a learning rate; as NumPy arrays."""

from dataclasses import dataclass, field

import numpy as np

SIZES = {8: (8, 16), 32: (8, 16), 128: (8, 16), 512: (32, 64)}
"""Tokens D → channels M and features d."""

ACTIVATIONS = ("identity", "relu")
SPARSITY = 4
LEARNING_RATE = 0.01


@dataclass(frozen=True)
class Problem:
    """Teacher V* (M, d) and S* (D, D), start W_V and W_KQ, and η. P is the unit matrix and τ = 1/√D."""

    activation: str
    value: np.ndarray = field(repr=False)
    scores: np.ndarray = field(repr=False)
    start_value: np.ndarray = field(repr=False)
    start_key_query: np.ndarray = field(repr=False)
    learning_rate: float = LEARNING_RATE

    @property
    def tokens(self) -> int:
        """D."""
        return self.scores.shape[0]

    @property
    def logit_scale(self) -> float:
        """τ."""
        return float(1 / np.sqrt(self.tokens))


def make_problem(tokens: int, activation: str, channels: int, features: int, seed: int = 0) -> Problem:
    """Each column of S* averages four tokens; ‖V*‖_F = 1; the start is random, half way to the teacher."""
    rng = np.random.default_rng(seed)
    value = rng.standard_normal((channels, features))
    value /= np.linalg.norm(value)
    scores = np.zeros((tokens, tokens))
    for column in scores.T:
        column[rng.choice(tokens, SPARSITY, replace=False)] = 1 / SPARSITY
    start = 0.5 * value + 0.1 / np.sqrt(features) * rng.standard_normal(value.shape)
    return Problem(activation, value, scores, start, rng.standard_normal(scores.shape))
