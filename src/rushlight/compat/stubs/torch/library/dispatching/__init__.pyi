# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.aten import operator_of as operator_of, overload as overload
from rushlight.library.compositions import COPIES as COPIES, STEPS as STEPS
from rushlight.library.dispatching import (
    Hand as Hand, aten_name as aten_name, dispatch as dispatch, dispatch_wrapped as dispatch_wrapped, named_as as named_as,
    represented as represented,
)
from rushlight.library.inner import CHAINS as CHAINS, INNER as INNER, Step as Step, keeps_statistics as keeps_statistics
from rushlight.library.leaves import Call as Call, LEAVES as LEAVES, WHOLE as WHOLE, basic_index as basic_index
from rushlight.library.operator import OpOverload as OpOverload
from rushlight.library.recording import (
    by_program as by_program, due as due, mark_wrapped as mark_wrapped, recorded as recorded,
    recorded_by_body as recorded_by_body, recorded_in_place as recorded_in_place,
)
