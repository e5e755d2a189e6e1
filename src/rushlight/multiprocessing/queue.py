"""The queues of multiprocessing, through which tensors go as shared memory."""

from __future__ import annotations

from multiprocessing.queues import Queue, SimpleQueue
from multiprocessing.reduction import ForkingPickler

from rushlight.core.sharing import register_reductions

__all__ = ["ForkingPickler", "Queue", "SimpleQueue"]

register_reductions()
