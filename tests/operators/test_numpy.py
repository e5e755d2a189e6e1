"""NumPy at the border: its scalars, its functions and its arrays with tensors, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import Tensor

SCALARS = [
    np.bool_(True),
    np.int8(3),
    np.uint8(3),
    np.int16(3),
    np.uint16(3),
    np.int32(3),
    np.uint32(3),
    np.int64(3),
    np.uint64(3),
    np.float16(1.5),
    np.float32(1.5),
    np.float64(1.5),
    np.longdouble(1.5),
    np.complex64(1 + 2j),
    np.complex128(1 + 2j),
    np.clongdouble(1 + 2j),
]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "complex64"])
def test_a_scalar_promotes_like_pythons_number(scalar: Any, dtype: str) -> None:
    t = rushlight.ones(3).to(getattr(rushlight, dtype))
    number = scalar.astype(
        "complex128" if scalar.dtype.kind == "c" else "float64" if scalar.dtype.kind == "f" else scalar.dtype
    ).item()
    for fn in (
        lambda a, b: a + b,
        lambda a, b: a * b,
        lambda a, b: a == b,
        rushlight.where(rushlight.tensor([True, False, True]), t, 0).__class__.__mul__,
    ):
        got, expected = fn(t, scalar), fn(t, number)
        assert got.dtype is expected.dtype and got.tolist() == expected.tolist()
    got, expected = scalar * t, number * t
    assert type(got) is Tensor and got.dtype is expected.dtype and got.tolist() == expected.tolist()


def test_scalars_as_arguments_of_every_kind() -> None:
    x = rushlight.arange(6.0).reshape(2, 3)
    cases: list[tuple[Any, Any]] = [
        (x.sum(np.int64(0)), x.sum(0)),
        (x.sum((np.int32(0), np.int64(1))), x.sum((0, 1))),
        (x.sum(0, keepdim=np.bool_(True)), x.sum(0, keepdim=True)),
        (x.reshape(np.int64(3), np.int32(2)), x.reshape(3, 2)),
        (x.clamp(np.float32(1.5), np.float64(2.5)), x.clamp(1.5, 2.5)),
        (x.std(correction=np.int64(0)), x.std(correction=0)),
        (rushlight.isclose(x, x + 1, rtol=np.float32(1)), rushlight.isclose(x, x + 1, rtol=1.0)),
        (rushlight.full((2,), np.float32(1.5)), rushlight.full((2,), 1.5)),
        (rushlight.arange(np.int64(3)), rushlight.arange(3)),
        (x[np.int64(1)], x[1]),
        (x[np.bool_(True)], x[True]),
        (x.transpose(np.int64(0), np.int32(1)), x.transpose(0, 1)),
        (x ** np.float64(2), x**2.0),
        (np.float32(2) ** x, 2.0**x),
        (rushlight.tensor([np.bool_(True), False]), rushlight.tensor([True, False])),
        (rushlight.add(x, x, alpha=np.float32(2)), rushlight.add(x, x, alpha=2.0)),
        (x.masked_fill(x > 2, np.float32(9)), x.masked_fill(x > 2, 9.0)),
    ]
    for got, expected in cases:
        assert got.dtype is expected.dtype and got.tolist() == expected.tolist()
    x[0] = np.float32(7)
    assert x[0].tolist() == [7.0] * 3


def test_a_static_number_compiles_once() -> None:
    """A fresh np.int64(0) in every call is the same dimension."""
    x = rushlight.ones(2, 3, 4, 5)
    x.amax(0)
    before = rushlight.amax.compiled_calls()
    for _ in range(5):
        x.amax(np.int64(0))
        x.amax(rushlight.tensor(0))
    assert rushlight.amax.compiled_calls() == before


# ------------------------------------------------------------------------------------------------------------ functions
t, i, b = rushlight.tensor([1.0, 2.0, 3.0]), rushlight.tensor([1, 2, 3]), rushlight.tensor([True, False, True])
a = np.array([4.0, 5.0, 6.0])
FUNCTIONS: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
    ("sin", lambda: np.sin(t), lambda: rushlight.sin(t)),
    ("add", lambda: np.add(t, a), lambda: t + rushlight.tensor(a)),
    ("array + tensor", lambda: a + t, lambda: rushlight.tensor(a) + t),
    ("tensor + array", lambda: t + a, lambda: t + rushlight.tensor(a)),
    ("array == tensor", lambda: a == t, lambda: rushlight.tensor(a) == t),
    ("tensor < array", lambda: t < a, lambda: t < rushlight.tensor(a)),
    ("array @ tensor", lambda: a.astype("f4") @ t, lambda: rushlight.tensor([4.0, 5.0, 6.0]) @ t),
    ("isnan", lambda: np.isnan(t), lambda: t.isnan()),
    ("arctan2", lambda: np.arctan2(2.0, t), lambda: rushlight.atan2(rushlight.tensor(2.0), t)),
    ("invert", lambda: np.invert(b), lambda: ~b),
    ("absolute", lambda: np.abs(-i), lambda: i),
    ("mod", lambda: np.int64(7) % i, lambda: 7 % i),
    ("left_shift", lambda: 1 << i, lambda: np.left_shift(1, i)),
    ("cbrt, not an operator", lambda: np.cbrt(rushlight.tensor([8.0])), lambda: rushlight.tensor([2.0])),
    ("two results", lambda: np.divmod(i, 2)[1], lambda: i % 2),
    ("add.reduce", lambda: np.add.reduce(t), lambda: t.sum()),
    ("multiply.outer", lambda: np.multiply.outer(t, t), lambda: rushlight.outer(t, t)),
    ("mean", lambda: np.mean(t), lambda: t.mean()),
    ("sum", lambda: np.sum(rushlight.ones(2, 3), axis=1), lambda: rushlight.full((2,), 3.0)),
    ("max", lambda: np.max(t), lambda: t.max()),
    ("cumsum", lambda: np.cumsum(t), lambda: t.cumsum(0)),
    ("clip", lambda: np.clip(t, 1, 2), lambda: t.clamp(1, 2)),
    ("reshape", lambda: np.reshape(t, (3, 1)), lambda: t[:, None]),
    ("bfloat16", lambda: np.exp(t.bfloat16()), lambda: t.bfloat16().exp()),
]


@pytest.mark.parametrize(("got", "expected"), [f[1:] for f in FUNCTIONS], ids=[f[0] for f in FUNCTIONS])
def test_functions(got: Callable[[], Any], expected: Callable[[], Any]) -> None:
    g, e = got(), expected()
    assert type(g) is Tensor and g.dtype is e.dtype and g.tolist() == e.tolist()


def test_functions_that_give_arrays() -> None:
    for found in (
        np.concatenate([t, t]),
        np.stack([t, t]),
        np.sort(t),
        np.where(b, t, 0),
        np.asarray(t),
        np.array([t, t]),
    ):
        assert type(found) is np.ndarray
    assert np.concatenate([t, t]).tolist() == [1, 2, 3, 1, 2, 3] and a[i - 1].tolist() == a.tolist()
    out = np.empty(3, np.float32)
    assert np.exp(t, out=out) is out and out.tolist() == np.exp(t.numpy()).tolist()
    grown = a.copy()
    grown += t
    assert type(grown) is np.ndarray and grown.tolist() == [5, 7, 9]


def test_gradients_and_transforms_go_through() -> None:
    x = rushlight.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (np.sin(x) * a + a * x).sum().backward()
    assert x.grad is not None and rushlight.allclose(x.grad, (x.detach().cos() + 1) * rushlight.tensor(a).float())
    weights = a.copy()
    y = x * weights
    weights[:] = 0  # the graph has a copy
    x.grad = None
    y.sum().backward()
    assert x.grad.tolist() == a.tolist()
    assert rushlight.func.vmap(lambda row: np.sin(row) + 1)(rushlight.ones(2, 3)).shape == (2, 3)
    assert np.sin(rushlight.ones(2, device="meta")).is_meta


def test_an_operand_of_another_class_may_answer() -> None:
    class Other:
        def __radd__(self, left: Any) -> str:
            return "mine"

    assert t + Other() == "mine"
    with pytest.raises(TypeError, match="unsupported operand"):
        t + "text"  # type: ignore[operator]
    with pytest.raises(TypeError, match="unsupported operand"):
        [1] - t  # type: ignore[operator]


# -------------------------------------------------------------------------------------------------------------- refused
OBJECTS = np.array([1, 2, 3], dtype=object)
BAD_ARRAYS = [
    (
        TypeError,
        r"one of the dtypes .*float64.*; found numpy\.object_: its elements are Python objects.*astype\('float64'\)",
        OBJECTS,
    ),
    (TypeError, r"numpy\.object_", np.array([1.0]).astype(object)),
    (TypeError, r"numpy\.str_: text", np.array(["a"])),
    (TypeError, r"numpy\.datetime64: dates.*int64", np.array(["2020-01-01"], dtype="datetime64[D]")),
    (TypeError, r"numpy\.void.*field", np.zeros(2, [("x", int)])),
    (TypeError, r"numpy\.longdouble; use array\.astype\('float64'\)", np.array([1], dtype=np.longdouble)),
    (ValueError, r"byte order.*astype\('int32'\)", np.array([1], dtype=">i4")),
]


@pytest.mark.parametrize(
    ("error", "match", "array"), BAD_ARRAYS, ids=[str(x[2].dtype) + str(k) for k, x in enumerate(BAD_ARRAYS)]
)
@pytest.mark.parametrize(
    "convert",
    [
        rushlight.tensor,
        rushlight.as_tensor,
        rushlight.from_numpy,
        rushlight.asarray,
        lambda x: rushlight.ones(1) + x,
        lambda x: x * rushlight.ones(1),
    ],
    ids=["tensor", "as_tensor", "from_numpy", "asarray", "tensor + array", "array * tensor"],
)
def test_arrays_that_no_tensor_can_hold(
    error: type[Exception], match: str, array: Any, convert: Callable[[Any], Any]
) -> None:
    with pytest.raises(error, match=match):
        convert(array)


def test_refusals() -> None:
    with pytest.raises(TypeError, match=r"numpy\.exp\(\): out= must be a NumPy array; found a tensor"):
        np.exp(t, out=rushlight.empty(3))  # type: ignore[call-overload]
    with pytest.raises(RuntimeError, match="requires grad"):
        np.cbrt(t.clone().requires_grad_())  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="avoid copy"):
        np.asarray(t, dtype=np.float64, copy=False)
    with pytest.raises(TypeError, match="must be Tensor, not ndarray"):
        rushlight.sin(a)
