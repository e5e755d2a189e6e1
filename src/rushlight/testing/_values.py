"""The comparison of numbers, arrays, tensors and structures of them, by tolerances that follow from the dtype."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dtypes import layout, sparse_coo, strided
from rushlight.core.tensor import Tensor

# rtol and atol by dtype, as torch.testing documents them; other dtypes must be equal.
TOLERANCES = {
    dt.float16: (1e-3, 1e-5),
    dt.bfloat16: (1.6e-2, 1e-5),
    dt.float32: (1.3e-6, 1e-5),
    dt.float64: (1e-7, 1e-7),
    dt.complex32: (1e-3, 1e-5),
    dt.complex64: (1.3e-6, 1e-5),
    dt.complex128: (1e-7, 1e-7),
}


def default_tolerances(
    *inputs: Tensor | dt.dtype, dtype_precisions: Mapping[dt.dtype, tuple[float, float]] | None = None
) -> tuple[float, float]:
    """The rtol and atol for these dtypes, or for tensors: of each, the loosest.

    Args:
        dtype_precisions: (rtol, atol) by dtype; values of any other dtype must be equal.

    Raises:
        TypeError: an argument is neither a dtype nor a tensor.
    """
    known = TOLERANCES if dtype_precisions is None else dtype_precisions
    found = []
    for given in inputs:
        if not isinstance(given, (Tensor, dt.dtype)):
            raise TypeError(
                f"default_tolerances(): 'inputs' must be tensors or dtypes; found an object of {type(given).__name__}"
            )
        found.append(known.get(given.dtype if isinstance(given, Tensor) else given, (0.0, 0.0)))
    return max((r for r, _ in found), default=0.0), max((a for _, a in found), default=0.0)


def get_tolerances(
    *inputs: Tensor | dt.dtype, rtol: float | None, atol: float | None, id: tuple[Any, ...] = ()
) -> tuple[float, float]:
    """The given rtol and atol, or the `default_tolerances` if neither is given.

    Args:
        id: the place of the values in containers, for the message.

    Raises:
        ValueError: one is given alone.
    """
    if (rtol is None) != (atol is None):
        at = f" (at {''.join(f'[{i!r}]' for i in id)})" if id else ""
        raise ValueError(f"'rtol' and 'atol' must be given together; found {rtol=}, {atol=}{at}")
    return default_tolerances(*inputs) if rtol is None or atol is None else (rtol, atol)


def _number_type(value: Any) -> str:
    """The Python type that a number, of Python or NumPy, belongs to."""
    return type(value.item() if hasattr(value, "item") else value).__name__


@dataclass(frozen=True)
class Options:
    """What must agree, and how closely."""

    allow_subclasses: bool = True
    rtol: float | None = None
    atol: float | None = None
    equal_nan: bool = False
    check_device: bool = True
    check_dtype: bool = True
    check_layout: bool = True
    check_stride: bool = False

    def compare(self, a: Any, b: Any, where: str) -> None:
        """Raise an AssertionError if two structures differ, and a TypeError if they cannot be compared."""
        at = f" (at {where})" if where else ""
        if not self.allow_subclasses and type(a) is not type(b):
            raise AssertionError(
                f"'actual' must be of the type {type(b).__name__} of 'expected'; found {type(a).__name__}{at}"
            )
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            if set(a) != set(b):
                raise AssertionError(
                    f"'actual' must have the keys of 'expected'; found {sorted(map(str, set(a) ^ set(b)))} in one of "
                    f"them alone{at}"
                )
            for k in a:
                self.compare(a[k], b[k], f"{where}[{k!r}]")
        elif _is_sequence(a) and _is_sequence(b):
            if len(a) != len(b):
                raise AssertionError(f"'actual' must have the length {len(b)} of 'expected'; found {len(a)}{at}")
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self.compare(x, y, f"{where}[{i}]")
        elif a is None or b is None:
            if a is not b:
                raise AssertionError(f"'actual' must be {b!r}, as 'expected' is; found {a!r}{at}")
        elif isinstance(a, Tensor) and isinstance(b, Tensor):
            self.tensors(a, b, at)
        elif isinstance(a, Tensor) and _is_number(b) or _is_number(a) and isinstance(b, Tensor):
            raise TypeError(
                f"assert_close(): 'actual' and 'expected' must be of related types; found {type(a).__name__} and "
                f"{type(b).__name__}{at}"
            )
        else:
            if _is_number(a) and _is_number(b):
                self.attribute("type", _number_type(a), _number_type(b), at, self.check_dtype)
            self.arrays(_array(a), _array(b), _dtype(a), _dtype(b), at, scalar=_is_number(a) and _is_number(b))

    def tensors(self, a: Tensor, b: Tensor, at: str) -> None:
        """Raise an AssertionError if two tensors differ."""
        self.attributes(a, b, at)
        if a.is_meta or b.is_meta:
            return
        if a.layout is not b.layout:  # check_layout is False
            a, b = _dense(a), _dense(b)
        for name, x, y in _parts(a, b):
            self.arrays(_array(x), _array(y), x.dtype, y.dtype, f" (of the {name}){at}" if name else at)

    def attributes(self, a: Tensor, b: Tensor, at: str) -> None:
        """Raise an AssertionError if two tensors differ in shape or another attribute, apart from values."""
        self.attribute("device", a.device, b.device, at, self.check_device)
        self.attribute("dtype", a.dtype, b.dtype, at, self.check_dtype)
        self.attribute("layout", a.layout, b.layout, at, self.check_layout)
        self.attribute("shape", tuple(a.shape), tuple(b.shape), at)
        if self.check_stride:
            self.attribute("stride", a.stride(), b.stride(), at)

    @staticmethod
    def attribute(name: str, found: Any, expected: Any, at: str, check: bool = True) -> None:
        if check and found != expected:
            raise AssertionError(f"'actual' must have the {name} {expected} of 'expected'; found {found}{at}")

    def arrays(self, a: Any, b: Any, da: dt.dtype, db: dt.dtype, at: str, scalar: bool = False) -> None:
        import numpy as np

        self.attribute("shape", a.shape, b.shape, at)
        rtol, atol = default_tolerances(da, db) if self.rtol is None else (self.rtol, self.atol or 0.0)
        if (
            scalar
            and self.rtol is None
            and da.kind + db.kind != "ff"
            and "c" not in da.kind + db.kind
            and "f" in da.kind + db.kind
        ):
            rtol, atol = default_tolerances(dt.float64)
        if a.dtype.kind in "biu" and b.dtype.kind in "biu":
            wide = object if "uint64" in (a.dtype.name, b.dtype.name) else np.int64
        else:
            wide = np.complex128 if a.dtype.kind == "c" or b.dtype.kind == "c" else np.float64
        x, y = a.astype(wide), b.astype(wide)
        with np.errstate(all="ignore"):
            gap = np.abs(x - y)
            allowed = atol + rtol * np.abs(y) if rtol or atol else 0
            # Equal values come first, because inf - inf is NaN; of others, only finite ones may be close.
            good = (x == y) | ((gap <= allowed) & np.isfinite(gap.astype(np.float64)))
            if self.equal_nan and wide is not object:
                good |= (x != x) & (y != y)
        good = np.asarray(good, bool)
        if good.all():
            return
        if scalar:
            raise AssertionError(
                f"Scalars are not close!{at}\n\nExpected: {b.item()}\nFound: {a.item()}\n"
                f"Absolute difference: {gap.item()} (up to {atol} allowed)\nRelative difference: "
                f"{gap.item() / abs(y.item()) if y.item() else float('inf')} (up to {rtol} allowed)"
            )
        bad = int((~good).sum())
        gap = np.where(good, 0, gap.astype(np.float64))
        gap = np.where(np.isnan(gap), np.inf, gap)
        with np.errstate(all="ignore"):
            ratio = np.where(good, 0, gap / np.abs(y.astype(np.complex128)))
        i, j = (
            tuple(map(int, np.unravel_index(int(np.nanargmax(np.where(np.isnan(g), np.inf, g))), g.shape)))
            for g in (gap, ratio)
        )
        title = "Tensor-likes are not equal!" if not rtol and not atol else "Tensor-likes are not close!"
        raise AssertionError(
            f"{title}{at}\n\nMismatched elements: {bad} / {a.size} ({100 * bad / a.size:.1f}%)\n"
            f"Greatest absolute difference: {gap[i]} at index {i} (up to {atol} allowed)\n"
            f"Greatest relative difference: {ratio[j]} at index {j} (up to {rtol} allowed)\n"
            f"First: got {a[i]}, expected {b[i]} at {i}"
        )


def _dense(x: Tensor) -> Tensor:
    return x if x.layout is strided else x.detach().to_dense()


# Where a compressed tensor keeps its elements: the methods that give the compressed and the plain indices.
_INDICES = {
    layout.registry[name]: ("crow_indices", "col_indices") if name.endswith("r") else ("ccol_indices", "row_indices")
    for name in ("sparse_csr", "sparse_bsr", "sparse_csc", "sparse_bsc")
}


def _parts(a: Tensor, b: Tensor) -> list[tuple[str, Tensor, Tensor]]:
    """What is compared of two tensors of one layout: themselves, or what sparse tensors store, each with its name."""
    if a.layout is strided:
        return [("", a, b)]
    if a.layout is sparse_coo:
        return [("indices", a._indices(), b._indices()), ("values", a._values(), b._values())]
    return [(name, getattr(a, name)(), getattr(b, name)()) for name in (*_INDICES[a.layout], "values")]


def _is_sequence(x: Any) -> bool:
    return isinstance(x, Sequence) and not isinstance(x, (str, bytes, Tensor))


def _is_number(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex))


def _array(x: Any) -> Any:
    import numpy as np

    if isinstance(x, Tensor):
        from rushlight.operators.table.arrays import array_of

        x = x.detach()
        if x.dtype.format is not None and x.dtype.format.parts > 1:
            x = x.view(dt.uint8)
        return array_of(x.to(dt.float32) if x.dtype.format is not None else x, "assert_close")
    if isinstance(x, (np.ndarray, np.generic)) or _is_number(x):
        return np.asarray(x)
    raise TypeError(
        "assert_close(): expected tensors, NumPy arrays, numbers, None, or containers of them; found "
        f"{type(x).__name__}"
    )


def _dtype(x: Any) -> dt.dtype:
    if isinstance(x, Tensor):
        return x.dtype
    if isinstance(x, (int, float, complex)):
        return dt.dtype_of_number(x, dt.float64)
    return dt.from_numpy_dtype(x.dtype)
