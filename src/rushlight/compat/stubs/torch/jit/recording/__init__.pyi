# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.recording import At as At
from rushlight.jit.recording import Break as Break
from rushlight.jit.recording import Call as Call
from rushlight.jit.recording import PENDING as PENDING
from rushlight.jit.recording import Recorder as Recorder
from rushlight.jit.recording import State as State
from rushlight.jit.recording import _Exact as _Exact
from rushlight.jit.recording import _Given as _Given
from rushlight.jit.recording import exact as exact
from rushlight.jit.recording import exposed as exposed
from rushlight.jit.recording import innermost as innermost
from rushlight.jit.recording import is_view as is_view
from rushlight.jit.recording import paused as paused
from rushlight.jit.recording import recording as recording
from rushlight.jit.recording import results_of as results_of
from rushlight.jit.recording import settle as settle
