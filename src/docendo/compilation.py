"""Compiled programs kept from one process to the next.

Compiling is most of the time that a short run takes. Programs started by docendo keep what JAX compiled in a folder of
the user's cache; the library, imported into somebody else's process, leaves that to them.
"""

import os
from pathlib import Path

__all__ = ["keep_compiled_programs"]


def keep_compiled_programs() -> None:
    """Let this process find what earlier ones compiled, unless the environment says where to look already.

    To be called before JAX and equinox are imported: equinox reads its switch then.
    """
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(root / "docendo" / "jax"))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
    # Programs that can raise an error are not kept.
    os.environ.setdefault("EQX_ON_ERROR", "nan")
