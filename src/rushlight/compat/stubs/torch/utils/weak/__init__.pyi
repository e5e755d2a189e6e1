# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.weak import K as K
from rushlight.utils.weak import TensorWeakRef as TensorWeakRef
from rushlight.utils.weak import V as V
from rushlight.utils.weak import WeakIdKeyDictionary as WeakIdKeyDictionary
from rushlight.utils.weak import WeakIdKeyDictionary as _of_WeakTensorKeyDictionary
from rushlight.utils.weak import WeakIdRef as WeakIdRef

WeakTensorKeyDictionary = _of_WeakTensorKeyDictionary
