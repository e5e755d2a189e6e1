"""Routines of plans that transform: Fourier transforms by generated codelets (`core/native/fourier.c` says where they run)."""

from __future__ import annotations

from rushlight.compiler.kernels import cache, called
from rushlight.compiler.llvm.objfile import Made
from rushlight.compiler.routines.fourier_plans import plan
from rushlight.core import _native, locks
from rushlight.core.tensor import Tensor

_C2C, _R2C, _C2R, _R2F = range(4)  # native/fourier.h
_known: set[int] = set()


def fft(x: Tensor, out: Tensor, *, dims: tuple[int, ...], inverse: bool, scale: int) -> None:
    """The complex transform of a real or complex tensor."""
    sizes = tuple(out.shape)
    if x.dtype.kind == "c":
        _run(_C2C, x, out, sizes, dims, inverse, scale, 0)
    else:
        _run(_R2F, x, out, sizes, dims, inverse, scale, sizes[dims[-1]])


def rfft(x: Tensor, out: Tensor, *, dims: tuple[int, ...], inverse: bool, scale: int) -> None:
    """Half the spectrum of a real tensor."""
    _run(_R2C, x, out, tuple(out.shape), dims, inverse, scale, x.shape[dims[-1]])


def irfft(x: Tensor, out: Tensor, *, dims: tuple[int, ...], size: int, inverse: bool, scale: int) -> None:
    """The real tensor of half a spectrum."""
    _run(_C2R, x, out, tuple(x.shape), dims, inverse, scale, size)


def _run(
    kind: int, x: Tensor, y: Tensor, sizes: tuple[int, ...], dims: tuple[int, ...], inverse: bool, scale: int, real: int
) -> None:
    complex_item = max(x.itemsize, y.itemsize)
    item = complex_item // 2
    n = 1
    for d in dims[:-1]:
        n *= sizes[d]
    n *= real or sizes[dims[-1]]
    factor = 1.0 if scale == 0 else 1.0 / n if scale == 2 else float(n) ** -0.5
    plans = [plan(sizes[d], item, False) for d in dims[:-1]]
    plans.append(plan(real or sizes[dims[-1]], item, real > 0))
    addresses = tuple([p.address for p in plans])
    x_at, y_at, x_strides, y_strides = x.data_ptr(), y.data_ptr(), tuple(x.stride()), tuple(y.stride())
    while missing := _native.fourier(
        kind, item, inverse, factor, real, sizes, x_at, x_strides, x.itemsize, y_at, y_strides, y.itemsize, dims,
        addresses,
    ):  # fmt: skip
        _make(missing)


# -- codelets
_SOURCES, _TWIDDLES, _NAMES = "pscr", "nbv", ("pass", "turn", "post", "pre")


def name_of(number: int) -> str:
    """The name of a codelet (`emit/codelets.py`) by its number (native/fourier.h)."""
    t, kind = ("f32", "f64")[number & 1], _NAMES[number >> 1 & 7]
    source, target = _SOURCES[number >> 4 & 3], _SOURCES[number >> 6 & 3]
    twiddles, radix = _TWIDDLES[number >> 8 & 3], number >> 10
    if kind == "pass":
        return f"pass {radix} {t} {source} {target} {twiddles}"
    if kind == "turn":
        return f"turn {t} {source} {target} {twiddles}"
    return f"{kind} {t} {source} {twiddles} {'full' if radix else 'half'}"


def _make(number: int) -> None:
    """Compile a codelet, or take it from the kernel cache."""
    name = name_of(number)
    with locks.building:
        address = cache.get(f"codelet {name}", lambda: _build(name), called.address)
        _native.fourier_codelet(number, address)
        _known.add(number)


def _build(name: str) -> Made:
    from rushlight.compiler.emit import codelets
    from rushlight.compiler.llvm import machine

    return machine.machine_code(lambda: codelets.module(name))


def _forget() -> None:
    while _known:
        _native.fourier_codelet(_known.pop(), 0)


cache.also_forget.append(_forget)


# -- cosine and sine transforms: by ducc0 still
def trig(x: Tensor, out: Tensor, *, dims: tuple[int, ...], sine: bool, type: int, scale: int) -> None:
    """The cosine or sine transform of a real tensor."""
    import ducc0.fft

    from rushlight.compiler.routines.arrays import array_of

    (ducc0.fft.dst if sine else ducc0.fft.dct)(array_of(x), type, dims, scale, array_of(out), 1)
