"""Routines of plans: matrix products and convolutions, on buffers of any strides and dtype.

The core runs float and complex products with BLAS-expressible strides by itself; what arrives here is the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.compiler.products import kernels
from rushlight.compiler.routines.arrays import array_of, float_array, store
from rushlight.core import _native
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor

_BLAS = {dt.float32: 0, dt.float64: 1, dt.complex64: 2, dt.complex128: 3}
_NAMES = [*(d.name for d in _BLAS), "bfloat16", "float16", "int8"]  # by their numbers in blas.h


def name_of(number: int) -> str:
    """The name of a dtype by its number in blas.h."""
    return _NAMES[number]


def blas_path() -> str:
    """The OpenBLAS library of the scipy-openblas64 package."""
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("scipy_openblas64")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("rushlight needs the package scipy-openblas64 for matrix products; install it with pip")
    folder = Path(next(iter(spec.submodule_search_locations))) / "lib"
    found = [
        p
        for p in sorted(folder.iterdir())
        if "openblas64_" in p.name and (".so" in p.name or p.suffix in (".dylib", ".dll"))
    ]
    if not found:
        raise ImportError(f"scipy-openblas64 is installed in {folder} but holds no library")
    return str(found[0])


def open_blas() -> None:
    """Open OpenBLAS: the core asks for it before the first decomposition of a process."""
    _native.open_blas(blas_path())


def open_products(number: int) -> None:
    """Make ready to multiply in a dtype, by its number in blas.h: the core asks for it before the first product."""
    if not _native.blas_ready():
        open_blas()
    name = _NAMES[number]
    parts = _NAMES.index(kernels.PARTS.get(name, name))
    if parts == number:
        kernels.use(number, name)
    elif not _native.product_ready(parts):
        open_products(parts)
    _native.product_is_ready(number)


def open_convolutions(number: int) -> None:
    """The kernels that convolutions have beside those of products: the core asks for it before a dtype's first."""
    kernels.use_table(number)


def dot(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """(*B, M, K) @ (*B, K, N) as BLAS does it: half types as float32, integers as float64."""
    import numpy as np

    (x, y), (out,) = inputs, outputs
    exact = x.dtype.kind in "iu"  # sums of products of bytes, in float64
    a, b = (
        np.ascontiguousarray(array_of(t), np.float64) if exact else np.ascontiguousarray(float_array(t)) for t in (x, y)
    )
    c = np.empty(tuple(out.shape), a.dtype)
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    batch = int(np.prod(a.shape[:-2], dtype=np.int64))
    if c.size:
        _native.gemm(1 if exact else _BLAS.get(x.dtype, 0), batch, m, n, k, a.ctypes.data, b.ctypes.data, c.ctypes.data)
    store(out, c.astype(np.int64) if exact else c)


def _conv(mode: int, x: Any, w: Any, y: Any, params: dict[str, Any]) -> None:
    """Run on contiguous tensors, or arrays: buffers with shape, dtype and an address."""
    nd = x.ndim - 2
    low = [p[0] if isinstance(p, (tuple, list)) else p for p in params["padding"]]
    _native.conv(
        mode,
        _BLAS[dt.by_name[x.dtype.name]],
        x.shape[0],
        x.shape[1],
        w.shape[0],
        params["groups"],
        x.shape[2:],
        y.shape[2:],
        w.shape[2:],
        params["stride"][:nd],
        low,
        params["dilation"][:nd],
        _address(x),
        _address(w),
        _address(y),
    )


def _address(buffer: Any) -> int:
    return buffer.data_ptr() if isinstance(buffer, Tensor) else buffer.ctypes.data


def _run_conv(mode: int, given: dict[str, Tensor], out: Tensor, params: dict[str, Any]) -> None:
    """Run one of the three convolution routines; `given` holds two of x, w, y and `out` becomes the third."""
    for number in (0, 1):  # what is not float64 becomes float32 or float64
        if not _native.product_ready(number):
            open_products(number)
    missing = ({"x", "w", "y"} - set(given)).pop()
    tensors = {**given, missing: out}
    if (
        out.dtype.kind == "f"
        and out.dtype in _BLAS
        and all(t.is_contiguous() for t in tensors.values())
        and out.numel()
    ):
        _conv(mode, **tensors, params=params)
        return
    import numpy as np

    if out.dtype.kind == "c":
        _complex_conv(mode, given, missing, out, params)
        return
    arrays = {name: np.ascontiguousarray(_wide(t)) for name, t in given.items()}
    direct = out.dtype in _BLAS and out.is_contiguous()
    arrays[missing] = array_of(out) if direct else np.empty(tuple(out.shape), next(iter(arrays.values())).dtype)
    if out.numel():
        _conv(mode, arrays["x"], arrays["w"], arrays["y"], params)
    if not direct:
        store(out, arrays[missing].astype(np.int64) if out.dtype.kind in "biu" else arrays[missing])


def _wide(t: Tensor) -> Any:
    a = float_array(t)
    return a.astype("float64") if t.dtype.kind in "biu" else a


def _complex_conv(mode: int, given: dict[str, Tensor], missing: str, out: Tensor, params: dict[str, Any]) -> None:
    """Four real convolutions; the primitives are bilinear, conjugation is written in the program."""
    import numpy as np

    real = np.float32 if out.dtype is dt.complex64 else np.float64
    (na, a), (nb, b) = [(name, array_of(t)) for name, t in given.items()]
    parts = {}
    for i, pa in enumerate((a.real, a.imag)):
        for j, pb in enumerate((b.real, b.imag)):
            arrays = {
                na: np.ascontiguousarray(pa),
                nb: np.ascontiguousarray(pb),
                missing: np.empty(tuple(out.shape), real),
            }
            _conv(mode, arrays["x"], arrays["w"], arrays["y"], params)
            parts[i, j] = arrays[missing]
    array_of(out)[...] = (parts[0, 0] - parts[1, 1]) + 1j * (parts[0, 1] + parts[1, 0])


def conv(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Convolution of x (N, C, *spatial) with w (O, C / groups, *kernel)."""
    _run_conv(0, {"x": inputs[0], "w": inputs[1]}, outputs[0], params)


def conv_dx(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The transpose of convolution with respect to x: from g (like the output) and w."""
    _run_conv(1, {"y": inputs[0], "w": inputs[1]}, outputs[0], params)


def conv_dw(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The transpose of convolution with respect to w: from x and g."""
    _run_conv(2, {"x": inputs[0], "y": inputs[1]}, outputs[0], params)
