# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.tracing import (
    PH as PH, PHBase as PHBase, PHWithMeta as PHWithMeta, Tracer as Tracer, _assert_is_none as _assert_is_none,
    is_fx_tracing as is_fx_tracing, wrap as wrap,
)
