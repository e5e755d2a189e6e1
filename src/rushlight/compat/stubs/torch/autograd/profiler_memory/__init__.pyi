# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.profiler_memory import ACTIVATION as ACTIVATION
from rushlight.autograd.profiler_memory import CATEGORIES as CATEGORIES
from rushlight.autograd.profiler_memory import DETAIL as DETAIL
from rushlight.autograd.profiler_memory import GRADIENT as GRADIENT
from rushlight.autograd.profiler_memory import INPUT as INPUT
from rushlight.autograd.profiler_memory import Memory as Memory
from rushlight.autograd.profiler_memory import PARAMETER as PARAMETER
from rushlight.autograd.profiler_memory import STATE as STATE
from rushlight.autograd.profiler_memory import TEMPORARY as TEMPORARY
from rushlight.autograd.profiler_memory import UNKNOWN as UNKNOWN
from rushlight.autograd.profiler_memory import _Held as _Held
from rushlight.core.tensor import Tensor as Tensor
