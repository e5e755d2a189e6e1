# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._operators import detach as _of_DETACH
from rushlight.amp.autocast_mode import in_force as in_force
from rushlight.amp.autocast_mode import left_out as left_out
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.asking import OF_VALUES as OF_VALUES
from rushlight.jit.asking import SAID as SAID
from rushlight.jit.asking import line_of_program as line_of_program
from rushlight.jit.calls import At as At
from rushlight.jit.calls import Call as Call
from rushlight.jit.calls import MAKERS as MAKERS
from rushlight.jit.calls import ONE_BY_ONE as ONE_BY_ONE
from rushlight.jit.calls import is_view as is_view
from rushlight.jit.calls import kept_by as kept_by
from rushlight.jit.calls import numbers_in as numbers_in
from rushlight.jit.calls import results_of as results_of
from rushlight.jit.parts import Rewriter as Rewriter
from rushlight.jit.placing import MOST as _of_MOST_PLACED
from rushlight.jit.placing import PLACE as PLACE
from rushlight.jit.placing import place_in as place_in
from rushlight.jit.recording import Break as Break
from rushlight.jit.recording import PENDING as PENDING
from rushlight.jit.recording import Recorder as Recorder
from rushlight.jit.recording import SUBCLASS as SUBCLASS
from rushlight.jit.recording import State as State
from rushlight.jit.recording import _Given as _Given
from rushlight.jit.recording import _recorded as _recorded
from rushlight.jit.recording import flush as flush
from rushlight.jit.recording import grad_read as grad_read
from rushlight.jit.recording import innermost as innermost
from rushlight.jit.recording import paused as paused
from rushlight.jit.recording import record_calls as record_calls
from rushlight.jit.recording import settle as settle

DETACH = _of_DETACH
MOST_PLACED = _of_MOST_PLACED
