"""Samples of masked reductions and normalizations; the reference is numpy.ma, or the plain function of what counts."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_MASKS = {
    (3, 4): [[True, False, True, True], [False, False, False, True], [True, True, False, True]],
    (4,): [True, False, True, True],
    (3, 1): [[True], [True], [False]],
    (): True,
}


def _mask(shape: tuple[int, ...]) -> Any:
    import rushlight

    return rushlight.tensor(_MASKS[shape])


def _lines(fold: Callable[..., Any]) -> Callable[..., Any]:
    """A reference from `fold(np, what counts of a line, ...)`."""

    def run(
        np: ModuleType, x: Any, dim: Any = None, *args: Any, keepdim: bool = False, mask: Any = None, **more: Any
    ) -> Any:
        more.pop("dtype", None)  # of the result, which is brought to it anyway
        m = np.ones(x.shape, bool) if mask is None else np.broadcast_to(mask != 0, x.shape)
        dims = (
            tuple(range(x.ndim))
            if dim is None or dim == ()
            else tuple(d % x.ndim for d in (dim if isinstance(dim, tuple) else (dim,)))
        )
        rest = [d for d in range(x.ndim) if d not in dims]
        order = (*rest, *dims)
        shape = tuple(x.shape[d] for d in rest)
        flat, mflat = x.transpose(order).reshape(*shape, -1), m.transpose(order).reshape(*shape, -1)
        with np.errstate(all="ignore"):
            out = np.array([fold(np, flat[i], mflat[i], *args, **more) for i in np.ndindex(*shape)]).reshape(shape)
        return np.expand_dims(out, dims) if keepdim else out

    return run


def _variance(np: ModuleType, x: Any, m: Any, unbiased: Any = None, *, correction: Any = None) -> Any:
    v, n = x[m], m.sum()
    taken = correction if correction is not None else 1 if unbiased is None else int(unbiased)
    return (np.abs(v - v.mean()) ** 2).sum() / max(0, n - taken) if n else np.nan


def _position(np: ModuleType, x: Any, m: Any, pick: str, worst: Any) -> Any:
    return getattr(np, pick)(np.where(m, x, worst))


def _calls(make: Make, *lead: Any) -> Samples:
    yield Sample(make((3, 4)), *lead, mask=_mask((3, 4)))
    yield Sample(make((3, 4)), *lead, 0, mask=_mask((4,)))
    yield Sample(make((3, 4)), *lead, -1, keepdim=True)
    yield Sample(make((3, 4), noncontiguous=True), *lead, 0, keepdim=True, mask=_mask((3, 4)))


def _errors(make: Make, *lead: Any) -> Samples:
    yield ErrorSample(
        IndexError,
        r"'mask' must broadcast to the shape of the tensor, \[4\]; found \[3, 4\], of more dimensions",
        make((4,)),
        *lead,
        0,
        mask=_mask((3, 4)),
    )
    yield ErrorSample(
        RuntimeError,
        r"'mask' must broadcast to the shape of the tensor, \[2, 5\]; found \[4\]: 4 for 5 in dimension 1",
        make((2, 5)),
        *lead,
        0,
        mask=_mask((4,)),
    )
    yield ErrorSample(
        IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), *lead, 2, mask=_mask((3, 4))
    )


def _several(make: Make) -> Samples:
    yield from _calls(make)
    yield Sample(make((2, 3, 4)), (0, 2), mask=_mask((3, 1)))
    yield Sample(make((3, 4)), (), mask=_mask((4,)))
    yield Sample(make((3, 4)), 1, mask=make((3, 4), dtype=dt.bool_))
    yield Sample(make((3, 4)), 1, mask=make((4,), dtype=dt.int64))
    yield Sample(make(()), mask=_mask(()))
    yield from _errors(make)


def _one(make: Make) -> Samples:
    yield from _calls(make)
    yield from _errors(make)


samples("masked.sum", dtypes="all", reference=_lines(lambda np, x, m: x[m].sum()))(_several)
samples("masked.prod", dtypes="all", reference=_lines(lambda np, x, m: x[m].prod()))(_several)
samples("masked.mean", dtypes="float complex", reference=_lines(lambda np, x, m: x[m].sum() / m.sum()))(_several)
samples(
    "masked.amax",
    dtypes="float int",
    reference=_lines(
        lambda np, x, m: x[m].max() if m.any() else (-np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min)
    ),
)(_several)
samples(
    "masked.amin",
    dtypes="float int",
    reference=_lines(
        lambda np, x, m: x[m].min() if m.any() else (np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max)
    ),
)(_several)
samples(
    "masked.argmax",
    dtypes="float32 float64",
    reference=_lines(lambda np, x, m: _position(np, x, m, "argmax", -np.inf)),
    grad=False,
)(_one)
samples(
    "masked.argmin",
    dtypes="float32 float64",
    reference=_lines(lambda np, x, m: _position(np, x, m, "argmin", np.inf)),
    grad=False,
)(_one)
samples("masked.logsumexp", dtypes="float complex", reference=_lines(lambda np, x, m: np.log(np.exp(x[m]).sum())))(
    _several
)


def _moments(make: Make) -> Samples:
    yield Sample(make((3, 4)), mask=_mask((3, 4)))
    yield Sample(make((3, 4)), -1, keepdim=True)
    yield Sample(make((3, 4), noncontiguous=True), 1, keepdim=True, mask=_mask((4,)))
    yield Sample(make((3, 4)), 0, False, mask=_mask((3, 1)))
    yield Sample(make((3, 4), requires_grad=False), 0, False, mask=_mask((4,)))  # a column of which nothing counts
    yield Sample(make((3, 4)), correction=2, mask=_mask((3, 4)))
    yield Sample(make((3, 4)), (0, 1), False, mask=_mask((3, 1)))
    yield from _errors(make)
    yield ErrorSample(
        AssertionError,
        "'unbiased' and 'correction' exclude each other; found True and 1",
        make((3, 4)),
        0,
        True,
        correction=1,
    )


samples("masked.var", dtypes="float32 float64 float16 complex int64", reference=_lines(_variance))(_moments)
samples(
    "masked.std",
    dtypes="float32 float64 float16 complex int64",
    reference=_lines(lambda np, x, m, *a, **k: np.sqrt(_variance(np, x, m, *a, **k))),
)(_moments)


def _median_reference(np: ModuleType, x: Any, dim: int = -1, **kwargs: Any) -> Any:
    return _lines(lambda np, v, m: np.sort(v[m])[(m.sum() - 1) // 2] if m.any() else np.nan)(np, x, dim, **kwargs)


@samples("masked.median", dtypes="float int64", reference=_median_reference)
def _median(make: Make) -> Samples:
    yield Sample(make((3, 4)), mask=_mask((3, 4)))
    yield Sample(make((3, 4)), 0, mask=_mask((3, 1)))
    yield Sample(make((3, 4)), 1, keepdim=True, mask=_mask((4,)))
    yield Sample(make((5, 4), noncontiguous=True), 0)
    yield from _errors(make)
    yield ErrorSample(
        ValueError,
        "a masked median needs an element in every row, or a floating point dtype, for NaN",
        make((3, 4), dtype=dt.int64),
        1,
        mask=_mask((3, 1)),
    )


def _power(np: ModuleType, x: Any, m: Any, ord: Any) -> Any:
    v = np.abs(x[m])
    if not v.size:
        return np.inf if ord == -np.inf else 0
    return (
        v.max()
        if ord == np.inf
        else v.min()
        if ord == -np.inf
        else (v != 0).sum()
        if ord == 0
        else (v.astype(float) ** ord).sum() ** (1 / ord)
    )


def _norm_reference(np: ModuleType, x: Any, ord: Any = 2.0, *args: Any, **kwargs: Any) -> Any:
    return _lines(lambda np, v, m: _power(np, v, m, 2.0 if ord is None else ord))(np, x, *args, **kwargs)


@samples("masked.norm", dtypes="float complex", reference=_norm_reference)
def _norm(make: Make) -> Samples:
    for ord in (2.0, 1, float("inf"), 3.5, -1.0):
        yield from _calls(make, ord)
    if make.dtype.kind == "f":  # PyTorch takes that of real tensors alone
        yield from _calls(make, float("-inf"))
    yield Sample(make((3, 4)), 2.0, 1, mask=_mask((4,)))
    yield from _errors(make, 2.0)
    yield ErrorSample(
        RuntimeError, r"'input' must be of a float or complex dtype; found torch\.int64", make((3, 4), dtype=dt.int64)
    )
    yield ErrorSample(TypeError, "'ord'", make((3, 4)), "fro")


def _normalized(np: ModuleType, x: Any, ord: Any, dim: int, *, eps: float = 1e-12, mask: Any = None) -> Any:
    m = np.ones(x.shape, bool) if mask is None else np.broadcast_to(mask, x.shape)
    below = _norm_reference(np, x, ord, dim, keepdim=True, mask=m)
    return np.where(m, x, 0) / np.maximum(below, eps)


@samples("masked.normalize", dtypes="float complex", reference=_normalized)
def _normalize(make: Make) -> Samples:
    yield Sample(make((3, 4)), 2.0, 1, mask=_mask((3, 4)))
    yield Sample(make((3, 4)), 1, 0, mask=_mask((4,)), eps=0.5)
    yield Sample(make((3, 4), noncontiguous=True), 3.0, -1)
    yield from _errors(make, 2.0)


def _soft(sign: int, log: bool) -> Callable[..., Any]:
    def run(np: ModuleType, x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
        m = np.ones(x.shape, bool) if mask is None else np.broadcast_to(mask, x.shape)
        if x.ndim == 0:
            return np.zeros(()) if log else np.ones(())
        e = np.where(m, np.exp(sign * x), 0)
        with np.errstate(all="ignore"):
            y = e / e.sum(dim, keepdims=True)
            return np.log(y) if log else y

    return run


def _softs(make: Make) -> Samples:
    yield Sample(make((3, 4)), 1, mask=_mask((3, 4)))
    yield Sample(make((3, 4)), 0, mask=_mask((3, 1)))
    yield Sample(make((3, 4), requires_grad=False), 0, mask=_mask((4,)))  # a column of which nothing counts: NaN
    yield Sample(make((3, 4), noncontiguous=True), -1)
    yield Sample(make(()), 0)
    yield from _errors(make)
    yield ErrorSample(NotImplementedError, r"not defined for dtype torch\.int64", make((3, 4), dtype=dt.int64), 0)


def _log_softs(make: Make) -> Samples:
    for sample in _softs(make):
        if isinstance(sample, Sample) and sample.kwargs:
            sample.args[0]._differentiate = False  # -inf, of which there are no finite differences
        yield sample


samples("masked.softmax", dtypes="float", reference=_soft(1, False))(_softs)
samples("masked.log_softmax", dtypes="float", reference=_soft(1, True))(_log_softs)
samples("masked.softmin", dtypes="float", reference=_soft(-1, False))(_softs)


def _running(fn: str, identity: int) -> Callable[..., Any]:
    def run(np: ModuleType, x: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
        return getattr(np, fn)(
            x if mask is None else np.where(mask, x, np.asarray(identity, x.dtype)), dim, dtype=x.dtype
        )

    return run


def _runs(make: Make) -> Samples:
    yield Sample(make((3, 4)), 1, mask=_mask((3, 4)))
    yield Sample(make((3, 4)), 0, mask=_mask((4,)))
    yield Sample(make((3, 4), noncontiguous=True), -1)
    yield from _errors(make)


_plain = {"inplace": "the method of that name belongs to the operator without masks"}
samples("masked.cumsum", dtypes="float complex int", reference=_running("cumsum", 0), skip=_plain)(_runs)
samples("masked.cumprod", dtypes="float complex int", reference=_running("cumprod", 1), skip=_plain)(_runs)


def _logaddexp_reference(np: ModuleType, x: Any, y: Any, *, input_mask: Any = None, other_mask: Any = None) -> Any:
    def counted(v: Any, m: Any) -> Any:
        return v if m is None else np.where(m, v, -np.inf)

    return np.logaddexp(counted(x, input_mask), counted(y, other_mask))


@samples("masked.logaddexp", dtypes="float", reference=_logaddexp_reference, skip=_plain)
def _logaddexp(make: Make) -> Samples:
    yield Sample(make((3, 4)), make((3, 4)), input_mask=_mask((3, 4)))
    yield Sample(make((3, 4)), make((4,)), other_mask=_mask((4,)))
    yield Sample(make((3, 4)), make((3, 4), noncontiguous=True), input_mask=_mask((3, 4)), other_mask=~_mask((3, 4)))
    yield Sample(
        make((3, 4), requires_grad=False),
        make((3, 4), requires_grad=False),
        input_mask=_mask((3, 4)),
        other_mask=_mask((3, 1)),
    )
    yield ErrorSample(
        IndexError,
        r"'mask' must broadcast to the shape of the tensor, \[4\]; found \[3, 4\], of more dimensions",
        make((4,)),
        make((4,)),
        input_mask=_mask((3, 4)),
    )
