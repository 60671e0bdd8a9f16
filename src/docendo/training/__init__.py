"""Training: `train`, the `Run` it returns, and one file per kind of dynamics."""

from docendo.training.finite_sample import FiniteSample
from docendo.training.flow import GradientFlow
from docendo.training.gradient_descent import GradientDescent
from docendo.training.online import Online
from docendo.training.optimizer import PopulationOptimizer
from docendo.training.reduced import Reduced
from docendo.training.run import Run, load_run, train

__all__ = [
    "FiniteSample",
    "GradientDescent",
    "GradientFlow",
    "Online",
    "PopulationOptimizer",
    "Reduced",
    "Run",
    "load_run",
    "train",
]
