"""Samples: inputs that exercise an operator, kept beside its family and run through every subsystem by one suite."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw

_FAMILIES = {
    "float": (dt.float32, dt.float64, dt.bfloat16, dt.float16),
    "complex": (dt.complex64, dt.complex128),
    "int": (dt.int64, dt.int32, dt.int16, dt.int8, dt.uint8),
    "bool": (dt.bool_,),
}


class Sample:
    """One call: `Sample(*args, **kwargs)`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs


class ErrorSample:
    """One call that must raise: `ErrorSample(error type, regular expression, *args, **kwargs)`."""

    def __init__(
        self, error: type[BaseException] | tuple[type[BaseException], ...], match: str, *args: Any, **kwargs: Any
    ) -> None:
        self.error, self.match, self.args, self.kwargs = error, match, args, kwargs


@dataclass
class OperatorSamples:
    """The samples of one operator.

    name: its name in the table. generate: yields Sample and ErrorSample objects from a `make`. dtypes: those it takes.
    reference: NumPy function of (np, *args, **kwargs). grad: whether gradients are checked. checks to leave out go into
    `skip` with the reason: {"vmap": "data-dependent result"}; the matrix in the docs shows it. tolerance: factor on the
    default.
    through: makes of the operator the function that the derivative checks differentiate instead, where the operator
    itself is one of Hermitian matrices alone, or its results are determined up to a phase only.
    """

    name: str
    generate: Callable[[Make], Iterator[Sample | ErrorSample]]
    dtypes: tuple[dt.dtype, ...]
    reference: Callable[..., Any] | None = None
    grad: bool = True
    skip: dict[str, str] = field(default_factory=dict)
    tolerance: float = 1.0
    through: Callable[[Any], Any] | None = None

    def samples(self, dtype: dt.dtype, seed: int = 0) -> list[Sample]:
        """The good samples for a dtype."""
        return [s for s in self.generate(Make(dtype, seed)) if isinstance(s, Sample)]

    def errors(self, dtype: dt.dtype = dt.float32) -> list[ErrorSample]:
        """The error samples."""
        return [s for s in self.generate(Make(dtype, 0)) if isinstance(s, ErrorSample)]


REGISTRY: dict[str, OperatorSamples] = {}


def dtypes_of(names: str) -> tuple[dt.dtype, ...]:
    """Dtypes by family names and dtype names: "float complex", "all", "int bool", "float32 int64"."""
    if names == "all":
        names = "float complex int bool"
    found: list[dt.dtype] = []
    for n in names.split():
        if n not in _FAMILIES and n not in dt.by_name:
            raise ValueError(f"dtypes must be names of dtypes, 'all', or of {', '.join(_FAMILIES)}; found {n!r}")
        found += [d for d in (_FAMILIES.get(n) or (dt.by_name[n],)) if d not in found]
    return tuple(found)


def samples(
    name: str,
    *,
    dtypes: str = "float",
    reference: Callable[..., Any] | None = None,
    grad: bool = True,
    skip: dict[str, str] | None = None,
    tolerance: float = 1.0,
    through: Callable[[Any], Any] | None = None,
) -> Callable[[Callable[[Make], Iterator[Any]]], Callable[[Make], Iterator[Any]]]:
    """Register the samples of operator `name`; see OperatorSamples."""

    def register(generate: Callable[[Make], Iterator[Any]]) -> Callable[[Make], Iterator[Any]]:
        if name in REGISTRY:
            raise ValueError(f"there are samples for {name} already")
        REGISTRY[name] = OperatorSamples(
            name, generate, dtypes_of(dtypes), reference, grad, skip or {}, tolerance, through
        )
        return generate

    return register


