"""What the namespace promises besides values: what tensors have, inspection, devices, DLPack, errors, derivatives,
laziness.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from processes import printed
from rushlight import array_api as xp


def test_the_namespace_of_a_tensor() -> None:
    x = rl.ones(2)
    assert x.__array_namespace__() is xp
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is xp
    for version in ("2020.10", "2026.12", ""):
        with pytest.raises(ValueError, match="api_version"):
            x.__array_namespace__(api_version=version)
    assert rl.nn.Parameter(x).__array_namespace__() is xp


def test_it_is_loaded_when_first_used() -> None:
    code = (
        "import sys, rushlight; a = 'rushlight.array_api' in sys.modules; "
        "rushlight.ones(2).__array_namespace__(); print(a, 'rushlight.array_api' in sys.modules)"
    )
    shown = printed("-c", code)
    assert shown.split() == ["False", "True"]


def test_the_names_of_the_package() -> None:
    """A name that PyTorch has means PyTorch's; the others mean the standard's."""
    table = rl.operators.table.define.TABLE
    for mine, standard, prefix in ((rl, xp, ""), (rl.linalg, xp.linalg, "linalg."), (rl.fft, xp.fft, "fft.")):
        for name in set(standard.__all__) - {"__array_api_version__", "__array_namespace_info__"}:
            found = getattr(mine, name)
            operator = getattr(found, "op", found)  # of an alias
            assert (
                found is getattr(standard, name)
                or operator is table.get(prefix + name)
                or name in rl.operators.table.define.FUNCTIONS
                or name in ("fft", "linalg", "nan")
            ), name
    assert rl.sum is not xp.sum and rl.permute_dims is xp.permute_dims and rl.linalg.outer is xp.linalg.outer
    with pytest.raises(AttributeError):
        _ = rl.linalg.no_such_name


def test_attributes() -> None:
    x = rl.arange(6).reshape(2, 3)
    assert x.shape == (2, 3) and x.ndim == 2 and x.dtype is xp.int64 and x.device == rl.device("cpu")
    assert x.T.shape == (3, 2) and x.mT.tolist() == x.T.tolist() and len(x) == 2
    assert complex(xp.asarray(2.0)) == 2 and complex(xp.asarray(1 - 2j)) == 1 - 2j
    assert (
        float(xp.asarray(2.5)) == 2.5
        and int(xp.asarray(3)) == 3
        and xp.asarray(3).__index__() == 3
        and bool(xp.asarray(np.nan))
    )
    with pytest.raises(TypeError):
        xp.asarray(2.5).__index__()
    assert (
        x[::-1, ::-2].tolist() == [[5, 3], [2, 0]]
        and x[None, ..., -1].shape == (1, 2)
        and x[xp.asarray([True, False])].shape == (1, 3)
    )
    assert x[xp.asarray([1, 0]), xp.asarray([2, -1])].tolist() == [5, 2]
    y = xp.asarray(x, copy=True)
    y[::-1, 0] = xp.asarray([7, 8])
    y[y > 6] = 0
    assert y.tolist() == [[0, 1, 2], [0, 4, 5]] and x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_devices() -> None:
    info = xp.__array_namespace_info__()
    x = xp.ones(3)
    assert x.device == info.default_device() and x.device in info.devices() and isinstance(info.devices(), list)
    assert x.to_device(x.device) is x and x.to_device("cpu") is x
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)
    for made in (
        xp.zeros(2, device=x.device),
        xp.asarray([1], device="cpu"),
        xp.arange(3, device=x.device),
        xp.astype(x, xp.float64, device=x.device),
        xp.zeros_like(x, device=x.device),
    ):
        assert made.device == x.device


def test_inspection() -> None:
    info = xp.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert xp.zeros((1,) * 64).ndim == 64
    with pytest.raises(RuntimeError):
        xp.zeros((1,) * 65)
    sizes = (1, 2, *(1,) * 62)
    for n in range(20, 65):  # a view once forgot what follows the 24th
        x = xp.reshape(xp.asarray([1.0, 2.0]), sizes[:n])
        assert (
            x.shape == sizes[:n]
            and xp.permute_dims(x, tuple(range(n))[::-1]).shape == sizes[:n][::-1]
            and xp.broadcast_to(x, (3, *sizes[1:n])).shape == (3, *sizes[1:n])
        )
        assert xp.reshape(x + x, (2,)).tolist() == [2.0, 4.0]
    assert xp.matmul(x, xp.ones((1, 1))).shape == sizes
    with pytest.raises(RuntimeError, match="at most 64 dimensions; found 65"):
        xp.reshape(x, (*sizes, 1))
    names = {
        "bool": ["bool"],
        "signed integer": ["int8", "int16", "int32", "int64"],
        "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
        "real floating": ["float32", "float64"],
        "complex floating": ["complex64", "complex128"],
    }
    for kind, expected in names.items():
        assert info.dtypes(kind=kind) == {n: getattr(xp, n) for n in expected}
    assert list(info.dtypes(kind="integral")) == names["signed integer"] + names["unsigned integer"]
    assert set(info.dtypes()) == {"bool"} | set(info.dtypes(kind="numeric")) and len(info.dtypes()) == 13
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", "complex64", "complex128"}
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="floating")
    assert info.default_dtypes() == {
        "real floating": xp.float32,
        "complex floating": xp.complex64,
        "integral": xp.int64,
        "indexing": xp.int64,
    }
    defaults = info.default_dtypes(device=info.default_device())
    assert (
        xp.ones(1).dtype
        is xp.asarray(1.0).dtype
        is xp.linspace(0, 1, 2).dtype
        is xp.fft.fftfreq(3).dtype
        is defaults["real floating"]
    )
    assert xp.asarray(1j).dtype is defaults["complex floating"] and xp.arange(3).dtype is defaults["integral"]
    assert xp.argmax(xp.ones(3)).dtype is xp.nonzero(xp.ones(3))[0].dtype is defaults["indexing"]


def test_dlpack() -> None:
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert x.__dlpack_device__() == (1, 0)
    shared = np.from_dlpack(x)
    shared[0, 0] = 7
    assert x[0, 0] == 7
    assert "versioned" in repr(x.__dlpack__(max_version=(1, 0))) and "versioned" not in repr(x.__dlpack__())
    for capsule in (
        x.__dlpack__(),
        x.__dlpack__(max_version=(1, 1)),
        x.__dlpack__(dl_device=(1, 0), copy=False, stream=None),
    ):
        view = rl.from_dlpack(capsule)
        assert view.data_ptr() == x.data_ptr() and view.tolist() == x.tolist()
    assert rl.from_dlpack(x.__dlpack__(copy=True)).data_ptr() != x.data_ptr()
    array = np.arange(3, dtype=np.int16)
    assert (
        xp.from_dlpack(array, copy=False).data_ptr()
        == xp.from_dlpack(array).data_ptr()
        == array.ctypes.data
        != xp.from_dlpack(array, copy=True).data_ptr()
    )
    assert xp.from_dlpack(array, device=x.device).device == x.device
    for dtype in [*xp.__array_namespace_info__().dtypes(kind="numeric").values(), xp.bool]:
        y = xp.ones((2, 3), dtype=dtype).mT
        z = xp.from_dlpack(y)
        assert z.dtype is dtype and z.shape == (3, 2) and z.data_ptr() == y.data_ptr()
    for error, options in (
        (BufferError, {"dl_device": (2, 0)}),
        (AssertionError, {"stream": 1}),
        (TypeError, {"stream": "1"}),
    ):
        with pytest.raises(error, match="__dlpack__"):
            x.__dlpack__(**options)


def test_copies() -> None:
    x = xp.asarray([1.0, 2.0])
    for same in (
        xp.asarray(x),
        xp.asarray(x, copy=False),
        xp.asarray(x, dtype=xp.float32),
        xp.astype(x, xp.float32, copy=False),
    ):
        assert same.data_ptr() == x.data_ptr()
    for other in (
        xp.asarray(x, copy=True),
        xp.asarray(x, dtype=xp.float64),
        xp.astype(x, xp.float32),
        xp.reshape(x, (2, 1), copy=True),
    ):
        assert other.data_ptr() != x.data_ptr()
    array = np.ones(3)
    assert xp.asarray(array).data_ptr() == array.ctypes.data != xp.asarray(array, copy=True).data_ptr()
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(x, dtype=xp.float64, copy=False)
    with pytest.raises(ValueError):
        xp.asarray([1.0], copy=False)
    matrix = xp.ones((2, 3)).mT
    assert xp.reshape(matrix, (3, 1, 2), copy=False).data_ptr() == matrix.data_ptr()
    with pytest.raises(ValueError, match="copy=False"):
        xp.reshape(matrix, (6,), copy=False)


def test_uninitialized() -> None:
    assert xp.empty((2, 3), dtype=xp.int8).shape == (2, 3) and xp.empty(4).dtype is xp.float32
    assert (
        xp.empty_like(xp.ones((2, 1), dtype=xp.uint16)).dtype is xp.uint16
        and xp.empty_like(xp.ones(2), dtype=xp.bool).dtype is xp.bool
    )


ERRORS: list[tuple[type[Exception], str, Any]] = [
    (TypeError, "add.*'x1' or 'x2'", lambda: xp.add(1, 2)),
    (TypeError, "add.*'x2'.*str", lambda: xp.add(xp.ones(2), "text")),
    (TypeError, "sin.*'x'.*float", lambda: xp.sin(1.0)),
    (TypeError, "sum.*'x'.*list", lambda: xp.sum([1, 2])),
    (TypeError, "clip.*'min'", lambda: xp.clip(xp.ones(2), "a")),
    (TypeError, "isdtype.*'kind'", lambda: xp.isdtype(xp.int8, 3)),
    (ValueError, "isdtype.*'floating'", lambda: xp.isdtype(xp.int8, "floating")),
    (TypeError, "result_type", lambda: xp.result_type()),
    (TypeError, "result_type", lambda: xp.result_type(1, 2.0)),
    (TypeError, "astype.*'dtype'", lambda: xp.astype(xp.ones(2), "float32")),
    (ValueError, "broadcast_to", lambda: xp.broadcast_to(xp.ones((2, 3)), (2, 4))),
    (ValueError, "broadcast_to", lambda: xp.broadcast_to(xp.ones((2, 3)), (3,))),
    (ValueError, "broadcast_shapes", lambda: xp.broadcast_shapes((2,), (3,))),
    (ValueError, "concat.*'arrays'", lambda: xp.concat([])),
    (ValueError, "concat.*shapes", lambda: xp.concat([xp.ones((2, 2)), xp.ones(0)])),
    (TypeError, r"stack.*arrays\[1\]", lambda: xp.stack([xp.ones(2), 3.0])),
    (ValueError, "squeeze.*axis 0", lambda: xp.squeeze(xp.ones((2, 1)), 0)),
    (IndexError, "squeeze.*axis 2", lambda: xp.squeeze(xp.ones((2, 1)), 2)),
    (ValueError, "permute_dims", lambda: xp.permute_dims(xp.ones((2, 1)), (0,))),
    (ValueError, "permute_dims", lambda: xp.permute_dims(xp.ones((2, 1)), (0, -2))),
    (ValueError, "expand_dims", lambda: xp.expand_dims(xp.ones(2), (0, 0))),
    (ValueError, "take.*axis", lambda: xp.take(xp.ones((2, 2)), xp.asarray([0]))),
    (ValueError, "sum.*different", lambda: xp.sum(xp.ones((2, 2)), axis=(0, -2))),
    (IndexError, "max.*axis 3", lambda: xp.max(xp.ones((2, 2)), axis=3)),
    (TypeError, "mean.*'axis'", lambda: xp.mean(xp.ones((2, 2)), axis=0.5)),
    (ValueError, "cumulative_sum.*axis", lambda: xp.cumulative_sum(xp.ones((2, 2)))),
    (ValueError, "cumulative_prod.*dimension", lambda: xp.cumulative_prod(xp.ones(()))),
    (ValueError, "nonzero", lambda: xp.nonzero(xp.ones(()))),
    (ValueError, "searchsorted.*'x1'", lambda: xp.searchsorted(xp.ones((2, 2)), xp.ones(2))),
    (ValueError, "searchsorted.*side", lambda: xp.searchsorted(xp.ones(2), xp.ones(2), side="middle")),
    (ValueError, "meshgrid.*indexing", lambda: xp.meshgrid(xp.ones(2), indexing="yx")),
    (ValueError, "matrix_transpose", lambda: xp.matrix_transpose(xp.ones(2))),
    (ValueError, "vecdot", lambda: xp.vecdot(xp.ones(2), xp.ones(3))),
    (IndexError, "vecdot.*axis -2", lambda: xp.vecdot(xp.ones(2), xp.ones((2, 2)), axis=-2)),
    (ValueError, r"cross.*\(1,\)", lambda: xp.linalg.cross(xp.ones(1), xp.ones(3))),
    (ValueError, "cross", lambda: xp.linalg.cross(xp.ones((3, 3)), xp.ones((2, 3, 3)), axis=1)),
    (ValueError, "outer", lambda: xp.linalg.outer(xp.ones((2, 2)), xp.ones(2))),
    (ValueError, "qr.*mode", lambda: xp.linalg.qr(xp.ones((2, 2)), mode="r")),
    (rl.linalg.LinAlgError, "inv", lambda: xp.linalg.inv(xp.zeros((2, 2)))),
    (ValueError, "fft.*norm", lambda: xp.fft.fft(xp.ones(2), norm="none")),
    (RuntimeError, "arange", lambda: xp.arange(0, 3, 0)),
]


@pytest.mark.parametrize(("error", "message", "call"), ERRORS, ids=range(len(ERRORS)))
def test_errors(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error, match=message):
        call()


def test_numbers_that_only_uint64_holds() -> None:
    x = xp.asarray([1, 2], dtype=xp.uint64)
    assert xp.add(x, 2**63).tolist() == [2**63 + 1, 2**63 + 2] and xp.add(x, 2**63).dtype is xp.uint64
    assert xp.less(x, 2**64 - 1).tolist() == [True, True]


def test_diagonals_far_away() -> None:
    x = xp.ones((2, 3))
    for k in (10, 2**70):
        assert (
            xp.all(xp.tril(x, k=k))
            and not xp.any(xp.triu(x, k=k))
            and xp.all(xp.triu(x, k=-k))
            and not xp.any(xp.tril(x, k=-k))
        )
        assert not xp.any(xp.eye(2, 3, k=k)) and xp.linalg.diagonal(x, offset=min(k, 10**4)).shape == (0,)


def test_what_scikit_learn_needs_beyond_the_standard() -> None:
    x = xp.asarray([1, 4, 9, 16])
    assert xp.diff(x, 2).tolist() == xp.diff(x, n=2).tolist() == [2, 2]
    assert xp.where(x > 4)[0].tolist() == [2, 3]


def test_numbers_of_numpy() -> None:
    assert xp.add(xp.ones(2), np.float32(0.5)).tolist() == [1.5, 1.5]
    assert xp.where(xp.asarray([True, False]), np.int64(3), xp.asarray([1, 2])).tolist() == [3, 2]


def test_derivatives_and_vmap() -> None:
    """Arrays are tensors: what the namespace computes is differentiated and batched like anything else."""

    def loss(w: rl.Tensor) -> rl.Tensor:
        namespace = w.__array_namespace__()
        y = namespace.matmul(namespace.asarray([[1.0, 2.0], [3.0, 4.0]]), w)
        return namespace.sum(
            namespace.tanh(namespace.asarray(y)) * namespace.clip(w, -1, 1)
        ) + namespace.linalg.vector_norm(w)

    w = rl.tensor([0.1, -0.2], requires_grad=True)
    loss(w).backward()
    h = 1e-3
    numeric = [(loss(w.detach() + h * e) - loss(w.detach() - h * e)).item() / (2 * h) for e in rl.eye(2)]
    assert w.grad is not None and w.grad.tolist() == pytest.approx(numeric, rel=1e-2)
    batch = rl.stack([w.detach(), 2 * w.detach()])
    assert rl.func.vmap(rl.func.grad(loss))(batch)[0].tolist() == pytest.approx(w.grad.tolist(), rel=1e-5)


def test_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xp.astype(xp.asarray([1.5]), xp.int8)
        xp.std(xp.asarray([1.0]), correction=1)
        xp.meshgrid(xp.ones(2), xp.ones(3))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, np.float32])
@pytest.mark.parametrize("name", ["inv", "qr", "solve", "slogdet"])
def test_matrices_of_very_large_and_small_numbers(name: str, dtype: type[np.generic]) -> None:
    """A quotient of complex numbers must not square the divisor, which would overflow or vanish."""
    matrix = np.array([[3 + 0.3j, 1 + 1j, 0.5], [1 + 0.1j, 2 - 0.2j, 0.1], [0.2, 0.3 + 0.7j, 4]])
    matrix = (matrix if np.issubdtype(dtype, np.complexfloating) else matrix.real).astype(dtype)
    largest = 30 if dtype is not np.complex128 else 250
    right = [np.ones(3, dtype)] if name == "solve" else []
    for scale in (10.0**largest, 10.0**-largest):
        x = (matrix * scale).astype(dtype)
        found, expected = getattr(xp.linalg, name)(*map(xp.asarray, (x, *right))), getattr(np.linalg, name)(x, *right)
        found, expected = (found[1], expected[1]) if isinstance(found, tuple) else (found, expected)
        largest_element = np.abs(expected).max()
        np.testing.assert_allclose(found.numpy() / largest_element, expected / largest_element, atol=1e-5)
