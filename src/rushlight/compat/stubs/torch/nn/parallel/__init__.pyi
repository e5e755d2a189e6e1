# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.parallel.data_parallel import DataParallel as DataParallel, data_parallel as data_parallel
from rushlight.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
from rushlight.nn.parallel.scatter_gather import (
    gather as gather, parallel_apply as parallel_apply, replicate as replicate, scatter as scatter,
)
from torch.nn.parallel import (
    communication as communication, distributed as distributed, scatter_gather as scatter_gather,
)
