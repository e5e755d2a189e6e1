"""make_tensor makes random tensors for tests."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.table.types import Device

# The default range, [low, high), by the kind of the dtype.
_RANGES = {"b": (0, 2), "u": (0, 10), "i": (-9, 10), "f": (-9.0, 9.0), "c": (-9.0, 9.0)}


def _limits(dtype: dt.dtype) -> tuple[float, float]:
    """The range of a dtype: [first, second) of integers and bools, both ends included otherwise."""
    import rushlight

    if dtype.kind == "b":
        return 0, 2
    if dtype.kind in "iu":
        whole = rushlight.iinfo(dtype)
        return whole.min, whole.max + 1
    real = rushlight.finfo(dtype)
    return real.min, real.max


def make_tensor(
    *shape: Any,
    dtype: dt.dtype,
    device: Device = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of values drawn uniformly from [low, high).

    Args:
        shape: ints, or one sequence of them.
        dtype: any.
        device: where it is made.
        low, high: bounds; the default is [0, 2) for bool, [0, 10) for unsigned, [-9, 10) for signed integers, [-9, 9)
            otherwise. What lies beyond the dtype's range is cut off.
        requires_grad: whether the result records gradients.
        noncontiguous: whether it is every other element of a larger tensor.
        exclude_zero: whether zeros are replaced by the smallest positive value (1 for integers and bools).
        memory_format: of the result.

    Raises:
        ValueError: low >= high; no number between the bounds is in the range of the dtype; requires_grad is True for an
        integer dtype; or both noncontiguous and memory_format are given.
    """
    import rushlight

    size = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else tuple(shape)
    lowest, highest = _RANGES[dtype.kind]
    lo, hi = lowest if low is None else low, highest if high is None else high
    least, most = _limits(dtype)
    if lo != lo or hi != hi:
        raise ValueError(f"make_tensor: 'low' and 'high' must be numbers other than NaN; found {low}, {high}")
    if lo >= hi and not (lo == hi and dtype.kind in "fc"):
        raise ValueError(f"make_tensor: 'low' must be below 'high'; found {lo}, {hi}")
    if lo >= most or hi <= least:
        raise ValueError(
            f"make_tensor: 'low' and 'high' must enclose numbers of {dtype}, which lie in [{least}, {most}); found "
            f"{lo} and {hi}"
        )
    lo, hi = max(lo, least), min(hi, most)
    if lo == hi:
        warn("make_tensor: equal 'low' and 'high' are deprecated; write torch.full()", FutureWarning)
    if requires_grad and dtype.kind not in "fc":
        raise ValueError(f"make_tensor: 'requires_grad' must be False for {dtype}, which has no gradient; found True")
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"make_tensor: 'noncontiguous' and 'memory_format' exclude each other; found True and {memory_format}"
        )
    if noncontiguous and size:
        size = (*size[:-1], 2 * size[-1])
    if dtype.kind in "biu":
        # (randint takes bounds of 64 bits)
        ends = math.ceil(lo), min(math.ceil(hi), 2**63 - 1)
        t = rushlight.randint(*ends, size, device=device, dtype=rushlight.int64).to(dtype)
    else:
        part = dtype.to_real()
        wide = rushlight.float64 if part is rushlight.float64 else rushlight.float32
        drawn = rushlight.rand((*size, 2) if dtype.kind == "c" else size, device=device, dtype=wide)
        # The span of two finite bounds may be beyond the dtype; half of it is not.
        by = 1 if hi - lo <= rushlight.finfo(wide).max else 2
        drawn = ((drawn * (hi / by - lo / by) + lo / by) * by).to(part)
        t = rushlight.complex(drawn[..., 0], drawn[..., 1]) if dtype.kind == "c" else drawn
    if noncontiguous and size:
        t = t[..., 1::2]
    if memory_format is not None:
        t = t.clone(memory_format=memory_format)
    if exclude_zero:
        t[t == 0] = 1 if dtype.kind in "biu" else rushlight.finfo(dtype).tiny
    return t.requires_grad_() if requires_grad else t
