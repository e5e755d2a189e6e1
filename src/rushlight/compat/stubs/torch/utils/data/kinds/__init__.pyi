# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.kinds import _DatasetKind as _DatasetKind
from rushlight.utils.data.kinds import _InfiniteConstantSampler as _InfiniteConstantSampler
from rushlight.utils.data.sampler import Sampler as Sampler
from rushlight.utils.data.worker import Fetcher as Fetcher
