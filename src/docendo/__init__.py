"""docendo: how a one-layer transformer learns from a teacher, computed exactly and held against what theorems claim.

The public names are listed in `__init__.pyi`, for editors and type checkers as for the interpreter, and resolved on
first use: `import docendo` and `docendo --help` start no JAX.
"""

import sys

import lazy_loader

__version__ = "0.1.0"

# Whether turning on float64 changes arrays that somebody else makes: docendo.precision says so then.
_jax_came_first = "jax" in sys.modules

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
