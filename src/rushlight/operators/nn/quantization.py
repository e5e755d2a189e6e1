"""Fake quantization: numbers rounded to those that an integer dtype could hold, in floating point."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.table.arguments import dim_out_of_range
from rushlight.operators.table.body import double, has_values, refuse_kinds, wide, with_rule
from rushlight.operators.table.checks import check_dtype, check_least
from rushlight.operators.table.define import TABLE, eager, operator
from rushlight.operators.table.tracer import P, Tracer, constant, convert, expand_to, filled
from rushlight.operators.table.types import Operand, Sizes
from rushlight.program.sym import hint, hints

_PER_TENSOR = "fake_quantize_per_tensor_affine"
_PER_CHANNEL = "fake_quantize_per_channel_affine"
_KERNEL = "fake_quantize_tensor_cachemask_kernel_type_handling"


def _rounded(x: Tracer, scale: Tracer, zero: Tracer, low: Any, high: Any, whole: bool, name: str) -> Tracer:
    """clamp(round(x / scale) + zero, low, high), and back; its derivative is 1 where nothing was clamped.

    Args:
        scale: float32, of x's shape, as `zero` is.
        whole: whether `zero` is an integer, which is added to the rounded number; else the sum is rounded.
    """
    d = x.dtype
    inverse = convert(P.reciprocal(scale), d)  # a product by it, and not a quotient: these are PyTorch's bits

    def level(v: Tracer, inv: Tracer, z: Tracer) -> Tracer:
        return P.round(v * inv) + z if whole else P.round(v * inv + z)

    def body(v: Tracer, inv: Tracer, s: Tracer, z: Tracer, lo: Tracer, hi: Tracer, _: Tracer) -> Tracer:
        q = level(v, inv, z)
        q = P.select(q >= lo, P.select(q <= hi, q, hi), lo)  # a NaN is the least number, as in PyTorch
        if name == _PER_TENSOR:
            return convert(convert(q - z, dt.float32) * s, d)  # a float32 for wider dtypes too
        return convert((double(q) - double(z)) * double(s), d)

    def jvp(xs: Any, y: Any, ts: Any) -> Tracer:
        if any(t is not None for t in ts[1:]):
            raise RuntimeError(
                f"{name}(): is not differentiable with respect to 'scale' and 'zero_point'; found one that requires "
                "grad"
            )
        return P.select(xs[-1], ts[0], 0)

    zero, least, most = convert(zero, d), filled(low, x), filled(high, x)
    q = level(P.stop_gradient(x), P.stop_gradient(inverse), P.stop_gradient(zero))
    inside = P.kept((q >= least) & (q <= most))  # the backward keeps this instead of the input, as in PyTorch
    return with_rule(body, jvp, x, inverse, scale, zero, least, most, inside, name="fake_quantize")


def _check_range(name: str, low: int, high: int) -> None:
    if low > high:
        raise RuntimeError(
            f"{name}(): 'quant_min' must be less than or equal to 'quant_max'; found {hint(low)} and {hint(high)}"
        )


def _of_one(value: Any, x: Tensor, d: dt.dtype, name: str, what: str) -> Tracer:
    """A number, or the only element of a tensor, as a value of x's shape."""
    if not isinstance(value, Tracer) or value.number:
        return constant(value, x.var.shape, d)
    if any(n != 1 for n in value.var.shape):
        raise RuntimeError(f"{name}(): '{what}' must have one element; found the shape {hints(value.shape)}")
    return expand_to(convert(convert(reshape(value), dt.int64) if d is dt.int64 else reshape(value), d), x.var.shape)


@operator(
    namespace=None,
    method=False,
    out=False,
    shape_class="pointwise",
    node="FakeQuantizePerTensorAffineCachemaskBackward0",
)
def _fake_quantize(input: Tensor, scale: Operand, zero_point: Operand, quant_min: Sizes, quant_max: Sizes) -> Tensor:
    """fake_quantize_per_tensor_affine of checked arguments."""
    refuse_kinds(input, "biuc", _KERNEL)
    x = wide(input)
    s = _of_one(scale, x, dt.float32, _PER_TENSOR, "scale")
    z = _of_one(zero_point, x, dt.int64, _PER_TENSOR, "zero_point")
    return convert(_rounded(x, s, z, quant_min, quant_max, True, _PER_TENSOR), input.dtype)


