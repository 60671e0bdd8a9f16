"""A process that works on a study until nothing is left: `python -m docendo.studies.worker`.

It imports what it needs while its parent still plans, waits for one line of JSON on its standard input, works, and ends
when that input is closed, which is when its parent is dead. SIGTERM lets it keep the state of what it is at.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path
from time import sleep
from typing import Any

from docendo.compilation import keep_compiled_programs

__all__ = ["main"]

WAIT_SECONDS = 0.5


def main() -> None:
    """Read what is to be done, and do it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_compiled_programs()
    import docendo.studies.working  # noqa: F401  (imported while the parent plans)

    line = sys.stdin.readline()
    if not line:
        return
    task = json.loads(line)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGTERM, _stop)
    try:
        _work(Path(task["root"]), task["jobs"])
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGTERM)
    except OSError as error:
        print(f"{error}", file=sys.stderr)
        sys.exit(1)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def _stop(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _work(root: Path, jobs: list[int]) -> None:
    """Job by job; those that others hold are waited for, since others may die."""
    from docendo.studies.claims import claim
    from docendo.studies.store import open_store
    from docendo.studies.working import run_job

    store = open_store(root)
    left = [store.jobs[index] for index in jobs]
    while left:
        before = len(left)
        for job in list(left):
            if store.open_cells(job):
                with claim(root, store.claim_name(job)) as mine:
                    if mine:
                        run_job(store, job)
            if not store.open_cells(job):
                left.remove(job)
        if len(left) == before:
            sleep(WAIT_SECONDS)


if __name__ == "__main__":
    main()
