"""Samples of contractions."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples
from rushlight.operators.table.define import TABLE


@samples("tensordot", dtypes="float complex int64", tolerance=4.0)
def _tensordot(make: Make) -> Samples:
    yield Sample(make((2, 3, 4)), make((3, 4, 5)))
    yield Sample(make((2, 3, 4)), make((4, 2, 5)), dims=([0, 2], [1, 0]))
    yield Sample(make((2, 3)), make((4,)), dims=0)
    yield ErrorSample(
        RuntimeError, "dimensions that are summed over must be of one size", make((2, 3)), make((2, 3)), dims=1
    )


def _by_groups(np: ModuleType, a: Any, b: Any, offs: Any = None) -> Any:
    if offs is None:
        return np.matmul(a, b)
    spans = list(zip([0, *offs[:-1]], offs))
    if a.ndim == b.ndim:
        return np.stack([a[:, s:e] @ b[s:e] for s, e in spans])
    return np.concatenate(
        [a[s:e] @ b[g] if a.ndim == 2 else a[g] @ b[:, s:e] for g, (s, e) in enumerate(spans)], 0 if a.ndim == 2 else 1
    )


def _groups(make: Make) -> Samples:
    ends = TABLE["tensor"]([3, 3, 8], dtype=dt.int32)
    for a, b, offs in (
        ((8, 8), (3, 8, 16), ends),
        ((3, 2, 8), (8, 8), ends),
        ((5, 8), (8, 16), ends),
        ((2, 3, 8), (2, 8, 8), None),
    ):
        yield Sample(make(a), make(b), **({} if offs is None else {"offs": offs}))
    yield ErrorSample(RuntimeError, "'offs' must be given", make((8, 8)), make((3, 8, 16)))
    yield ErrorSample(RuntimeError, "int32", make((8, 8)), make((3, 8, 16)), offs=TABLE["tensor"]([3, 3, 8]))
    yield ErrorSample(
        RuntimeError, "must lie in", make((8, 8)), make((3, 8, 16)), offs=TABLE["tensor"]([3, 3, 9], dtype=dt.int32)
    )
    yield ErrorSample(RuntimeError, "16 bytes", make((8, 3)), make((3, 3, 16)), offs=ends)


for _name in ("nn.functional.grouped_mm", "_grouped_mm"):
    samples(
        _name,
        dtypes="float32 bfloat16 float16",
        reference=_by_groups,
        tolerance=4.0,
        skip={"data": "the groups are read from a tensor's values"},
    )(_groups)


refused("tensordot", RuntimeError, "'dims' must be in", lambda make: (make((2, 3)), make((3, 2)), 3))
