# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.futures import Future as Future
from rushlight.jit.annotations import BroadcastingList1 as BroadcastingList1
from rushlight.jit.annotations import BroadcastingList2 as BroadcastingList2
from rushlight.jit.annotations import BroadcastingList3 as BroadcastingList3
from rushlight.jit.annotations import _BroadcastingList as _BroadcastingList
