"""docendo: how a one-layer transformer learns from a teacher, computed exactly and held against what theorems claim.

The public names below are resolved on first use, so that `import docendo` and `docendo --help` start no JAX.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

_MODULES = ("claims", "inputs", "positions", "rates", "teachers")
