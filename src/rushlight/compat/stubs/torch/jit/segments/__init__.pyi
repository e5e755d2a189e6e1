# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.jit.recording import At as At
from rushlight.jit.recording import Call as Call
from rushlight.jit.recording import Recorder as Recorder
from rushlight.jit.segments import MOST as MOST
from rushlight.jit.segments import Plan as Plan
from rushlight.jit.segments import Segments as Segments
from rushlight.jit.segments import _Cut as _Cut
from rushlight.jit.segments import _Exact as _Exact
from rushlight.jit.segments import _Part as _Part
from rushlight.jit.segments import _Refused as _Refused
from rushlight.jit.segments import exact as exact
from rushlight.jit.segments import filled as filled
from rushlight.jit.segments import numbers_in as numbers_in
