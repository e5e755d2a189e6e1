"""Samples of activations and the softmax family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


def _shapes(make: Make, *args: Any, **kwargs: Any) -> Samples:
    for shape in ((), (3,), (2, 3), (2, 1, 4), (0,), (2, 3, 2, 2)):
        yield Sample(make(shape, low=-4, high=4), *args, **kwargs)


def _plain(**kwargs: Any) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        yield from _shapes(make)
        if kwargs:
            yield from _shapes(make, **kwargs)

    return generate


_OPTIONS: dict[str, dict[str, Any]] = {
    "relu6": {},
    "hardtanh": {"min_val": -0.5, "max_val": 2.0},
    "leaky_relu": {"negative_slope": 0.2},
    "elu": {"alpha": 0.7},
    "selu": {},
    "celu": {"alpha": 1.3},
    "gelu": {"approximate": "tanh"},
    "silu": {},
    "mish": {},
    "softplus": {"beta": 2.0, "threshold": 3.0},
    "logsigmoid": {},
    "softsign": {},
    "tanhshrink": {},
    "hardsigmoid": {},
    "hardswish": {},
    "hardshrink": {"lambd": 0.8},
    "softshrink": {"lambd": 0.8},
}
for _name, _kwargs in _OPTIONS.items():
    samples(f"nn.functional.{_name}", tolerance=4.0)(_plain(**_kwargs))
samples("relu", dtypes="float int", reference=lambda np, x: np.maximum(x, 0))(_plain())


@samples("threshold", dtypes="float int64")
def _threshold(make: Make) -> Samples:
    yield from _shapes(make, 0.5, 2.0)


@samples("prelu")
def _prelu(make: Make) -> Samples:
    yield Sample(make((2, 3, 4)), make((3,)))
    yield Sample(make((2, 3)), make((1,)))
    yield Sample(make((2,)), make((1,)))
    yield ErrorSample(
        RuntimeError, "'weight' must hold 1 value or one for each of the 3 channels; found 2", make((2, 3)), make((2,))
    )


@samples("nn.functional.glu", tolerance=4.0)
def _glu(make: Make) -> Samples:
    yield Sample(make((2, 4)))
    yield Sample(make((4, 3)), dim=0)
    yield ErrorSample(RuntimeError, "must be even", make((2, 3)))


def _softmaxes(make: Make) -> Samples:
    for dim in (0, 1, -1):
        yield Sample(make((3, 4, 2), low=-9, high=9), dim)
    yield Sample(make(()), 0)
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-1, 0\] for a 1-d tensor; found 1", make((3,)), 1)


samples("softmax", tolerance=4.0)(_softmaxes)
samples("log_softmax", tolerance=4.0)(_softmaxes)
samples("nn.functional.softmin", tolerance=4.0)(_softmaxes)


refused("nn.functional.celu", RuntimeError, "'alpha' must not be 0", lambda make: (make((3,)), 0.0))
refused(
    "nn.functional.hardtanh", ValueError, "'min_val' must be at most 'max_val'", lambda make: (make((3,)), 1.0, -1.0)
)
refused(
    "nn.functional.softshrink", RuntimeError, "'lambd' must be at least 0, and finite", lambda make: (make((3,)), -1.0)
)
