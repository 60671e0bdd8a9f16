from . import inputs as inputs
from . import positions as positions
from . import sinks as sinks
from . import teachers as teachers
from .activations import Activation as Activation
from .activations import identity as identity
from .activations import leaky_relu as leaky_relu
from .activations import relu as relu
from .population import (
    excess_loss as excess_loss,
)
from .population import (
    gradient as gradient,
)
from .population import (
    sampled_excess_loss as sampled_excess_loss,
)
from .population import (
    stable_learning_rate as stable_learning_rate,
)
from .steps import log_spaced as log_spaced
from .students import ContentAttention as ContentAttention
from .students import MultiHead as MultiHead
from .students import PositionOnly as PositionOnly
from .teachers import Teacher as Teacher
from .training import (
    GradientDescent as GradientDescent,
)
from .training import (
    Online as Online,
)
from .training import (
    Run as Run,
)
from .training import (
    load_run as load_run,
)
from .training import (
    train as train,
)

__version__: str
