"""Hypothesis draws arrays of the namespace by the standard alone, as the public suite does; NumPy says what is
right.
"""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight import array_api as xp

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.configuration import set_hypothesis_home_dir  # noqa: E402
from hypothesis.extra.array_api import make_strategies_namespace  # noqa: E402

set_hypothesis_home_dir(Path(__file__).parents[2] / "build" / "hypothesis")
xps = make_strategies_namespace(xp, api_version=xp.__array_api_version__)
# Few examples, the same in every run, and few ranks: each new (dtype, rank) compiles kernels.
few = settings(max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
shapes = st.sampled_from([(), (3,), (0,), (2, 3), (2, 0, 4), (4, 1, 3)])


def numpy_of(x: Any) -> np.ndarray:
    return np.asarray(x.numpy())


@few
@given(st.data())
def test_arrays(data: st.DataObject) -> None:
    dtype = data.draw(xps.scalar_dtypes())
    x = data.draw(xps.arrays(dtype, shapes))
    assert x.dtype is dtype and xp.asarray(x, copy=True).shape == x.shape
    np.testing.assert_array_equal(
        numpy_of(xp.reshape(x, (-1,)) if x.numel() else xp.reshape(x, (0,))), numpy_of(x).reshape(-1)
    )


@few
@given(st.data())
def test_indexing(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    x = xp.reshape(xp.arange(int(np.prod(shape))), shape)
    key = data.draw(xps.indices(shape, allow_newaxis=True))
    np.testing.assert_array_equal(numpy_of(x[key]), numpy_of(x)[key])
    y = xp.asarray(x, copy=True)
    expected = numpy_of(x).copy()
    y[key] = -1
    expected[key] = -1
    np.testing.assert_array_equal(numpy_of(y), expected)


@few
@given(st.data())
def test_masks(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    x = xp.reshape(xp.arange(int(np.prod(shape))), shape)
    mask = data.draw(xps.arrays(xp.bool, st.just(shape)))
    np.testing.assert_array_equal(numpy_of(x[mask]), numpy_of(x)[numpy_of(mask)])


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0), (0, 0)])
def test_masks_of_size_zero(shape: tuple[int, ...]) -> None:
    """A size of a mask may be 0 instead of the array's; it selects nothing then."""
    x = xp.reshape(xp.arange(12), (3, 4))
    mask = xp.zeros(shape, dtype=xp.bool)
    found = x[mask]
    assert found.shape == numpy_of(x)[numpy_of(mask)].shape and found.dtype is x.dtype
    y = xp.asarray(x, copy=True)
    y[mask] = 5
    y[mask] = xp.asarray(6)
    y[mask] = xp.zeros(found.shape, dtype=x.dtype)
    assert xp.all(y == x)
    assert x[:, xp.zeros(0, dtype=xp.bool)].shape == (3, 0)
    for wrong in ((2,), (3, 5), (0, 3), (1, 4)):
        with pytest.raises(IndexError, match="a mask must have the sizes"):
            x[xp.zeros(wrong, dtype=xp.bool)]
        with pytest.raises(IndexError, match="a mask must have the sizes"):
            y[xp.zeros(wrong, dtype=xp.bool)] = 5


@few
@given(st.data())
def test_broadcasting_and_promotion(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["add", "multiply", "subtract", "equal"]))
    pair = data.draw(
        st.sampled_from(
            [
                ("int8", "int16"),
                ("uint8", "int8"),
                ("float32", "float64"),
                ("float32", "float32"),
                ("complex64", "float64"),
                ("int64", "int64"),
            ]
        )
    )
    two = data.draw(xps.mutually_broadcastable_shapes(2, max_dims=3, max_side=3, min_side=0))
    arrays = [
        data.draw(
            xps.arrays(
                getattr(xp, d),
                s,
                elements={"min_value": -50, "max_value": 50} if "complex" not in d and d != "uint8" else None,
            )
        )
        for d, s in zip(pair, two.input_shapes, strict=True)
    ]
    result = getattr(xp, name)(*arrays)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*map(numpy_of, arrays))
    assert result.shape == two.result_shape and numpy_of(result).dtype == expected.dtype
    if "complex64" not in pair or name == "add":  # a product of infinities is one choice among several
        np.testing.assert_array_equal(numpy_of(result), expected)


@few
@given(st.data())
def test_axes(data: st.DataObject) -> None:
    x = data.draw(
        xps.arrays(xp.int32, st.sampled_from([(3,), (2, 3), (4, 1, 3)]), elements={"min_value": -9, "max_value": 9})
    )
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1) | xps.valid_tuple_axes(x.ndim))
    keepdims = data.draw(st.booleans())
    for name in ("sum", "prod", "max", "any", "count_nonzero"):
        found = getattr(xp, name)(x, axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(numpy_of(found), getattr(np, name)(numpy_of(x), axis=axis, keepdims=keepdims))


IN_PLACE = {
    operator.iadd: "add",
    operator.isub: "subtract",
    operator.imul: "multiply",
    operator.ifloordiv: "floor_divide",
    operator.imod: "remainder",
    operator.iand: "bitwise_and",
    operator.ior: "bitwise_or",
    operator.ixor: "bitwise_xor",
    operator.ilshift: "bitwise_left_shift",
}


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64"])
def test_operators_are_the_functions(dtype: str) -> None:
    x, y = (xp.asarray(v, dtype=getattr(xp, dtype)) for v in ([7, 1, 100], [3, 2, 5]))
    for write, name in IN_PLACE.items():
        expected = getattr(xp, name)(x, y)
        z = xp.asarray(x, copy=True)
        w = write(z, y)
        assert w is z and w.dtype is expected.dtype and w.tolist() == expected.tolist()
        plain = getattr(operator, write.__name__[1:] + ("_" if write.__name__ in ("iand", "ior") else ""))
        assert plain(x, y).tolist() == expected.tolist() and plain(x, 2).tolist() == getattr(xp, name)(x, 2).tolist()
    for compare, name in (
        (operator.lt, "less"),
        (operator.ge, "greater_equal"),
        (operator.eq, "equal"),
        (operator.ne, "not_equal"),
    ):
        assert compare(x, y).tolist() == getattr(xp, name)(x, y).tolist()
    assert (
        (~x).tolist() == xp.bitwise_invert(x).tolist()
        and (-x).tolist() == xp.negative(x).tolist()
        and (+x).tolist() == x.tolist()
    )
    assert (2 - x).tolist() == xp.subtract(2, x).tolist() and (x @ y).tolist() == xp.matmul(x, y).tolist()
