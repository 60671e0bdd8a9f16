"""Training: `train`, the `Run` it returns, and one file per kind of dynamics."""

from docendo.training.gradient_descent import GradientDescent
from docendo.training.online import Online
from docendo.training.run import Run, load_run, train

__all__ = ["GradientDescent", "Online", "Run", "load_run", "train"]
