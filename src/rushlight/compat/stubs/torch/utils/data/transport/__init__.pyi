# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.data.transport import (
    RemoteError as RemoteError, _KeyErrorMessage as _KeyErrorMessage, _Pickler as _Pickler, receive as receive, send as send,
)
