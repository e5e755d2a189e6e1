# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parallel.scatter_gather import (
    gather as gather, parallel_apply as parallel_apply, replicate as replicate, scatter as scatter,
    scatter_kwargs as scatter_kwargs,
)
