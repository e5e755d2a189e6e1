"""Samples of the rows of sorted entries."""

from __future__ import annotations

from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_READ = {"data": "the number of entries is read from values"}


def _ints(values: Any, dtype: str = "int64") -> Any:
    import rushlight

    return rushlight.tensor(values, dtype=getattr(rushlight, dtype))


@samples(
    "_convert_indices_from_coo_to_csr",
    dtypes="int64",
    reference=lambda np, rows, size, out_int32=False: np.searchsorted(rows, np.arange(size + 1)),
)
def _coo_to_csr(make: Make) -> Samples:
    yield Sample(_ints([0, 0, 2, 3]), 5)
    yield Sample(_ints([0, 0, 2, 3], "int32"), 4, out_int32=True)
    yield Sample(_ints([]), 3)
    yield Sample(_ints([]), 0)
    yield Sample(_ints([0, 7, 1, 7, 1, 7])[::2], 2)
    yield ErrorSample(NotImplementedError, "'input' must be of dtype int64 or int32; found", make((0,)).float(), 2)
    yield ErrorSample(RuntimeError, "'input' must have 1 dimensions; found 2", _ints([[0, 1]]), 2)
    yield ErrorSample(RuntimeError, "'size' must be at least 0; found -1", _ints([0]), -1)


@samples("_convert_indices_from_csr_to_coo", dtypes="int64", skip=_READ)
def _csr_to_coo(make: Make) -> Samples:
    yield Sample(_ints([0, 2, 2, 3]), _ints([1, 0, 2]))
    yield Sample(_ints([0, 2, 2, 3], "int32"), _ints([1, 0, 2], "int32"), transpose=True, out_int32=True)
    yield Sample(_ints([[0, 1, 2], [0, 0, 2]]), _ints([[1, 0], [0, 1]]))
    yield Sample(_ints([0, 0, 0]), _ints([]))
    yield Sample(_ints([0]), _ints([]))
    yield Sample(_ints([0, 9, 1, 9])[::2], _ints([4]).expand(1))
    yield ErrorSample(RuntimeError, "must rise from 0 to the number of entries, 2", _ints([0, 3]), _ints([0, 1]))
    yield ErrorSample(RuntimeError, r"must be \(\*, rows \+ 1\) and \(\*, entries\)", _ints([]), _ints([]))
    yield ErrorSample(RuntimeError, "'col_indices' must have 1 dimensions; found 2", _ints([0, 1]), _ints([[0]]))
