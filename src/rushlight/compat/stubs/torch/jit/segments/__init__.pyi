# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.backward import CUT as CUT
from rushlight.jit.backward import Whole as Whole
from rushlight.jit.backward import lets_go as lets_go
from rushlight.jit.calls import At as At
from rushlight.jit.calls import Backward as Backward
from rushlight.jit.calls import Call as Call
from rushlight.jit.calls import LAST_USES as LAST_USES
from rushlight.jit.calls import ONCE as ONCE
from rushlight.jit.calls import ONE_BY_ONE as ONE_BY_ONE
from rushlight.jit.calls import VANISHES as VANISHES
from rushlight.jit.calls import is_view as is_view
from rushlight.jit.calls import name_results as name_results
from rushlight.jit.calls import numbers_in as numbers_in
from rushlight.jit.calls import results_of as results_of
from rushlight.jit.calls import supplied as supplied
from rushlight.jit.calls import taken as taken
from rushlight.jit.graphs import LetGo as LetGo
from rushlight.jit.operands import marked as marked
from rushlight.jit.recording import Recorder as Recorder
from rushlight.jit.segments import MOST as MOST
from rushlight.jit.segments import Plan as Plan
from rushlight.jit.segments import Segments as Segments
from rushlight.jit.segments import _Cut as _Cut
from rushlight.jit.segments import _Part as _Part
from rushlight.jit.segments import step_of as step_of
