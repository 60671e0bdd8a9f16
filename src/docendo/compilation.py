"""Compiled programs kept from one process to the next.

Compiling is most of the time that a short run takes. Programs started by docendo keep what JAX compiled in a folder of
the user's cache; the library, imported into somebody else's process, leaves that to them.
"""

import os
from pathlib import Path

__all__ = ["keep_compiled_programs"]


def keep_compiled_programs() -> None:
    """Let this process find what earlier ones compiled, unless the environment says where to look already.

    To be called before JAX and equinox are imported: equinox reads its switch then. Where the user's cache cannot be
    written, nothing is kept.
    """
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        root = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
        folder = root / "docendo" / "jax"
        if not (root.is_absolute() and _can_be_made(folder)):
            return
        os.environ["JAX_COMPILATION_CACHE_DIR"] = str(folder)
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
    # Programs that can raise an error are not kept.
    os.environ.setdefault("EQX_ON_ERROR", "nan")


def _can_be_made(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
