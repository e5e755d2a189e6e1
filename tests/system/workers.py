"""Worker processes that do numbered things until one of them dies: what it was doing is reported, and the next goes on
after it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping


def note(log: int, at: int, fine: int, bad: int) -> None:
    """Write where a worker is, and how many things have gone well and badly, for the process that started it."""
    os.pwrite(log, f"{at} {fine} {bad}".ljust(60).encode(), 0)


def drive(
    script: str,
    what: str,
    first: int,
    end: int,
    seed: int,
    a_worker: int,
    env: Mapping[str, str],
    done_well: str,
    crashed: Callable[[int], None] = lambda number: None,
) -> int:
    """Do the things first, first + 1, ... up to `end` of a seed in workers of a script.

    Args:
        script: the file, which understands `END SEED FIRST --worker LOG`.
        what: the word for one thing.
        first: the first number.
        end: the number after the last.
        seed: what is drawn depends on it.
        a_worker: how many one worker does.
        env: its environment.
        done_well: the word for what has happened to a thing that went well.
        crashed: called with the number of a thing that ended its worker.

    Returns:
        1 if anything went wrong, else 0.
    """
    at, fine, wrong = first, 0, Counter[str]()
    with tempfile.TemporaryFile() as log:
        while at < end:
            until = min(at + a_worker, end)
            log.truncate(0)
            done = subprocess.run(
                [sys.executable, script, str(until), str(seed), str(at), "--worker", str(log.fileno())],
                env=env,
                pass_fds=[log.fileno()],
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
            last, good, bad = map(int, os.pread(log.fileno(), 60, 0).decode().split() or (at, 0, 0))
            fine += good
            wrong["errors"] += bad
            at = until if done.returncode == 0 else last + 1
            if done.returncode == 0:
                continue
            hung = "Timeout (" in done.stderr
            wrong["hangs" if hung else "crashes"] += 1
            how = "hangs" if hung else f"ends its process with {done.returncode}"
            print(f"{what} {last}: {how}\n{done.stderr[:1500]}", flush=True)
            if not hung:
                crashed(last)
    n, wrong = end - first, +wrong
    failures = f"{wrong.total()} failures" + (f": {dict(wrong)}" if wrong else "")
    print(f"{n} {what}s, {fine} {done_well} ({100 * fine // max(n, 1)} %), {failures}")
    return 1 if wrong else 0
