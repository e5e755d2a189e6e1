# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.backends.registry import Backend as Backend
from rushlight._dynamo.backends.registry import _as_it_is as _as_it_is
from rushlight._dynamo.backends.registry import lookup_backend as lookup_backend
from rushlight._dynamo.backends.registry import register_backend as register_backend
from rushlight._dynamo.backends.registry import register_debug_backend as register_debug_backend
from rushlight._dynamo.exc import InvalidBackend as InvalidBackend
from rushlight.compiler.marks import list_backends as list_backends
