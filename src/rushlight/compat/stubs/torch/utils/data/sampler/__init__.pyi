# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.sampler import BatchSampler as BatchSampler
from rushlight.utils.data.sampler import RandomSampler as RandomSampler
from rushlight.utils.data.sampler import Sampler as Sampler
from rushlight.utils.data.sampler import SequentialSampler as SequentialSampler
from rushlight.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from rushlight.utils.data.sampler import T_co as T_co
from rushlight.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler
from rushlight.utils.data.sampler import new_seed as new_seed
