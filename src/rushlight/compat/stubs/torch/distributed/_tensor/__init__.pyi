# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.core.tensor import Tensor as _Tensor
from rushlight.distributed.tensor.placements import Partial as Partial
from rushlight.distributed.tensor.placements import Placement as Placement
from rushlight.distributed.tensor.placements import Replicate as Replicate
from rushlight.distributed.tensor.placements import Shard as Shard

class DTensor(_Made, _Tensor): ...
distribute_module: _Function
distribute_tensor: _Function
