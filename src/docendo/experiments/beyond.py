"""What lies outside the paper's assumptions: one experiment for each heading of `docendo reproduce --beyond`."""

from docendo.experiments.base import Experiment
from docendo.experiments.sizes import Beyond, FiniteData, Neighbours

__all__ = ["BEYOND"]

_FIRST_LOOK = Beyond(steps=2 * 10**4, saves=50)

BEYOND = (
    Experiment(
        "finite_data",
        "Samples instead of the population",
        "beyond the paper",
        "docendo.experiments.finite_data:run",
        FiniteData(),
        FiniteData(steps=500, samples=(50, 200), draws=2, saves=12),
        seconds=60,
        beyond=True,
    ),
    Experiment(
        "optimizers",
        "Optimizers other than plain descent",
        "beyond the paper",
        "docendo.experiments.optimizers:run",
        Beyond(),
        _FIRST_LOOK,
        seconds=20,
        beyond=True,
    ),
    Experiment(
        "other_students",
        "Students other than the paper's",
        "beyond the paper",
        "docendo.experiments.other_students:run",
        Beyond(),
        _FIRST_LOOK,
        seconds=50,
        beyond=True,
    ),
    Experiment(
        "other_teachers",
        "Teachers other than the paper's",
        "beyond the paper",
        "docendo.experiments.other_teachers:run",
        Beyond(),
        _FIRST_LOOK,
        seconds=30,
        beyond=True,
    ),
    Experiment(
        "neighbours",
        "The neighbours the paper compares with",
        "Appendix C",
        "docendo.experiments.neighbours:run",
        Neighbours(),
        Neighbours(steps=3 * 10**4, sampled_steps=300, saves=50),
        seconds=23,
        beyond=True,
    ),
)
