"""The locks that making a new call takes, and what a fork does to them.

A child forked while another thread held one of them would wait for ever: that thread does not exist in it. So a fork
waits until both are free (LLVM's own lock is only taken within `building`), and takes them along: 10 ms at most, mostly.
Whoever needs both takes `tracing` first.
"""
from __future__ import annotations

import os
import threading

tracing = threading.RLock()      # a call is traced, differentiated and planned
building = threading.RLock()     # a kernel is made, or loaded


def _take() -> None:
    tracing.acquire()
    building.acquire()


def _give() -> None:
    building.release()
    tracing.release()


os.register_at_fork(before=_take, after_in_parent=_give, after_in_child=_give)
