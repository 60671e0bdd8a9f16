from . import inputs, positions, sinks, teachers
from .activations import Activation, identity, leaky_relu, relu
from .population import (
    excess_loss,
    gradient,
    sampled_excess_loss,
    stable_learning_rate,
)
from .steps import log_spaced
from .students import ContentAttention, MultiHead, PositionOnly
from .teachers import Teacher
from .training import GradientDescent, Online, Run, load_run, train

__version__: str
