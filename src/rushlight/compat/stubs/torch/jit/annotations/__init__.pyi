# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.futures import Future as Future
from rushlight.jit.annotations import (
    BroadcastingList1 as BroadcastingList1, BroadcastingList2 as BroadcastingList2, BroadcastingList3 as BroadcastingList3,
    _BroadcastingList as _BroadcastingList,
)
