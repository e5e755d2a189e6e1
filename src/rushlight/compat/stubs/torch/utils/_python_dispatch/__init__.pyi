# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.operator import OpOverload as OpOverload
from rushlight.utils._python_dispatch import TorchDispatchMode as TorchDispatchMode
from rushlight.utils._python_dispatch import _Adapter as _Adapter
from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass as is_traceable_wrapper_subclass
from rushlight.utils._python_dispatch import return_and_correct_aliasing as return_and_correct_aliasing
from rushlight.utils._python_dispatch import transform_subclass as transform_subclass
