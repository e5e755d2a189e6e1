# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.tensor.placements import Partial as Partial
from rushlight.distributed.tensor.placements import Placement as Placement
from rushlight.distributed.tensor.placements import Replicate as Replicate
from rushlight.distributed.tensor.placements import Shard as Shard
