"""Names that are refused: methods of quantized and nested tensors, and of tensors on devices with streams, which a
plain tensor refuses as PyTorch's do; and functions that PyTorch has removed, and keeps as names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.core import dtypes as dt
from rushlight.core import tensor as _core
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import FUNCTIONS, METHODS, attach_built_in, function
from rushlight.operators.table.overrides import handle_torch_function, has_torch_function

_QUANTIZED = "the tensor is not quantized, and there are no quantized tensors here"
_ASKED = dict.fromkeys(
    "int_repr q_scale q_zero_point q_per_channel_scales q_per_channel_zero_points q_per_channel_axis".split(),
    _QUANTIZED,
)
_METHODS = {
    **_ASKED,
    "qscheme": _QUANTIZED,
    **dict.fromkeys(
        "_nested_tensor_size _nested_tensor_strides _nested_tensor_storage_offsets".split(),
        "the tensor is not nested in the layout torch.strided, of which there is none here",
    ),
}
_NO_QUANTIZED = (
    "there are no quantized tensors, which PyTorch is about to remove; fake_quantize_per_tensor_affine() and "
    "fake_quantize_per_channel_affine() give the same numbers in floating point"
)


def _without(name: str, why: str) -> Callable[..., Any]:
    def ask(input: Tensor) -> Any:
        if has_torch_function((input,)):
            return handle_torch_function(getattr(Tensor, name), (input,), input)
        raise NotImplementedError(f"{name}(): could not run with a tensor on the device {input.device}: {why}")

    return named(ask, name, f"NotImplementedError: {why}.")


def _written(fn: Callable[..., Any], name: str) -> None:
    """Attach a method that says of itself what those of PyTorch do that are Python there."""
    _core.attach(name, named(fn, name, owner="Tensor", module="torch._tensor"))


for _name, _why in _METHODS.items():
    attach_built_in(_name, _without(_name, _why))
for _name, _why in _ASKED.items():
    FUNCTIONS[_name] = globals()[_name] = _without(_name, _why)


@function
def dequantize(tensor: Any) -> Any:
    """The numbers that a quantized tensor stands for; of a plain one a float32 tensor, itself if it is so.

    Raises:
        NotImplementedError: for a list of tensors, which must be quantized.
    """
    if isinstance(tensor, (list, tuple)):
        raise NotImplementedError(f"dequantize(): {_QUANTIZED}")
    if has_torch_function((tensor,)):
        return handle_torch_function(dequantize, (tensor,), tensor)
    return METHODS["to"](tensor, dt.float32)


def _dequantize(self: Tensor) -> Any:
    """The tensor in float32."""
    if has_torch_function((self,)):
        return handle_torch_function(_dequantize, (self,), self)
    return METHODS["to"](self, dt.float32)


def _record_stream(self: Tensor, s: Any) -> NoReturn:
    """Note that a stream uses the tensor: NotImplementedError on the CPU, which has no streams to wait for."""
    raise NotImplementedError(
        f"record_stream(): could not run with a tensor on the device {self.device}, whose memory no stream uses"
    )


def _index(self: Tensor, positions: Any, dims: Any) -> NoReturn:
    """Bind dimensions to first-class ones of functorch.dim: NotImplementedError, for there are none."""
    raise NotImplementedError(
        "index(): binds dimensions to those of functorch.dim, which rushlight lacks; index with []"
    )


attach_built_in("dequantize", _dequantize)
attach_built_in("record_stream", _record_stream)
_written(_index, "index")


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}(): {_NO_QUANTIZED}")

    return named(refuse, name, f"Not there: NotImplementedError. {_NO_QUANTIZED[0].upper()}{_NO_QUANTIZED[1:]}.")


for _name in ("quantize_per_tensor", "quantize_per_channel", "quantize_per_tensor_dynamic"):
    FUNCTIONS[_name] = globals()[_name] = _refused(_name)


# ------------------------------------------------------------------------------------ functions that are no more
def _gone(name: str, instead: str) -> RuntimeError:
    return RuntimeError(f"{name}(): the function was removed from PyTorch after version 1.9; use {instead}")


@function
def eig(self: object, eigenvectors: bool = False, *, e: object = None, v: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.eig."""
    raise _gone("eig", "torch.linalg.eig(A), or torch.linalg.eigvals(A)")


@function
def lstsq(input: object, A: object, *, out: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.lstsq, whose arguments stand the other way round."""
    raise _gone("lstsq", "torch.linalg.lstsq(A, B), whose arguments stand the other way round")


@function
def matrix_rank(input: object, tol: object = None, symmetric: bool = False, *, out: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.matrix_rank."""
    raise _gone("matrix_rank", "torch.linalg.matrix_rank(A, tol, hermitian=symmetric)")


@function
def solve(input: object, A: object, *, out: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.solve, whose arguments stand the other way round."""
    raise _gone("solve", "torch.linalg.solve(A, B), whose arguments stand the other way round")


@function
def symeig(input: object, eigenvectors: bool = False, upper: bool = True, *, out: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.eigh, whose default is the other triangle."""
    raise _gone("symeig", "torch.linalg.eigh(A, UPLO='U' if upper else 'L'), or torch.linalg.eigvalsh")


def _method_of(fn: Callable[..., NoReturn]) -> Callable[..., NoReturn]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
        fn(self, *args, **kwargs)

    method.__doc__ = fn.__doc__
    return method


for _gone_fn in (eig, lstsq, solve, symeig):
    _written(_method_of(_gone_fn), _gone_fn.__name__)
