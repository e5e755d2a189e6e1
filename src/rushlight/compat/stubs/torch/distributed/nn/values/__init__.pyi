# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributed.backends import ReduceOp as ReduceOp
from rushlight.distributed.groups import ProcessGroup as ProcessGroup
from rushlight.distributed.groups import get_process_group_ranks as get_process_group_ranks
from rushlight.distributed.nn.values import Group as Group
from rushlight.distributed.nn.values import all_gather_into_tensor_coalesced as all_gather_into_tensor_coalesced
from rushlight.distributed.nn.values import all_gather_single as all_gather_single
from rushlight.distributed.nn.values import all_gather_single_autograd as all_gather_single_autograd
from rushlight.distributed.nn.values import all_gather_tensor as all_gather_tensor
from rushlight.distributed.nn.values import all_gather_tensor_autograd as all_gather_tensor_autograd
from rushlight.distributed.nn.values import all_reduce as all_reduce
from rushlight.distributed.nn.values import all_reduce_coalesced as all_reduce_coalesced
from rushlight.distributed.nn.values import all_to_all_single as all_to_all_single
from rushlight.distributed.nn.values import all_to_all_single_autograd as all_to_all_single_autograd
from rushlight.distributed.nn.values import broadcast as broadcast
from rushlight.distributed.nn.values import permute_tensor as permute_tensor
from rushlight.distributed.nn.values import reduce_scatter_single as reduce_scatter_single
from rushlight.distributed.nn.values import reduce_scatter_single_autograd as reduce_scatter_single_autograd
from rushlight.distributed.nn.values import reduce_scatter_tensor as reduce_scatter_tensor
from rushlight.distributed.nn.values import reduce_scatter_tensor_autograd as reduce_scatter_tensor_autograd
from rushlight.distributed.nn.values import reduce_scatter_tensor_coalesced as reduce_scatter_tensor_coalesced
from rushlight.distributed.nn.values import wait_tensor as wait_tensor
from torch.distributed import groups as groups
from torch.distributed.backends import Op as Op
from torch.distributed.nn import functional as _of_of

of = _of_of
