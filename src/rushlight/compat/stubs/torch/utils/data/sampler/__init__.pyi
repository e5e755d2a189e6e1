# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils._checks import check_argument as check_argument
from rushlight.utils.data.sampler import (
    BatchSampler as BatchSampler, RandomSampler as RandomSampler, Sampler as Sampler, SequentialSampler as SequentialSampler,
    SubsetRandomSampler as SubsetRandomSampler, T_co as T_co, WeightedRandomSampler as WeightedRandomSampler, new_seed as new_seed,
)
