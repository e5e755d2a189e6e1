"""Cases whose figures stand in docs/design:
`python -m benchmarks --only '^compiler/|^fourier/' --threads 1 --processor`.

Their bars are PyTorch's time and what is known to be above it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks.cases import CASES, Run, case

__all__ = ["CASES"]

_MOST = 1 << 22  # numbers of one call


def _on(*shape: int, dtype: str = "float32", low: float = -3.0) -> Callable[[Any], Any]:
    """A tensor of a module between `low` and 3."""
    return lambda T: (T.rand(*shape) * (3.0 - low) + low).to(getattr(T, dtype))


def _method(name: str, operand: Callable[[Any], Any], *args: Any) -> Callable[[Any], Run]:
    def build(T: Any) -> Run:
        call = getattr(operand(T), name)
        return lambda: call(*args)

    return build


for _name in ("exp", "sin", "tanh", "erf", "sigmoid", "log"):
    for _n in (30_000, 1_000_000):
        case(f"compiler/{_name}_{_n}", 1.05)(_method(_name, _on(_n, low=0.1 if _name == "log" else -3.0)))
case("compiler/erfinv_1000000", 1.05)(_method("erfinv", lambda T: T.rand(1_000_000) * 1.9 - 0.95))


def _sum_of_two(n: int, T: Any) -> Run:
    x, y = T.rand(n), T.rand(n)
    return lambda: x + y


def _transposed_copy(n: int, T: Any) -> Run:
    x = T.rand(2, n)
    return lambda: x.t().contiguous()


for _n in (500_000, 1_000_000):
    case(f"compiler/add_{_n}", 1.0)(functools.partial(_sum_of_two, _n))
case("compiler/sum_300000", 1.0)(_method("sum", _on(300_000)))
case("compiler/sum_rows_1M", 1.0)(_method("sum", _on(1000, 1000), 1))
case("compiler/argmax_rows_1M", 1.0)(_method("argmax", _on(1000, 1000), 1))
for _name in ("sum", "argmax"):
    case(f"compiler/{_name}_columns_16M", 1.0)(_method(_name, _on(4000, 4000), 0))
case("compiler/flip_rows_1M", 1.0)(_method("flip", _on(1000, 1000), 1))


def _channels_last(T: Any) -> Any:
    return T.rand(8, 32, 32, 32).to(memory_format=T.channels_last)


case("compiler/sum_of_transposed", 3.5)(_method("sum", lambda T: T.rand(300, 1000).t()))
case("compiler/sum_of_channels_last", 3.5)(_method("sum", _channels_last))
case("compiler/softmax_of_channels_last", 1.0)(_method("softmax", _channels_last, 1))


for _name in ("sum", "amax", "softmax"):
    case(f"compiler/{_name}_of_short_rows", 1.0)(_method(_name, _on(100_000, 3), 1))


def _product(dtype: str, T: Any) -> Run:
    x, y = (T.randint(-50, 50, (256, 256), dtype=getattr(T, dtype)) for _ in range(2))
    return lambda: x @ y


for _dtype in ("int64", "int32"):
    case(f"compiler/product_{_dtype}_256", 1.0)(functools.partial(_product, _dtype))


def _of_one_shape(name: str, dtype: str, *shape: int) -> Callable[[Any], Run]:
    """A method of a tensor with another one of its shape: between 1 and 100."""

    def build(T: Any) -> Run:
        x, y = (_on(*shape, dtype=dtype, low=1.0)(T) * 33 for _ in range(2))
        return lambda: getattr(x, name)(y)

    return build


for _dtype in ("float32", "float64", "bfloat16", "float16"):
    case(f"compiler/tiny_products_{_dtype}", 1.0)(_of_one_shape("bmm", _dtype, 33_000, 3, 3))
for _dtype in ("bfloat16", "float16", "complex64", "uint8"):
    case(f"compiler/dot_{_dtype}", 1.0)(_of_one_shape("dot", _dtype, 300_000))
for _dtype in ("uint8", "int16", "int32"):
    for _name in ("remainder", "floor_divide", "fmod"):
        case(f"compiler/{_name}_{_dtype}", 1.0)(_of_one_shape(_name, _dtype, 300_000))
for _dtype in ("float64", "float32", "uint8"):
    case(f"compiler/sort_short_rows_{_dtype}", 1.0)(_method("sort", _on(33_000, 9, dtype=_dtype, low=0.0), 1))
case("compiler/sort_uint8", 1.4)(_method("sort", _on(300_000, dtype="uint8", low=0.0)))
case("compiler/cumsum_short_rows", 1.6)(_method("cumsum", _on(43_000, 7, dtype="float64"), 1))
for _n in (500, 10_000):
    case(f"compiler/transposed_copy_2x{_n}", 1.0)(functools.partial(_transposed_copy, _n))
for _dtype in ("float32", "int32"):
    case(f"compiler/cumsum_rows_{_dtype}", 1.0)(_method("cumsum", _on(1000, 1000, dtype=_dtype), 1))
case("compiler/logcumsumexp_rows", 1.0)(_method("logcumsumexp", _on(1000, 1000), 1))


@case("compiler/cat_columns", 1.0)
def _cat(T: Any) -> Run:
    x, y = T.rand(1000, 1000), T.rand(1000, 1000)
    return lambda: T.cat([x, y], 1)


@case("compiler/interpolate_bilinear", 1.0)
def _interpolate(T: Any) -> Run:
    x = T.rand(4, 16, 64, 64)
    return lambda: T.nn.functional.interpolate(x, scale_factor=2, mode="bilinear")


def _transform(kind: str, dtype: str, *shape: int) -> Callable[[Any], Run]:
    def build(T: Any) -> Run:
        x = _on(*shape, dtype=dtype)(T)
        f = getattr(T.fft, kind)
        if kind.startswith("fft"):
            x = T.complex(x, x.flip(0))
        elif kind.startswith("irfft"):
            x = T.fft.rfft(x)
        return lambda: f(x)

    return build


for _dtype in ("float32", "float64"):
    for _kind in ("fft", "rfft", "irfft"):
        for _n in (64, 100, 256, 1000, 1009, 4096, 65_536, 1 << 20):
            for _batch in (1, 32, 1000):
                if _n * _batch <= _MOST:
                    case(f"fourier/{_kind}_{_batch}x{_n}_{_dtype}", 2.6)(_transform(_kind, _dtype, _batch, _n))
    for _shape in ((16, 256, 256), (64, 32, 32), (1024, 1024)):
        for _kind in ("fft2", "rfft2"):
            case(f"fourier/{_kind}_{'x'.join(map(str, _shape))}_{_dtype}", 2.6)(_transform(_kind, _dtype, *_shape))
