"""Training: `train`, the `Run` it returns, and one file per kind of dynamics."""

from docendo.training.flow import GradientFlow
from docendo.training.gradient_descent import GradientDescent
from docendo.training.online import Online
from docendo.training.reduced import Reduced
from docendo.training.run import Run, load_run, train

__all__ = ["GradientDescent", "GradientFlow", "Online", "Reduced", "Run", "load_run", "train"]
