# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules._functional import Rearranged as Rearranged
from rushlight.nn.modules.channelshuffle import ChannelShuffle as ChannelShuffle
