# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.distributed import DistributedSampler as DistributedSampler
from rushlight.utils.data.sampler import Sampler as Sampler
