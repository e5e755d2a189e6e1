"""Library routines that plans call: matrix products and convolutions, on buffers of any strides and dtype.

The core runs float and complex products with BLAS-expressible strides by itself; what arrives here is the rest. Every
routine is (inputs, outputs, params) and writes its outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from rushlight.core import _native
from rushlight.core import dtypes as dt
from rushlight.core.execute import LIBRARY
from rushlight.core.tensor import Tensor

_BLAS = {dt.float32: 0, dt.float64: 1, dt.complex64: 2, dt.complex128: 3}


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


class _Buffer:
    """What NumPy asks of an object to make an array of its memory: 2 us, where ctypes takes 16."""

    __slots__ = ("__array_interface__",)
    __array_interface__: dict[str, Any]


_TYPES = {
    d.name: "|b1" if d is dt.bool_ else f"<{d.kind if d.numpy_name is not None else 'u'}{d.itemsize}"
    for d in dt.by_code
}


def _array(t: Tensor) -> Any:
    """A NumPy view of a buffer; of a dtype that NumPy has not, as the unsigned integers of its bits."""
    import numpy as np

    if not t.numel():
        return np.empty(tuple(t.shape), _TYPES[t.dtype.name])
    item, buffer = t.itemsize, _Buffer()
    buffer.__array_interface__ = {
        "version": 3,
        "typestr": _TYPES[t.dtype.name],
        "shape": tuple(t.shape),
        "data": (t.data_ptr(), False),
        "strides": tuple([s * item for s in t.stride()]),
    }
    return np.asarray(buffer)


def _float(t: Tensor) -> Any:
    """The values as an array that NumPy computes with: half types as float32."""
    import numpy as np

    a = _array(t)
    if t.dtype is dt.bfloat16:
        return (a.astype(np.uint32) << 16).view(np.float32)
    return a.astype(np.float32) if t.dtype is dt.float16 else a


def _store(t: Tensor, values: Any) -> None:
    """Write an array's values into a buffer, rounding to a half type."""
    import numpy as np

    if t.dtype is dt.bfloat16:
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        rounded = np.where(np.isnan(values), (bits >> 16) | 0x40, (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)
        _array(t)[...] = rounded.astype(np.uint16)
    else:
        _array(t)[...] = values


def dot(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """(*B, M, K) @ (*B, K, N) in BLAS's dtypes (`legalise` leaves no others), any strides."""
    import numpy as np

    (x, y), (out,) = inputs, outputs
    a, b = np.ascontiguousarray(_array(x)), np.ascontiguousarray(_array(y))
    c = np.empty(tuple(out.shape), a.dtype)
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    batch = int(np.prod(a.shape[:-2], dtype=np.int64))
    if c.size:
        _native.gemm(_BLAS[x.dtype], batch, m, n, k, a.ctypes.data, b.ctypes.data, c.ctypes.data)
    _array(out)[...] = c


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
    if not _native.blas_ready():
        open_blas()
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
    arrays[missing] = _array(out) if direct else np.empty(tuple(out.shape), next(iter(arrays.values())).dtype)
    if out.numel():
        _conv(mode, arrays["x"], arrays["w"], arrays["y"], params)
    if not direct:
        _store(out, arrays[missing].astype(np.int64) if out.dtype.kind in "biu" else arrays[missing])


def _wide(t: Tensor) -> Any:
    a = _float(t)
    return a.astype("float64") if t.dtype.kind in "biu" else a


def _complex_conv(mode: int, given: dict[str, Tensor], missing: str, out: Tensor, params: dict[str, Any]) -> None:
    """Four real convolutions; the primitives are bilinear, conjugation is written in the program."""
    import numpy as np

    real = np.float32 if out.dtype is dt.complex64 else np.float64
    (na, a), (nb, b) = [(name, _array(t)) for name, t in given.items()]
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
    _array(out)[...] = (parts[0, 0] - parts[1, 1]) + 1j * (parts[0, 1] + parts[1, 0])


def conv(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Convolution of x (N, C, *spatial) with w (O, C / groups, *kernel)."""
    _run_conv(0, {"x": inputs[0], "w": inputs[1]}, outputs[0], params)


def conv_dx(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The transpose of convolution with respect to x: from g (like the output) and w."""
    _run_conv(1, {"y": inputs[0], "w": inputs[1]}, outputs[0], params)


def conv_dw(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The transpose of convolution with respect to w: from x and g."""
    _run_conv(2, {"x": inputs[0], "y": inputs[1]}, outputs[0], params)


def sort(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Values and int64 indices of x sorted along a dim."""
    from rushlight.compiler import library

    (x,), (values, indices) = inputs, outputs
    if not values.is_contiguous() or values.dtype is dt.bfloat16 or values.dtype is dt.float16:
        import numpy as np

        sorted_values = np.empty(tuple(values.shape), _float(x).dtype)
        library.sort(_float(x), sorted_values, _array(indices), **params)
        _store(values, sorted_values)
        return
    library.sort(_array(x), _array(values), _array(indices), **params)


def sort_keys(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The least int64 keys along a dim, in order."""
    from rushlight.compiler import library

    library.sort_keys(_array(inputs[0]), _array(outputs[0]), params["dim"])


@cache
def _transform(name: str) -> Any:
    from rushlight.compiler import fft

    return getattr(fft, name)


def transform(name: str) -> Any:
    """The routine of a Fourier, cosine or sine transform."""

    def run(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
        if outputs[0].numel():
            _transform(name)(_array(inputs[0]), _array(outputs[0]), **params)

    return run


def refuse(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """A derivative that does not exist was asked for."""
    raise RuntimeError(params["message"])


def phases(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The tangents as they are: their phases are chosen by the rule that made them."""
    for t, out in zip(inputs[::2], outputs, strict=True):
        _array(out)[...] = _array(t)


def phase_check(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Cotangents as they are; RuntimeError when they belong to a function of the arbitrary phases of the vectors."""
    import numpy as np

    turn: Any = 0.0
    scale = 0.0
    for g, v, out in zip(inputs[::2], inputs[1::2], outputs, strict=True):
        cotangent = _array(g)
        turn = turn + np.einsum("...ij,...ij->...j", _array(v).conj(), cotangent).imag
        scale = max(scale, float(np.abs(cotangent).max(initial=0.0)))
        _array(out)[...] = cotangent
    most = float(np.abs(turn).max(initial=0.0))
    if most > 1e-2 * max(1.0, scale):
        raise RuntimeError(
            f"{params['name']}_backward: the vectors of a complex matrix are determined up to a factor exp(i phi); "
            "the function that is "
            f"differentiated depends on phi (by {most:.3g}), so it has no derivative."
        )


def open_blas(*_: Any) -> None:
    """Open OpenBLAS: the core asks for it before the first product of a process."""
    _native.open_blas(blas_path())


LIBRARY.update(
    open_blas=open_blas,
    sort=sort,
    sort_keys=sort_keys,
    dot=dot,
    conv=conv,
    conv_dx=conv_dx,
    conv_dw=conv_dw,
    refuse=refuse,
    phases=phases,
    phase_check=phase_check,
)
LIBRARY.update({name: transform(name) for name in ("fft", "rfft", "irfft", "trig")})
