"""Samples of fake quantization."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_ROUNDS = {"grad": "the derivative is that of the identity where nothing is clamped, and not that of the steps"}


@samples("fake_quantize_per_tensor_affine", dtypes="float", skip=_ROUNDS)
def _per_tensor(make: Make) -> Samples:
    for shape in ((), (3,), (2, 3, 4), (0, 2)):
        yield Sample(make(shape, low=-20, high=20), 0.1, 10, -128, 127)
        yield Sample(make(shape, low=-20, high=20), 0.37, 0, 0, 255)
    yield ErrorSample(RuntimeError, "'quant_min' must be less than or equal to 'quant_max'", make((2,)), 0.1, 0, 1, -1)
    yield ErrorSample(RuntimeError, "'zero_point' must be between", make((2,)), 0.1, 300, 0, 255)
    yield ErrorSample(TypeError, "'zero_point' must be int or Tensor", make((2,)), 0.1, 0.5, 0, 255)
    yield ErrorSample(TypeError, "'scale' must be float or Tensor", make((2,)), "1", 0, 0, 255)
    yield ErrorSample(TypeError, "'quant_min' must be int", make((2,)), 0.1, 0, 0.5, 255)
    yield ErrorSample(TypeError, "must both be numbers or both be tensors", make((2,)), make((1,)), 0, 0, 255)


@samples(
    "fake_quantize_per_channel_affine",
    dtypes="float",
    skip={**_ROUNDS, "dtypes": "'scale' is float32 beside every dtype"},
)
def _per_channel(make: Make) -> Samples:
    def given(n: int, whole: bool = True) -> tuple[Any, Any]:
        scale = make((n,), low=0.1, high=0.5, dtype=dt.float32, requires_grad=False)
        zero = make((n,), low=0, high=9, dtype=dt.int32 if whole else dt.float32, requires_grad=False)
        return scale, zero

    yield Sample(make((2, 3), low=-20, high=20), *given(2), 0, -128, 127)
    yield Sample(make((2, 3, 2), low=-20, high=20), *given(3), 1, 0, 255)
    yield Sample(make((2, 3), low=-20, high=20), *given(3, whole=False), 1, 0, 15)
    yield Sample(make((0, 2)), *given(2), 1, 0, 15)
    two = given(2)
    x = make((2, 3))
    yield ErrorSample(
        RuntimeError, "'scale' must be of dtype float32", x, make((2,), dtype=dt.float64), two[1], 0, 0, 9
    )
    yield ErrorSample(
        RuntimeError, "'zero_point' must be of dtype int32", x, two[0], make((2,), dtype=dt.int64), 0, 0, 9
    )
    yield ErrorSample(RuntimeError, "of one dimension and of one size", x, two[0], given(3)[1], 0, 0, 9)
    yield ErrorSample(IndexError, "'dim' must be in", x, *two, 2, 0, 9)
    yield ErrorSample(RuntimeError, "'scale' must have a value for each of the 3 indices", x, *two, 1, 0, 9)
    yield ErrorSample(RuntimeError, "'axis' must be at least 0", x, *two, -2, 0, 9)
    yield ErrorSample(RuntimeError, "'zero_point' must be between", x, two[0], two[1] + 90, 0, 0, 9)
    yield ErrorSample(RuntimeError, "'quant_min' must be less than or equal", x, *two, 0, 9, 0)
