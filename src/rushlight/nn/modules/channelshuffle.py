"""Channels of several groups in turn."""

from __future__ import annotations

from ._functional import Rearranged

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Rearranged, function="channel_shuffle"):
    """Interleaves ``groups`` parts of the channels."""

    __constants__ = ["groups"]

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups
