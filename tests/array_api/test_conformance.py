"""rushlight.array_api beside array-api-strict, the standard's reference: names, signatures, and thousands of calls.

The public suite (github.com/data-apis/array-api-tests) is run by `make array-api`; this file needs no network.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import array_cases
import numpy as np
import pytest
from array_cases import Call, Named

import rushlight as rl
from rushlight import array_api as xp

strict = pytest.importorskip("array_api_strict")

# Results that are a choice of numbers already there, or counts: they must be equal, signs of zeros included.
MOVED = {name for name, _, _ in (*array_cases.manipulation(), *array_cases.creation())} - {
    "linspace",
    "arange",
    "diff",
} | {"conj", "imag", "negative", "positive", "real", "round", "max", "min", "sort"}
EXACT = MOVED | {
    "abs",
    "ceil",
    "clip",
    "copysign",
    "floor",
    "maximum",
    "minimum",
    "nextafter",
    "sign",
    "sqrt",
    "square",
    "trunc",
    "add",
    "subtract",
    "multiply",
    "divide",
    "remainder",
}  # real numbers; arithmetic of complex ones rounds more than once
# the standard leaves the sign of a zero open
UNSIGNED_ZEROS = {"maximum", "minimum", "max", "min", "sort", "sign", "clip"}


@pytest.fixture(autouse=True, scope="module")
def default_float64() -> Iterator[None]:
    """The reference's default floating point dtype, so that results without a dtype can be compared."""
    rl.set_default_dtype(rl.float64)
    yield
    rl.set_default_dtype(rl.float32)


def convert(namespace: Any, x: Any) -> Any:
    """Arguments of the cases as arguments of a namespace."""
    if isinstance(x, Named):
        return getattr(namespace, x)
    if isinstance(x, (np.ndarray, np.generic)):
        return namespace.asarray(np.array(x))
    if isinstance(x, (list, tuple)):
        return type(x)(convert(namespace, v) for v in x)
    return x


def call(namespace: Any, case: Call) -> Any:
    name, args, kwargs = case
    function = namespace
    for part in name.split("."):
        function = getattr(function, part)
    return function(*[convert(namespace, a) for a in args], **{k: convert(namespace, v) for k, v in kwargs.items()})


def in_numpy(x: Any) -> Any:
    """A result as NumPy's."""
    if isinstance(x, rl.Tensor):
        return x.numpy()
    return np.asarray(x._array) if hasattr(x, "_array") else x


def compare(name: str, ours: Any, theirs: Any, from_complex: bool = False) -> None:
    """Equal in structure, dtype, shape and values. from_complex: the arguments are complex, whatever the result is."""
    if isinstance(theirs, tuple) and not isinstance(theirs, np.ndarray) and not (theirs and isinstance(theirs[0], int)):
        assert isinstance(ours, tuple) and len(ours) == len(theirs)
        assert getattr(ours, "_fields", None) == getattr(theirs, "_fields", None)
        for a, b in zip(ours, theirs, strict=True):
            compare(name, a, b, from_complex)
        return
    if not hasattr(theirs, "_array"):  # a dtype, a bool, a shape
        assert str(ours).removeprefix("torch.") == str(theirs).removeprefix("array_api_strict.")
        return
    assert isinstance(ours, rl.Tensor)
    a, b = in_numpy(ours), in_numpy(theirs)
    assert a.dtype == b.dtype and a.shape == b.shape
    if a.dtype.kind not in "fc" or name in (EXACT if a.dtype.kind == "f" and not from_complex else MOVED):
        np.testing.assert_array_equal(a, b)
        if a.dtype.kind == "f" and name not in UNSIGNED_ZEROS:
            zero = b == 0
            np.testing.assert_array_equal(np.signbit(a[zero]), np.signbit(b[zero]))
        return
    eps = np.finfo(a.dtype).eps
    scale = (
        np.max(np.abs(b[np.isfinite(b)]), initial=0) if "." in name or name in ("matmul", "tensordot", "vecdot") else 0
    )
    np.testing.assert_allclose(a, b, rtol=64 * eps, atol=64 * eps * scale + np.finfo(a.dtype).tiny)


