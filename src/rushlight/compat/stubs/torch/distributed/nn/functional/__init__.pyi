# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.function import Function as Function
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributed.backends import ReduceOp as ReduceOp
from rushlight.distributed.groups import ProcessGroup as ProcessGroup
from rushlight.distributed.nn.functional import _AllGather as _AllGather
from rushlight.distributed.nn.functional import _AllReduce as _AllReduce
from rushlight.distributed.nn.functional import _AllToAll as _AllToAll
from rushlight.distributed.nn.functional import _Broadcast as _Broadcast
from rushlight.distributed.nn.functional import _Gather as _Gather
from rushlight.distributed.nn.functional import _Reduce as _Reduce
from rushlight.distributed.nn.functional import _ReduceScatter as _ReduceScatter
from rushlight.distributed.nn.functional import _Scatter as _Scatter
from rushlight.distributed.nn.functional import all_gather as all_gather
from rushlight.distributed.nn.functional import all_reduce as all_reduce
from rushlight.distributed.nn.functional import all_to_all as all_to_all
from rushlight.distributed.nn.functional import all_to_all_single as all_to_all_single
from rushlight.distributed.nn.functional import broadcast as broadcast
from rushlight.distributed.nn.functional import gather as gather
from rushlight.distributed.nn.functional import reduce as reduce
from rushlight.distributed.nn.functional import reduce_scatter as reduce_scatter
from rushlight.distributed.nn.functional import scatter as scatter
from torch.distributed.backends import Op as Op
