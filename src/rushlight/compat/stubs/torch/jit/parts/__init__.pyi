# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._operators import detach as _of_DETACH
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.calls import LAST_USES as LAST_USES
from rushlight.jit.calls import MAKERS as MAKERS
from rushlight.jit.calls import ONE_BY_ONE as ONE_BY_ONE
from rushlight.jit.calls import kept_by as kept_by
from rushlight.jit.calls import results_of as results_of
from rushlight.jit.calls import supplied as supplied
from rushlight.jit.parts import Rewriter as Rewriter
from rushlight.jit.parts import Through as Through
from rushlight.jit.parts import _Way as _Way

DETACH = _of_DETACH
