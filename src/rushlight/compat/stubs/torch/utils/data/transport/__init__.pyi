# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.data.transport import RemoteError as RemoteError
from rushlight.utils.data.transport import _KeyErrorMessage as _KeyErrorMessage
from rushlight.utils.data.transport import _Pickler as _Pickler
from rushlight.utils.data.transport import receive as receive
from rushlight.utils.data.transport import send as send
