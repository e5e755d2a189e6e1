"""The locks that making a new call takes, and what a fork does to them.

A child forked while another thread held one of them would wait for ever: that thread does not exist in it. So a fork
waits until both are free (LLVM's own lock is only taken within `building`), and takes them along: 10 ms at most, mostly.
Whoever needs both takes `tracing` first.
"""
from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

tracing = threading.RLock()      # a call is traced, differentiated and planned
building = threading.RLock()     # a kernel is made, or loaded


@contextmanager
def no_collections() -> Iterator[None]:
    """The garbage collector waits: a trace, a plan and a kernel's IR are thousands of objects in cycles, most of them dead when it is done.

    Collections on the way there only visit them, and let them grow old: then every full collection visits them again.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _take() -> None:
    tracing.acquire()
    building.acquire()


def _give() -> None:
    building.release()
    tracing.release()


os.register_at_fork(before=_take, after_in_parent=_give, after_in_child=_give)
