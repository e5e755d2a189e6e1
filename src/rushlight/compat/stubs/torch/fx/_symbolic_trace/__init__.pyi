# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.tracing import PH as PH
from rushlight.fx.tracing import PHBase as PHBase
from rushlight.fx.tracing import PHWithMeta as PHWithMeta
from rushlight.fx.tracing import Tracer as Tracer
from rushlight.fx.tracing import _assert_is_none as _assert_is_none
from rushlight.fx.tracing import is_fx_tracing as is_fx_tracing
from rushlight.fx.tracing import wrap as wrap
