# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._operators import detach as _of_DETACH
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.calls import At as At
from rushlight.jit.calls import Backward as Backward
from rushlight.jit.calls import Call as Call
from rushlight.jit.calls import LAST_USES as LAST_USES
from rushlight.jit.calls import MAKERS as MAKERS
from rushlight.jit.calls import ONCE as ONCE
from rushlight.jit.calls import ONE_BY_ONE as ONE_BY_ONE
from rushlight.jit.calls import VANISHES as VANISHES
from rushlight.jit.calls import is_view as is_view
from rushlight.jit.calls import kept_by as kept_by
from rushlight.jit.calls import name_results as name_results
from rushlight.jit.calls import numbers_in as numbers_in
from rushlight.jit.calls import results_of as results_of
from rushlight.jit.calls import supplied as supplied
from rushlight.jit.calls import taken as taken

DETACH = _of_DETACH
