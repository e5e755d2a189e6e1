"""What a case cannot do without: bytes that it must read and write, operations that it must do.

Counted on rushlight's calls, and true for any program that computes the same: every tensor that was there before is
read once, what was changed is written once, and so is what comes out. What a run makes and drops itself need not pass
through memory, and is not counted: the limit is that of the whole run as one perfect kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import rushlight as rl
from benchmarks.roofline import functions
from benchmarks.roofline.machine import Limits
from rushlight.utils._pytree import tree_leaves
from rushlight.utils.flop_counter import FlopCounterMode

Shape = Sequence[int]


class Work(NamedTuple):
    """Bytes and operations of one run, and the dtype whose operations they are."""

    read: float
    written: float
    operations: float
    dtype: str

    def seconds(self, limits: Limits) -> float:
        """The least time that the machine allows."""
        rates = limits.memory[limits.level(int(self.read + self.written))]
        both = min(self.read, self.written)
        moved = 2 * both / rates.copy + (self.read - both) / rates.read + (self.written - both) / rates.write
        done = self.operations / limits.operations.get(self.dtype, limits.operations["float32"])
        return max(moved, done)


# ---------------------------------------------------------------------------------------------------------- operations
def _square(share: float) -> Callable[..., int]:
    """share * m n^2 operations for (..., m, n), m >= n."""

    def count(a: Shape, *rest: Any, out_shape: Any = None, **kwargs: Any) -> int:
        m, n = sorted(a[-2:], reverse=True)
        return int(share * math.prod(a[:-2]) * m * n * n)

    return count


def _solve(a: Shape, b: Shape, *rest: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """Of an LU factorisation, and of two triangular solves for each column of b."""
    n = a[-1]
    return int(math.prod(a[:-2]) * (2 * n**3 / 3 + 2 * n * n * (b[-1] if len(b) > 1 else 1)))


def _fourier(axes: int | None, share: float) -> Callable[..., int]:
    """share * N log2 N, as is usual for transforms: 5 for complex ones, half of it for real ones."""

    def count(x: Shape, *rest: Any, out_shape: Any = None, **kwargs: Any) -> int:
        points = math.prod(x[-axes:] if axes else x)
        return int(share * math.prod(x) * math.log2(max(points, 2)))

    return count


# LAPACK's own counts (Golub and Van Loan, Matrix Computations, 4th ed.); eigenvectors by tridiagonalisation and QR.
FORMULAS: dict[str, Callable[..., int]] = {
    "cholesky": _square(1 / 3),
    "eigh": _square(9),
    "svd": _square(22),
    "qr": _square(4),
    "inv": _square(2),
    "solve": _solve,
    **{
        f"{kind}fft{suffix}": _fourier(axes, 2.5 if kind in ("r", "ir") else 5)
        for kind in ("", "i", "r", "ir")
        for suffix, axes in (("", 1), ("2", 2), ("n", None))
    },
}
# Of the largest operand only what comes out is read.
PICKS = ("index_select", "index", "gather", "embedding", "take", "take_along_dim", "getitem", "select_scatter")


class _Count(FlopCounterMode):
    """The tensors that come into a run from outside, with the most bytes of each that a call reads."""

    def __init__(self) -> None:
        super().__init__(display=False)
        self.formulas.update(FORMULAS)
        self.seen: dict[int, tuple[rl.Tensor, int, int]] = {}  # storage -> (a tensor, its version at first, bytes)
        self.made: set[int] = set()  # storages that the run made
        self.kept: list[list[rl.Tensor]] = []
        self.of_functions = 0.0  # operations of elementary functions

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = [x for x in tree_leaves((args, kwargs)) if isinstance(x, rl.Tensor) and x.layout is rl.strided]
        versions = [x._version for x in before]
        out = super().__torch_dispatch__(func, types, args, kwargs)
        after = [x for x in tree_leaves(out) if isinstance(x, rl.Tensor) and x.layout is rl.strided]
        name = str(getattr(func, "name", "")).rpartition(".")[2]
        largest = max(map(_bytes, before), default=0)
        function = functions.function_of(name)
        if function is not None and before and before[0].dtype in (rl.float32, rl.float64):
            elements = max(math.prod(x.shape) for x in (*before, *after))
            dtype = "float64" if before[0].dtype is rl.float64 else "float32"
            self.of_functions += elements * functions.operations(function, dtype)
        for x, version in zip(before, versions, strict=True):
            key = x.untyped_storage().data_ptr()
            if key in self.made:
                continue
            size = _bytes(x)
            if size == largest and name in PICKS and after:
                size = min(size, sum(map(_bytes, after)))
            old = self.seen.get(key)
            self.seen[key] = (old[0], old[1], max(old[2], size)) if old else (x, version, size)
        self.made.update(
            x.untyped_storage().data_ptr() for x in after if x.untyped_storage().data_ptr() not in self.seen
        )
        self.kept.append(after)  # lest a new storage takes an old one's address
        return out


def _bytes(x: rl.Tensor) -> int:
    return x.element_size() * math.prod(n for n, step in zip(x.shape, x.stride(), strict=True) if step)


def count(run: Callable[[], Any]) -> Work:
    """The work of a run; it is run twice."""
    run()  # states of optimizers are there from the second run on
    counted = _Count()
    with counted:
        result = run()
    read = written = 0
    sizes: dict[str, int] = {}
    for x, version, size in counted.seen.values():
        read += size
        changed = x._version != version
        written += size * changed
        if x.is_leaf and x.grad is not None:
            written += _bytes(x.grad)
        name = str(x.dtype).rpartition(".")[2]
        sizes[name] = sizes.get(name, 0) + size
    for x in tree_leaves(result):
        if isinstance(x, rl.Tensor) and x.untyped_storage().data_ptr() not in counted.seen:
            written += _bytes(x)
    dtype = max(sizes, key=lambda name: sizes[name], default="float32")
    return Work(read, written, counted.get_total_flops() + counted.of_functions, _REAL.get(dtype, dtype))


_REAL = {"complex64": "float32", "complex128": "float64"}
