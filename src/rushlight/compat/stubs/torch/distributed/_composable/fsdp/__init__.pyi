# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.distributed.fsdp import CPUOffloadPolicy as CPUOffloadPolicy
from rushlight.distributed.fsdp import MixedPrecisionPolicy as MixedPrecisionPolicy
from rushlight.distributed.fsdp import OffloadPolicy as OffloadPolicy

class FSDPModule(_Made): ...
fully_shard: _Function
