# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parallel.scatter_gather import gather as gather
from rushlight.nn.parallel.scatter_gather import parallel_apply as parallel_apply
from rushlight.nn.parallel.scatter_gather import replicate as replicate
from rushlight.nn.parallel.scatter_gather import scatter as scatter
from rushlight.nn.parallel.scatter_gather import scatter_kwargs as scatter_kwargs
