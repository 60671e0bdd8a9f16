"""The population: exact losses, gradients and curvature, and the sampled loss where nothing exact is known."""

from docendo.population.certificate import certificate
from docendo.population.loss import excess_loss, gradient, has_exact_loss
from docendo.population.sampling import sampled_excess_loss
from docendo.population.stability import sharpness_at_optimum, stable_learning_rate

__all__ = [
    "certificate",
    "excess_loss",
    "gradient",
    "has_exact_loss",
    "sampled_excess_loss",
    "sharpness_at_optimum",
    "stable_learning_rate",
]
