# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compiler import compile_program as compile_program
from rushlight.compiler.artifacts import load_cache_artifacts as load_cache_artifacts
from rushlight.compiler.artifacts import save_cache_artifacts as save_cache_artifacts
from rushlight.compiler.counters import stats as stats
from rushlight.compiler.marks import allow_in_graph as allow_in_graph
from rushlight.compiler.marks import assume_constant_result as assume_constant_result
from rushlight.compiler.marks import cudagraph_mark_step_begin as cudagraph_mark_step_begin
from rushlight.compiler.marks import disable as disable
from rushlight.compiler.marks import get_default_backend as get_default_backend
from rushlight.compiler.marks import is_compiling as is_compiling
from rushlight.compiler.marks import is_dynamo_compiling as is_dynamo_compiling
from rushlight.compiler.marks import is_exporting as is_exporting
from rushlight.compiler.marks import list_backends as list_backends
from rushlight.compiler.marks import nested_compile_region as nested_compile_region
from rushlight.compiler.marks import reset as reset
from rushlight.compiler.marks import set_default_backend as set_default_backend
from rushlight.compiler.marks import set_stance as set_stance
from rushlight.compiler.marks import substitute_in_graph as substitute_in_graph
from rushlight.compiler.marks import wrap_numpy as wrap_numpy
from rushlight.compiler.plan import Plan as Plan
