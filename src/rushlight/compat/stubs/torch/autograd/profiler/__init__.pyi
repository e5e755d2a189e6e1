# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import _DecoratorContextManager as _DecoratorContextManager
from rushlight.autograd.profiler import _Local as _Local
from rushlight.autograd.profiler import _Nodes as _Nodes
from rushlight.autograd.profiler import _Note as _Note
from rushlight.autograd.profiler import _Recorder as _Recorder
from rushlight.autograd.profiler import emit_itt as emit_itt
from rushlight.autograd.profiler import emit_nvtx as emit_nvtx
from rushlight.autograd.profiler import profile as profile
from rushlight.autograd.profiler import record_function as record_function
from rushlight.autograd.profiler_memory import Memory as Memory
from rushlight.autograd.profiler_util import EventList as EventList
from rushlight.autograd.profiler_util import FunctionEvent as FunctionEvent
from rushlight.autograd.profiler_util import FunctionEventAvg as FunctionEventAvg
from rushlight.core.tensor import Tensor as Tensor
from torch.autograd import running as running
