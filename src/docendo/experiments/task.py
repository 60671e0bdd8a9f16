"""A synthetic task that has been trained, and the curves that its figures and its findings share."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from docendo.experiments.sizes import Synthetic
from docendo.students.base import PositionStudent
from docendo.teachers.base import Teacher
from docendo.theory.law import universal_law
from docendo.training import Run

__all__ = ["Line", "Points", "Population", "Task", "scores", "straight_line"]

Points = NDArray[np.float64]

FEWEST_POINTS = 5


class Population(NamedTuple):
    """The population excess out of distribution along a run; `error` is its standard error, 0 where it is exact."""

    values: Points
    error: Points


class Line(NamedTuple):
    """A straight line through log y against log T, and the first and last T that entered."""

    slope: float
    height: float
    first: float
    last: float

    def at(self, steps: Points) -> Points:
        """The line's y at these T."""
        return np.exp(self.height) * steps**self.slope


@dataclass(frozen=True)
class Task:
    """A task and its three runs, all from the zero start."""

    name: str
    teacher: Teacher
    sizes: Synthetic
    exact: Run
    online: Run
    flow: Run

    @property
    def law(self) -> float:
        """The limit of ηT × excess loss, here K D (D−K)/4 (docs, The 1/T law)."""
        return float(universal_law(self.teacher).excess_loss)

    @property
    def noise_ball(self) -> float:
        """Where the labels' noise keeps the values of online descent from settling: the excess loss it leaves.

        With ∂L/∂W_V = λ(W_V − V*) near the teacher, λ = (α+β) D/K, and gradient noise of variance σ_E² λ/N in each of
        M d entries, constant η leaves η σ_E² λ M d/(2N(2 − ηλ)).
        """
        sizes, sigma = self.sizes, self.teacher.activation
        rate = sizes.learning_rate * float(sigma.second_moment) * float((self.teacher.scores**2).sum())
        return rate * sizes.noise**2 * self.teacher.value.size / (2 * sizes.batch_size * (2 - rate))

    def population(self, run: Run) -> Population:
        """The population excess out of distribution."""
        if "test_excess_loss" in run.data:
            values = np.asarray(run.data.test_excess_loss)
            return Population(values, np.zeros_like(values))
        own = np.asarray(run.data.ood_excess)
        return Population(own.mean(1), own.std(1, ddof=1) / np.sqrt(own.shape[1]))

    def sampled(self, run: Run) -> Points:
        """The excess sampled on N noisy pairs, (saves, batches)."""
        return np.asarray(run.data.sampled_ood_excess)

    def sampled_rms(self, run: Run) -> Points:
        """Its root mean square over the batches."""
        return np.sqrt((self.sampled(run) ** 2).mean(1))

    @property
    def crossing(self) -> float:
        """The population excess at which the cross term's root mean square equals it: 2σ_E²/N."""
        return 2 * self.sizes.noise**2 / self.sizes.batch_size

    def after_onset(self) -> NDArray[np.bool_]:
        """The online run's saves since its excess loss was half of what it was at first."""
        loss = np.asarray(self.online.data.excess_loss)
        return np.arange(len(loss)) > np.flatnonzero(loss >= loss[0] / 2)[-1]

    @property
    def has_begun(self) -> bool:
        """Whether the online run has enough of such saves to put a line through."""
        return bool(self.after_onset().sum() >= FEWEST_POINTS)


def straight_line(steps: Points, values: Points) -> Line:
    """Least squares on log–log axes."""
    slope, height = np.polyfit(np.log(steps), np.log(values), 1)
    return Line(float(slope), float(height), float(steps[0]), float(steps[-1]))


def scores(run: Run) -> Points:
    """The student's attention S at the end of a run."""
    if not isinstance(run.student, PositionStudent):
        raise ValueError(f"attention maps need position-only attention, got {run.student!r}. Train dc.PositionOnly.")
    return np.asarray(run.student.heads()[1].mean(0))
