# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.draws import Draw as Draw
from rushlight.jit.draws import places_of as places_of
from rushlight.jit.operands import marked as marked
from rushlight.jit.tracing import Recorder as Recorder
from rushlight.jit.tracing import _Memory as _Memory
from rushlight.jit.tracing import _Place as _Place
from rushlight.jit.tracing import contents_of as contents_of
from rushlight.jit.tracing import recording as recording
