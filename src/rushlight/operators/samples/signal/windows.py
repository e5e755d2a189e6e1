"""Samples of windows; the reference is SciPy."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import Make, Samples, refused
from rushlight.testing.samples import ErrorSample, Sample, samples


def _scipy(name: str, **fixed: Any) -> Callable[..., Any]:
    def run(np: ModuleType, m: int, *, sym: bool = True, dtype: Any = None, **kwargs: Any) -> Any:
        import scipy.signal.windows as sw

        return getattr(sw, name)(m, sym=sym, **fixed, **kwargs)

    return run


def _window(
    name: str,
    reference: Callable[..., Any],
    more: tuple[dict[str, Any], ...] = ({},),
    errors: tuple[tuple[type[Exception], str, dict[str, Any]], ...] = (),
) -> None:
    def generate(make: Make) -> Samples:
        for kwargs in more:
            for m in (8, 1, 7, 2):
                yield Sample(m, dtype=make.dtype, **kwargs)
                yield Sample(m, sym=False, dtype=make.dtype, **kwargs)
        first = more[0]
        yield Sample(0, dtype=make.dtype, **first)
        yield ErrorSample(ValueError, "'M' must be at least 0; found -1", -1, **first)
        yield ErrorSample(
            ValueError, r"'dtype' must be float32 or float64; found torch\.int32", 4, dtype=dt.int32, **first
        )
        yield ErrorSample(TypeError, "argument 'M'", 2.5, **first)
        for error, message, kwargs in errors:
            yield ErrorSample(error, message, 4, **kwargs)

    skip = (
        {"inplace": "Tensor.exponential_ is another operator: it draws random numbers"}
        if name == "exponential"
        else None
    )
    samples(f"signal.windows.{name}", dtypes="float32 float64", reference=reference, grad=False, skip=skip)(generate)


for _name in ("bartlett", "blackman", "cosine", "hamming", "hann", "nuttall"):
    _window(_name, _scipy(_name))
_window(
    "kaiser",
    lambda np, m, beta=12.0, **k: _scipy("kaiser", beta=beta)(np, m, **k),
    ({}, {"beta": 0.0}, {"beta": 2.5}, {"beta": 60.0}),
    ((ValueError, "'beta' must be at least 0; found -1", {"beta": -1.0}),),
)
_window(
    "gaussian",
    lambda np, m, std=1.0, **k: _scipy("gaussian", std=std)(np, m, **k),
    ({}, {"std": 2.5}),
    ((ValueError, "'std' must be greater than 0; found 0", {"std": 0.0}),),
)
_window(
    "exponential",
    _scipy("exponential"),
    ({}, {"tau": 2.5}),
    (
        (ValueError, "'tau' must be greater than 0; found 0", {"tau": 0.0}),
        (ValueError, "'center' is for sym=False; found 1", {"center": 1.0}),
    ),
)
_window(
    "general_cosine",
    _scipy("general_cosine"),
    ({"a": (0.5, 0.3, 0.2)}, {"a": [1.0]}),
    (
        (ValueError, "'a' must hold at least one coefficient; found none", {"a": ()}),
        (TypeError, "'a' must be coefficients in a list or tuple; found float", {"a": 0.5}),
    ),
)
_window(
    "general_hamming",
    lambda np, m, alpha=0.54, **k: _scipy("general_hamming", alpha=alpha)(np, m, **k),
    ({}, {"alpha": 0.7}),
)


def _named(name: str, scipy_name: str, *numbers: Any, **fixed: Any) -> None:
    def reference(np: ModuleType, m: int, periodic: bool = True, *args: Any, dtype: Any = None) -> Any:
        if m < 2:
            return np.ones(m)
        if scipy_name == "general_cosine":
            return _scipy(scipy_name, a=args or (0.54, 0.46))(np, m, sym=not periodic)
        return _scipy(scipy_name, **({"beta": args[0] if args else 12.0} if scipy_name == "kaiser" else {}))(
            np, m, sym=not periodic
        )

    def generate(make: Make) -> Samples:
        for m in (8, 1, 7, 2, 0):
            yield Sample(m, dtype=make.dtype)
            yield Sample(m, False, dtype=make.dtype)
        if numbers:
            yield Sample(5, True, *numbers, dtype=make.dtype)
        yield ErrorSample(RuntimeError, "'window_length' must be at least 0; found -1", -1)
        yield ErrorSample(RuntimeError, r"'dtype' must be floating point; found torch\.int32", 4, dtype=dt.int32)
        yield ErrorSample(NotImplementedError, r"not defined for dtype torch\.complex64", 4, dtype=dt.complex64)
        yield ErrorSample(TypeError, "argument 'window_length'", 2.5)

    # (PyTorch computes half precision in half precision: no reference for bfloat16)
    samples(name, dtypes="float32 float64 float16", reference=reference, grad=False)(generate)


_named("bartlett_window", "bartlett")
_named("blackman_window", "blackman")
_named("hann_window", "hann")
_named("hamming_window", "general_cosine", 0.6, 0.4)
_named("kaiser_window", "kaiser", 3.0)


refused("kaiser_window", RuntimeError, "'beta' must be at least 0", lambda make: (4, True, -1.0))