@eager(method=False, shape_class="pointwise")
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Tensor:
    """input as a quantized tensor would hold it: rounded to multiples of `scale` and clamped.

    (clamp(round(input / scale) + zero_point, quant_min, quant_max) - zero_point) * scale. The derivative is 1 where
    nothing was clamped, 0 elsewhere.

    Args:
        input: any shape, of a floating point dtype.
        scale: the step, a number or a tensor of one element.
        zero_point: the integer that stands for 0, a number or a tensor of one element.
        quant_min, quant_max: the least and the greatest integer.
    """
    for what, value in (("quant_min", quant_min), ("quant_max", quant_max)):
        if not hasattr(type(value), "__index__"):
            raise TypeError(f"{_PER_TENSOR}(): argument '{what}' must be int, not {type(value).__name__}")
    if not isinstance(scale, Tensor) or not isinstance(zero_point, Tensor):  # one number: then both are
        scale, zero_point = (v.item() if isinstance(v, Tensor) and v.ndim == 0 else v for v in (scale, zero_point))
        if isinstance(scale, Tensor) or isinstance(zero_point, Tensor):
            raise TypeError(
                f"{_PER_TENSOR}(): arguments 'scale' and 'zero_point' must both be numbers or both be tensors; found "
                f"{type(scale).__name__} and {type(zero_point).__name__}"
            )
    if not isinstance(scale, (int, float, Tensor)):
        raise TypeError(f"{_PER_TENSOR}(): argument 'scale' must be float or Tensor, not {type(scale).__name__}")
    if not isinstance(zero_point, Tensor) and not hasattr(type(zero_point), "__index__"):
        raise TypeError(
            f"{_PER_TENSOR}(): argument 'zero_point' must be int or Tensor, not {type(zero_point).__name__}"
        )
    _check_range(_PER_TENSOR, quant_min, quant_max)
    if not isinstance(zero_point, Tensor) and not quant_min <= zero_point <= quant_max:
        raise RuntimeError(
            f"{_PER_TENSOR}(): 'zero_point' must be between 'quant_min' and 'quant_max', {quant_min} and {quant_max}; "
            f"found {zero_point}"
        )
    return _fake_quantize(input, scale, zero_point, quant_min, quant_max)


@operator(
    namespace=None,
    method=False,
    out=False,
    shape_class="pointwise",
    node="FakeQuantizePerChannelAffineCachemaskBackward0",
)
def _fake_quantize_channels(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: Sizes, quant_max: Sizes
) -> Tensor:
    """fake_quantize_per_channel_affine of checked arguments."""
    refuse_kinds(input, "biuc", _KERNEL)
    x = wide(input)
    s, z = (P.broadcast_in_dim(wide(v), shape=x.var.shape, dims=(axis,)) for v in (scale, zero_point))
    whole = zero_point.dtype is dt.int32
    return convert(_rounded(x, s, z, quant_min, quant_max, whole, _PER_CHANNEL), input.dtype)


@eager(method=False, shape_class="pointwise", checked=True)
def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """`fake_quantize_per_tensor_affine` with a step and a zero for each index along one dimension.

    Args:
        input: any shape, of a floating point dtype.
        scale: one dimension, float32 or bfloat16.
        zero_point: as many; int32, or float32 or float16, which are added before rounding.
        axis: the dimension, from 0 on.
        quant_min, quant_max: the least and the greatest integer.
    """
    name = _PER_CHANNEL
    check_dtype(name, "scale", scale, dt.float32, dt.bfloat16)
    check_dtype(name, "zero_point", zero_point, dt.int32, dt.float32, dt.float16)
    if scale.ndim != 1 or zero_point.shape != scale.shape:
        raise RuntimeError(
            f"{name}(): 'scale' and 'zero_point' must be of one dimension and of one size; found "
            f"{list(scale.shape)} and {list(zero_point.shape)}"
        )
    if not -input.ndim <= axis < input.ndim:
        raise dim_out_of_range(name, axis, input.ndim)
    if scale.shape[0] != input.shape[axis]:
        raise RuntimeError(
            f"{name}(): 'scale' must have a value for each of the {input.shape[axis]} indices along dimension {axis}; "
            f"found {scale.shape[0]}"
        )
    _check_range(name, quant_min, quant_max)
    if zero_point.dtype is dt.int32 and has_values(zero_point) and zero_point.numel():
        least, most = (v.item() for v in TABLE["aminmax"](zero_point))
        if least < quant_min or most > quant_max:
            raise RuntimeError(
                f"{name}(): 'zero_point' must be between 'quant_min' and 'quant_max', {quant_min} and {quant_max}; "
                f"found {least if least < quant_min else most}"
            )
    check_least(name, "axis", axis, 0)
    return _fake_quantize_channels(input, scale, zero_point, axis, quant_min, quant_max)
