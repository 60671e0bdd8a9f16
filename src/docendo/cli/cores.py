"""How many processes a command starts where it is not told."""

import os

__all__ = ["usable_cores"]

MOST = 4


def usable_cores() -> int:
    """The cores this process may use, as far as the system says, and not too many of them."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST)
