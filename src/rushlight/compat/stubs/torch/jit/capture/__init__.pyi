# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp.autocast_mode import in_force as in_force
from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import Spec as Spec
from rushlight.func.tree import flatten as flatten
from rushlight.func.tree import leaf_of_result as leaf_of_result
from rushlight.jit.capture import Jitted as Jitted
from rushlight.jit.capture import _Calls as _Calls
from rushlight.jit.capture import _Made as _Made
from rushlight.jit.capture import _More as _More
from rushlight.jit.capture import _Values as _Values
from rushlight.jit.capture import jit as jit
from rushlight.jit.draws import Draw as Draw
from rushlight.jit.draws import alike as alike
from rushlight.jit.draws import ones_in as ones_in
from rushlight.jit.numbers import Number as Number
from rushlight.jit.references import Place as Place
from rushlight.jit.references import References as References
from rushlight.jit.tracing import Recorder as Recorder
from rushlight.jit.tracing import contents_of as contents_of
