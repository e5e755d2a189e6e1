# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parallel.communication import GradBucket as GradBucket
from rushlight.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