def label(case: Call) -> str:
    def text(x: Any) -> str:
        return f"{x.dtype}{list(x.shape)}" if isinstance(x, (np.ndarray, np.generic)) else repr(x)

    return f"{case[0]}({', '.join([*map(text, case[1]), *(f'{k}={text(v)}' for k, v in case[2].items())])})"


GROUPS: list[Callable[[], Iterator[Call]]] = [
    array_cases.unary,
    array_cases.binary,
    array_cases.creation,
    array_cases.manipulation,
    array_cases.reductions,
    array_cases.linear_algebra,
    array_cases.fourier,
    array_cases.dtype_questions,
]
CASES: dict[str, list[Call]] = {}
for group in GROUPS:
    for case in group():
        CASES.setdefault(case[0], []).append(case)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, at infinities and NaN
def test_results(name: str) -> None:
    for case in CASES[name]:
        try:
            compare(
                name,
                call(xp, case),
                call(strict, case),
                any(getattr(a, "dtype", None) in array_cases.COMPLEX for a in case[1]),
            )
        except Exception as error:
            error.add_note(f"in {label(case)}")
            raise


def functions() -> Iterator[tuple[str, Any, Any]]:
    """Every function of the standard: name, ours, the reference's."""
    flags = {
        "set_array_api_strict_flags",
        "get_array_api_strict_flags",
        "reset_array_api_strict_flags",
        "ArrayAPIStrictFlags",
        "Device",
    }
    for prefix, ours, theirs in (("", xp, strict), ("linalg.", xp.linalg, strict.linalg), ("fft.", xp.fft, strict.fft)):
        for name in theirs.__all__:
            function = getattr(theirs, name)
            if (
                callable(function)
                and name not in flags
                and not name[0].isupper()
                and not isinstance(function, type(strict.int8))
            ):
                yield prefix + name, getattr(ours, name, None), function


