# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.function import Function as Function
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributed.backends import ReduceOp as ReduceOp
from rushlight.distributed.groups import ProcessGroup as ProcessGroup
from rushlight.distributed.nn.functional import (
    _AllGather as _AllGather, _AllReduce as _AllReduce, _AllToAll as _AllToAll, _Broadcast as _Broadcast, _Gather as _Gather,
    _Reduce as _Reduce, _ReduceScatter as _ReduceScatter, _Scatter as _Scatter, all_gather as all_gather,
    all_reduce as all_reduce, all_to_all as all_to_all, all_to_all_single as all_to_all_single, broadcast as broadcast,
    gather as gather, reduce as reduce, reduce_scatter as reduce_scatter, scatter as scatter,
)
from torch.distributed.backends import Op as Op
