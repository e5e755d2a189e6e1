# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.parallel.data_parallel import DataParallel as DataParallel
from rushlight.nn.parallel.data_parallel import data_parallel as data_parallel
from rushlight.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
from rushlight.nn.parallel.scatter_gather import gather as gather
from rushlight.nn.parallel.scatter_gather import parallel_apply as parallel_apply
from rushlight.nn.parallel.scatter_gather import replicate as replicate
from rushlight.nn.parallel.scatter_gather import scatter as scatter
from torch.nn.parallel import communication as communication
from torch.nn.parallel import distributed as distributed
from torch.nn.parallel import scatter_gather as scatter_gather