FUNCTIONS = {name: (ours, theirs) for name, ours, theirs in functions()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature(name: str) -> None:
    ours, theirs = FUNCTIONS[name]
    assert ours is not None, f"{name} is missing"
    found, wanted = (list(inspect.signature(f).parameters.values()) for f in (ours, theirs))
    assert [(p.name, p.kind) for p in found] == [(p.name, p.kind) for p in wanted]
    for p, q in zip(found, wanted, strict=True):
        assert p.default == q.default or type(q.default).__name__ == "Undef"
    assert ours.__name__ == name.rpartition(".")[2] and ours.__doc__ and ours.__doc__.rstrip().endswith((".", ";"))


def test_every_function_has_cases() -> None:
    without = {
        name
        for name in FUNCTIONS
        if name not in CASES and f"linalg.{name}" not in CASES and name.removeprefix("linalg.") not in CASES
    }
    # These have tests of their own below, or in test_namespace.py.
    assert without == {
        "empty",
        "empty_like",
        "from_dlpack",
        "finfo",
        "iinfo",
        "__array_namespace_info__",
        "linalg.eigh",
        "linalg.qr",
        "linalg.svd",
    }


def test_all_names() -> None:
    assert set(strict.__all__) - set(xp.__all__) == {
        "Device",
        "__version__",
        "ArrayAPIStrictFlags",
        "set_array_api_strict_flags",
        "get_array_api_strict_flags",
        "reset_array_api_strict_flags",
    }
    assert set(xp.__all__) <= set(strict.__all__) and all(hasattr(xp, name) for name in xp.__all__)
    # new in 2025.12; the reference's 2.6.1 lacks them
    assert set(xp.linalg.__all__) - set(strict.linalg.__all__) == {"eig", "eigvals"}
    assert set(strict.linalg.__all__) <= set(xp.linalg.__all__) and set(xp.fft.__all__) == set(strict.fft.__all__)
    assert xp.__array_api_version__ == strict.__array_api_version__
    for name in ("e", "pi", "inf"):
        assert getattr(xp, name) == getattr(strict, name)
    assert xp.nan != xp.nan and xp.newaxis is None
    for name in array_cases.ALL:
        assert getattr(xp, name).name == name


@pytest.mark.parametrize("dtype", array_cases.REAL + array_cases.COMPLEX)
def test_factorizations(dtype: str) -> None:
    """Factors are not unique: what they are factors of, and what they promise, is."""
    d = getattr(xp, dtype)
    real = d.to_real()
    a = xp.asarray(array_cases.values(dtype, (2, 4, 3)), dtype=d)
    square = xp.asarray(array_cases.values(dtype, (2, 3, 3)), dtype=d)
    hermitian = square + xp.conj(square).mT
    tolerance = 200 * xp.finfo(d).eps

    def same(x: rl.Tensor, y: rl.Tensor) -> None:
        assert x.dtype is y.dtype and x.shape == y.shape
        assert float(xp.max(xp.abs(x - y))) < tolerance * (1 + float(xp.max(xp.abs(y))))

    for mode, columns in (("reduced", 3), ("complete", 4)):
        q, r = xp.linalg.qr(a, mode=mode)
        assert q.shape == (2, 4, columns) and r.shape == (2, columns, 3)
        same(q @ r, a)
        same(xp.conj(q).mT @ q, xp.broadcast_to(xp.eye(columns, dtype=d), (2, columns, columns)))
        assert not xp.any(xp.tril(r, k=-1))
    for full, columns in ((True, 4), (False, 3)):
        u, s, vh = xp.linalg.svd(a, full_matrices=full)
        assert u.shape == (2, 4, columns) and s.shape == (2, 3) and s.dtype is real and vh.shape == (2, 3, 3)
        same(u[:, :, :3] @ (s[:, :, None] * vh), a)
        same(s, xp.linalg.svdvals(a))
    values, vectors = xp.linalg.eigh(hermitian)
    assert values.dtype is real and xp.all(values[:, 1:] >= values[:, :-1])
    same(hermitian @ vectors, vectors * xp.astype(values, d)[:, None, :])
    same(values, xp.linalg.eigvalsh(hermitian))
    found = xp.linalg.eig(square)
    assert found._fields == ("eigenvalues", "eigenvectors") and xp.isdtype(found.eigenvalues.dtype, "complex floating")
    same(
        xp.astype(square, found.eigenvectors.dtype) @ found.eigenvectors,
        found.eigenvectors * found.eigenvalues[:, None, :],
    )
    same(xp.linalg.eigvals(square), found.eigenvalues)


def test_limits() -> None:
    for name in array_cases.REAL + array_cases.COMPLEX:
        for kind in (lambda m, name=name: getattr(m, name), lambda m, name=name: m.ones((2,), dtype=getattr(m, name))):
            ours, theirs = xp.finfo(kind(xp)), strict.finfo(kind(strict))
            assert all(
                getattr(ours, a) == getattr(theirs, a) and type(getattr(ours, a)) is type(getattr(theirs, a))
                for a in ("bits", "eps", "max", "min", "smallest_normal")
            )
            assert ours.dtype is getattr(xp, name).to_real()
    for name in array_cases.INTEGER:
        ours, theirs = xp.iinfo(getattr(xp, name)), strict.iinfo(getattr(strict, name))
        assert (ours.bits, ours.max, ours.min) == (theirs.bits, theirs.max, theirs.min) and ours.dtype is getattr(
            xp, name
        )
    with pytest.raises(TypeError):
        xp.finfo(xp.int8)
    with pytest.raises(TypeError):
        xp.iinfo(xp.float32)


def test_the_comparison_itself() -> None:
    for ours, theirs in (
        (xp.asarray([1.0]), strict.asarray([2.0])),
        (xp.asarray([1]), strict.asarray([1.0])),
        (xp.asarray([1]), strict.asarray(1)),
        (xp.int8, strict.int16),
        (xp.asarray([0.0]), strict.asarray([-0.0])),
    ):
        with pytest.raises(AssertionError):
            compare("add", ours, theirs)
