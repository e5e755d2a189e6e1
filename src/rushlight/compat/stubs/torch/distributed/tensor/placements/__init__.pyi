# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.tensor.placements import Partial as Partial, Placement as Placement, Replicate as Replicate, Shard as Shard
