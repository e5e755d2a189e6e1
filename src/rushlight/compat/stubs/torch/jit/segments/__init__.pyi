# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.operands import marked as marked
from rushlight.jit.recording import At as At
from rushlight.jit.recording import Call as Call
from rushlight.jit.recording import Recorder as Recorder
from rushlight.jit.recording import is_view as is_view
from rushlight.jit.recording import results_of as results_of
from rushlight.jit.segments import MOST as MOST
from rushlight.jit.segments import Plan as Plan
from rushlight.jit.segments import Segments as Segments
from rushlight.jit.segments import _Cut as _Cut
from rushlight.jit.segments import _Part as _Part
from rushlight.jit.segments import filled as filled
from rushlight.jit.segments import numbers_in as numbers_in
from rushlight.jit.segments import step_of as step_of
