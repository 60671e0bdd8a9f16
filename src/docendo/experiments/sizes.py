"""Every size and rate of the experiments, as data.

arXiv 2603.22801, Section 5, states D, K, N, the noise and, for the digits, M and the epochs; features d, channels M,
learning rates η and the numbers of steps are docendo's own choice.
"""

from dataclasses import dataclass

__all__ = ["Beyond", "Digits", "FiniteData", "FullTransformer", "Neighbours", "Synthetic", "Theory"]


@dataclass(frozen=True)
class FullTransformer:
    """Training the transformer whose attention sees the content as well.

    Attributes:
        tokens: D, a square.
        sparsity: K, a square.
        features: d.
        channels: M.
        learning_rate: η of plain gradient descent.
        batch_size: N, fresh inputs at every step.
        noise: standard deviation of the label noise.
        steps: T.
        saves: about how often everything is recorded.
    """

    tokens: int = 16
    sparsity: int = 4
    features: int = 8
    channels: int = 4
    learning_rate: float = 0.04
    batch_size: int = 128
    noise: float = 0.0
    steps: int = 25_000
    saves: int = 80


@dataclass(frozen=True)
class Synthetic:
    """One synthetic task.

    Attributes:
        tokens: D.
        sparsity: K.
        features: d.
        channels: M.
        learning_rate: η, of exact and of online descent.
        steps: T of exact descent.
        online_steps: T of online descent.
        batch_size: N, of the online batches and of the out-of-distribution ones.
        noise: standard deviation of the label noise.
        time: ηT to which the gradient flow goes on.
        saves: about how many points every curve has.
        batches: how many out-of-distribution batches of N pairs are looked at.
    """

    tokens: int
    sparsity: int
    features: int
    channels: int
    learning_rate: float
    steps: int = 5 * 10**5
    online_steps: int = 10**4
    batch_size: int = 100
    noise: float = 1.0
    time: float = 1e11
    saves: int = 120
    batches: int = 32


@dataclass(frozen=True)
class Digits:
    """A two-layer network on handwritten digits, and the students that learn from its hidden layer.

    Attributes:
        channels: M, kernels of the network.
        epochs: passes over the training images.
        network_rate: the network's Adam step size.
        images: how many images the students learn from.
        steps: the students' T.
        learning_rate: the students' Adam step size.
        batch_size: images per step, for network and students.
        negative_slope: of the Leaky ReLU.
        saves: about how often everything is recorded.
    """

    channels: int = 16
    epochs: int = 20
    network_rate: float = 1e-3
    images: int = 4_000
    steps: int = 6_000
    learning_rate: float = 1e-2
    batch_size: int = 100
    negative_slope: float = 0.1
    saves: int = 50


@dataclass(frozen=True)
class Theory:
    """The claims of the paper and of docendo's law, held against exact runs; and the pictures beside them.

    Attributes:
        cards: which are judged.
        over: the ranges they are tried over; empty for the defaults of `docendo.verify`.
        tokens: D of the phase portrait and of the approach to the law.
        sparsity: their K.
        value_norm: ‖V*‖_F of the approach.
        large_norm: ‖V*‖_F of the phase portrait, where learning rates make a difference.
        shares: learning rates of the portrait, as shares of the stability limit.
        steps: T of the portrait's descents.
        time: ηT of the approach.
        saves: about how many points the curves of portrait and approach have.
        collapse_over: the ranges of the collapse.
    """

    cards: tuple[str, ...]
    over: tuple[str, ...] = ()
    tokens: int = 16
    sparsity: int = 2
    value_norm: float = 4.0
    large_norm: float = 60.0
    shares: tuple[float, ...] = (0.1, 0.5, 0.9)
    steps: int = 10**6
    time: float = 1e9
    saves: int = 200
    collapse_over: tuple[str, ...] = ("D=8,32,128,1024", "K=1,4")


@dataclass(frozen=True)
class Beyond:
    """Settings outside the paper's assumptions, each run on one small problem.

    Attributes:
        tokens: D.
        sparsity: K.
        features: d.
        channels: M.
        learning_rate: η.
        steps: T of each run.
        saves: about how many points every curve has.
    """

    tokens: int = 6
    sparsity: int = 2
    features: int = 3
    channels: int = 3
    learning_rate: float = 0.05
    steps: int = 3 * 10**5
    saves: int = 80


@dataclass(frozen=True)
class FiniteData:
    """Training on samples of several sizes.

    Attributes:
        tokens: D.
        sparsity: K.
        features: d.
        channels: M.
        learning_rate: η.
        steps: T of each run.
        samples: the n that are tried.
        noise: standard deviation of the label noise.
        draws: how many samples of each size are drawn.
        saves: about how many points every curve has.
    """

    tokens: int = 5
    sparsity: int = 2
    features: int = 3
    channels: int = 2
    learning_rate: float = 0.1
    steps: int = 3000
    samples: tuple[int, ...] = (100, 200, 400, 800, 1600)
    noise: float = 0.5
    draws: int = 6
    saves: int = 30


@dataclass(frozen=True)
class Neighbours:
    """The paper's sparse tasks and the neighbours it compares with.

    Attributes:
        tokens: D.
        sparsity: K of the two selections.
        features: d.
        learning_rate: η, but for the classification.
        classification_rate: η of the classification.
        start: length of w where the classification starts.
        steps: T of each exact run.
        sampled_steps: T of the sampled classification.
        batch_size: its inputs per step.
        saves: about how many points every curve has.
    """

    tokens: int = 20
    sparsity: int = 4
    features: int = 4
    learning_rate: float = 0.05
    classification_rate: float = 2.0
    start: float = 0.01
    steps: int = 10**7
    sampled_steps: int = 500
    batch_size: int = 256
    saves: int = 80
