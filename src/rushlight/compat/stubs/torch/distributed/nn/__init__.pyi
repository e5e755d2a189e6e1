# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Made as _Made
from rushlight.distributed.nn.functional import all_gather as all_gather
from rushlight.distributed.nn.functional import all_reduce as all_reduce
from rushlight.distributed.nn.functional import all_to_all as all_to_all
from rushlight.distributed.nn.functional import all_to_all_single as all_to_all_single
from rushlight.distributed.nn.functional import broadcast as broadcast
from rushlight.distributed.nn.functional import gather as gather
from rushlight.distributed.nn.functional import reduce as reduce
from rushlight.distributed.nn.functional import reduce_scatter as reduce_scatter
from rushlight.distributed.nn.functional import scatter as scatter
from rushlight.utils._absent import absent_names as absent_names
from torch.distributed.nn import functional as functional

class RemoteModule(_Made): ...
