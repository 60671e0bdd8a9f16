from . import inputs as inputs, positions as positions, sinks as sinks, teachers as teachers
from .activations import Activation as Activation, identity as identity, leaky_relu as leaky_relu, relu as relu
from .population import (
    certificate as certificate,
    excess_loss as excess_loss,
    gradient as gradient,
    sampled_excess_loss as sampled_excess_loss,
    stable_learning_rate as stable_learning_rate,
)
from .steps import log_spaced as log_spaced
from .students import (
    ContentAttention as ContentAttention,
    FactoredPositionOnly as FactoredPositionOnly,
    FreeTemperature as FreeTemperature,
    LearnedPositions as LearnedPositions,
    MultiHead as MultiHead,
    PositionOnly as PositionOnly,
    RelativePositions as RelativePositions,
    SymmetricStudent as SymmetricStudent,
)
from .studies.gathering import open_study as open_study
from .studies.sweeping import sweep as sweep
from .teachers import Teacher as Teacher
from .theory import (
    claims as claims,
    diagnose as diagnose,
    rates as rates,
    time_to_asymptotics as time_to_asymptotics,
    universal_law as universal_law,
    why_not as why_not,
)
from .training import (
    FiniteSample as FiniteSample,
    GradientDescent as GradientDescent,
    GradientFlow as GradientFlow,
    Online as Online,
    PopulationOptimizer as PopulationOptimizer,
    Reduced as Reduced,
    Run as Run,
    load_run as load_run,
    train as train,
)
from .verification import verify as verify

__version__: str
_jax_came_first: bool
