# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.autograd.inplace import check_inplace as check_inplace
from rushlight.autograd.inplace import rebase as rebase
from rushlight.autograd.inplace import rejoin as rejoin
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.programs import run_program as run_program
from rushlight.library.recording import Replay as Replay
from rushlight.library.recording import _Backward as _Backward
from rushlight.library.recording import _BodyAgain as _BodyAgain
from rushlight.library.recording import _Derivative as _Derivative
from rushlight.library.recording import by_program as by_program
from rushlight.library.recording import due as due
from rushlight.library.recording import inputs_of as inputs_of
from rushlight.library.recording import mark_wrapped as mark_wrapped
from rushlight.library.recording import recorded as recorded
from rushlight.library.recording import recorded_by_body as recorded_by_body
from rushlight.library.recording import recorded_in_place as recorded_in_place
