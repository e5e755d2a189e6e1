# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.storage import Storage as _of_UntypedStorage
from rushlight.operators.tensors.memory import TypedStorage as TypedStorage

UntypedStorage = _of_UntypedStorage
