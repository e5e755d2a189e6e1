# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import _DecoratorContextManager as _DecoratorContextManager
from rushlight.autograd.profiler import (
    _Local as _Local, _Recorder as _Recorder, emit_itt as emit_itt, emit_nvtx as emit_nvtx, profile as profile,
    record_function as record_function,
)
from rushlight.autograd.profiler_util import (
    EventList as EventList, FunctionEvent as FunctionEvent, FunctionEventAvg as FunctionEventAvg,
)
from rushlight.core.tensor import Tensor as Tensor
from torch.autograd import running as running
