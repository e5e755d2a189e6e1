# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Made as _Made
from rushlight.core.tensor import Tensor as _Tensor
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

class AsyncCollectiveTensor(_Made, _Tensor): ...
