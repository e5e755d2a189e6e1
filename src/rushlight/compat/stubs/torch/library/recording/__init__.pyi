# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import enable_grad as enable_grad, no_grad as no_grad
from rushlight.autograd.inplace import check_inplace as check_inplace, rebase as rebase, rejoin as rejoin
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.programs import run_program as run_program
from rushlight.library.recording import (
    Replay as Replay, _Backward as _Backward, _BodyAgain as _BodyAgain, _Derivative as _Derivative, by_program as by_program,
    due as due, inputs_of as inputs_of, mark_wrapped as mark_wrapped, recorded as recorded, recorded_by_body as recorded_by_body,
    recorded_in_place as recorded_in_place,
)
