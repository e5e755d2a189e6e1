"""Types that functions for TorchScript are annotated with."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple, Union  # noqa: UP035

from rushlight.futures import Future

__all__ = [
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "Dict",
    "Future",
    "List",
    "Optional",
    "Tuple",
    "Union",
]


class _BroadcastingList:
    """A list of a fixed length that a single value may stand for: BroadcastingList2[int]."""

    def __getitem__(self, kind: object) -> object:
        return List[kind]  # type: ignore[valid-type]  # noqa: UP006


BroadcastingList1, BroadcastingList2, BroadcastingList3 = _BroadcastingList(), _BroadcastingList(), _BroadcastingList()
