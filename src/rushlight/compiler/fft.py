"""Routines of plans that ducc0 does: Fourier, cosine and sine transforms of NumPy arrays, on rushlight's number of threads."""
from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from rushlight.core import _native

Pass = Callable[[Any, Any, tuple[int, ...], int], Any]      # (operand, result, dims, threads): one transform

_LANES = 16            # lines that ducc0 transforms together at most (float32, AVX-512)
_WORTH = 1 << 15       # elements from which threads are worth waking: about 50 us on one
_SHARES = 8            # long loops are cut such that 2, 4 or 8 threads get equal shares


@cache
def library() -> Any:
    """The module ducc0.fft.

    Errors: ImportError naming the package to install.
    """
    try:
        import ducc0.fft
    except ModuleNotFoundError as error:
        if error.name not in ("ducc0", "ducc0.fft"):
            raise
        raise ImportError("rushlight needs the package ducc0 for Fourier, cosine and sine transforms; install it with pip") from error
    return ducc0.fft


def along(run: Pass, x: Any, out: Any, dim: int) -> None:
    """A transform along one dimension, on threads, such that the bits do not depend on their number.

    ducc0 gives each thread an equal share of the lines, and rounds those that do not fill its vectors in another way. So the
    shares are made to fill vectors, and the lines that are left over are always done apart.
    """
    others = [d for d in range(x.ndim) if d != dim]
    if not others:
        run(x, out, (dim,), 1)
        return
    split = max(others, key=lambda d: x.shape[d])
    rows = x.shape[split]
    lines = math.prod(x.shape[d] for d in others) // rows      # in each of the rows
    step = _LANES // math.gcd(_LANES, lines)
    head = rows // step * step
    if rows >= 8 * _SHARES * step:
        head = rows // (_SHARES * step) * _SHARES * step
    for first, last in ((0, head), (head, rows)):
        if last > first:
            part = (slice(None),) * split + (slice(first, last),)
            run(x[part], out[part], (dim,), _threads(head * lines // _LANES) if first == 0 and head else 1)


def _threads(blocks: int) -> int:
    """How many threads can have equal shares of the blocks: of rushlight's number, as many as ducc0 has in its pool."""
    have = min(_native.num_threads(), _pool())
    return next(t for t in range(min(have, blocks), 0, -1) if blocks % t == 0)


@cache
def _pool() -> int:
    import ducc0.misc

    return ducc0.misc.thread_pool_size()


def fft(x: Any, out: Any, *, dims: tuple[int, ...], inverse: bool, scale: int) -> None:
    """The complex transform of a real or complex array."""
    c2c = library().c2c

    def run(a: Any, b: Any, axes: tuple[int, ...], threads: int) -> None:
        c2c(a, axes, not inverse, scale, b, threads)
    if out.size < _WORTH:
        run(x, out, dims, 1)
        return
    along(run, x, out, dims[-1])
    for d in dims[:-1]:
        along(run, out, out, d)


def rfft(x: Any, out: Any, *, dims: tuple[int, ...], inverse: bool, scale: int) -> None:
    """Half the spectrum of a real array."""
    r2c = library().r2c

    def run(a: Any, b: Any, axes: tuple[int, ...], threads: int) -> None:
        r2c(a, axes, not inverse, scale, b, threads)
    if out.size < _WORTH:
        run(x, out, dims, 1)
        return
    along(run, x, out, dims[-1])
    if dims[:-1]:
        fft(out, out, dims=dims[:-1], inverse=inverse, scale=scale)


def irfft(x: Any, out: Any, *, dims: tuple[int, ...], size: int, inverse: bool, scale: int) -> None:
    """The real array of half a spectrum."""
    c2r = library().c2r

    def run(a: Any, b: Any, axes: tuple[int, ...], threads: int) -> None:
        c2r(a, axes, size, not inverse, scale, b, threads)
    if x.size < _WORTH:
        run(x, out, dims, 1)
        return
    if dims[:-1]:
        import numpy as np

        between = np.empty(x.shape, x.dtype)
        fft(x, between, dims=dims[:-1], inverse=inverse, scale=scale)
        x = between
    along(run, x, out, dims[-1])


def trig(x: Any, out: Any, *, dims: tuple[int, ...], sine: bool, type: int, scale: int) -> None:
    """The cosine or sine transform of a real array."""
    transform = library().dst if sine else library().dct

    def run(a: Any, b: Any, axes: tuple[int, ...], threads: int) -> None:
        transform(a, type, axes, scale, b, threads)
    if out.size < _WORTH:
        run(x, out, dims, 1)
        return
    along(run, x, out, dims[0])
    for d in dims[1:]:
        along(run, out, out, d)