class Make:
    """Makes the tensors of samples: `make((3, 4))` has the dtype under test and repeatable values in [low, high]."""

    def __init__(self, dtype: dt.dtype, seed: int) -> None:
        self.dtype, self.random = dtype, random.Random(seed)

    def __call__(
        self,
        shape: Sequence[int] = (),
        *,
        low: float | None = None,
        high: float | None = None,
        dtype: dt.dtype | None = None,
        noncontiguous: bool = False,
        requires_grad: bool | None = None,
    ) -> Any:
        """A tensor: floats in [low, high] (default -2, 2), ints likewise (default -5, 5; unsigned from 0), bools.

        requires_grad=False keeps the suite from differentiating by this argument (default: by every float or complex
        one).
        """
        import rushlight

        d = dtype or self.dtype
        n = math.prod(shape)
        if d.kind == "b":
            values: list[Any] = [self.random.random() < 0.5 for _ in range(n)]
        elif d.kind in "iu":
            least, most = int(-5 if low is None else low), int(5 if high is None else high)
            values = [
                self.random.randint(max(least, 0) if d.kind == "u" else least, max(most, 0) if d.kind == "u" else most)
                for _ in range(n)
            ]
        else:
            lo, hi = -2.0 if low is None else low, 2.0 if high is None else high
            values = [self.random.uniform(lo, hi) for _ in range(n)]
            if d.kind == "c":
                values = [complex(v, self.random.uniform(lo, hi)) for v in values]
        flat = rushlight.tensor(values, dtype=d)
        strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        if noncontiguous and len(shape) >= 2:
            # Stored with the first and the last dimension swapped.
            inner = [shape[-1], *shape[1:-1], shape[0]]
            strides = [math.prod(inner[i + 1 :]) for i in range(len(inner))]
            strides[0], strides[-1] = strides[-1], strides[0]
        # On the storage directly: samples of the view operators must not depend on them.
        t = _raw.tensor_from_storage(flat.untyped_storage(), d, 0, tuple(shape), tuple(strides))
        t._differentiate = d.kind in "fc" if requires_grad is None else requires_grad
        return t

    def index(self, shape: Sequence[int], size: int) -> Any:
        """An int64 tensor of indices in [0, size)."""
        import rushlight

        return rushlight.tensor([self.random.randrange(size) for _ in range(math.prod(shape))], dtype=dt.int64).reshape(
            tuple(shape)
        )


def load() -> dict[str, OperatorSamples]:
    """Read the samples of every family; returns them by operator name."""
    from importlib.util import find_spec

    from rushlight.operators import FAMILIES, OF_EXTENSIONS, load_families_of_extensions

    load_families_of_extensions()
    for family in (*FAMILIES, *OF_EXTENSIONS):
        if find_spec(f"rushlight.operators.samples.{family}") is not None:
            import_module(f"rushlight.operators.samples.{family}")
    return REGISTRY


def unary(make: Make, low: float | None = None, high: float | None = None) -> Iterator[Sample]:
    """Samples of an elementwise operator of one tensor with values in [low, high]: ranks 0 to 4, empty, permuted."""
    for shape in ((), (5,), (1,), (3, 4), (0,), (2, 0, 3), (2, 3, 4), (2, 1, 3, 2), (33,)):
        yield Sample(make(shape, low=low, high=high))
    yield Sample(make((4, 5), low=low, high=high, noncontiguous=True))


def binary(
    make: Make,
    low: float | None = None,
    high: float | None = None,
    other: tuple[float | None, float | None] | None = None,
) -> Iterator[Sample]:
    """Samples of an elementwise operator of two tensors (the second with values in `other`): equal shapes and every
    broadcast.
    """
    second = (low, high) if other is None else other
    for a, b in (
        ((3, 4), (3, 4)),
        ((), ()),
        ((5,), (1,)),
        ((3, 4), (4,)),
        ((4,), (3, 4)),
        ((2, 1, 4), (3, 1)),
        ((2, 3, 4), ()),
        ((), (3,)),
        ((0, 3), (3,)),
        ((2, 0), (1, 1)),
        ((2, 3, 1, 2), (1, 1, 4, 2)),
        ((33,), (33,)),
    ):
        yield Sample(make(a, low=low, high=high), make(b, low=second[0], high=second[1]))
    yield Sample(make((4, 5), low=low, high=high, noncontiguous=True), make((4, 5), low=second[0], high=second[1]))


def mismatched(make: Make) -> Iterator[ErrorSample]:
    """Shapes that do not broadcast, for an elementwise operator of two tensors."""
    yield ErrorSample(RuntimeError, "sizes that differ must be 1 in one of the tensors", make((3,)), make((4,)))
    yield ErrorSample(RuntimeError, "sizes that differ must be 1 in one of the tensors", make((2, 3)), make((2, 2)))


def refused(
    name: str, error: type[BaseException], match: str, arguments: Callable[[Make], tuple[Any, ...]], **kwargs: Any
) -> None:
    """One call more that an operator must refuse, whose samples a generator of several operators yields."""
    spec = REGISTRY[name]
    generate = spec.generate

    def more(make: Make) -> Iterator[Any]:
        yield from generate(make)
        yield ErrorSample(error, match, *arguments(make), **kwargs)

    spec.generate = more
