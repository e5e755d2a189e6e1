"""assert_close compares tensors, and nested containers of them, by tolerances that follow from the dtype."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.testing._pairs import (
    BooleanPair,
    ErrorMeta,
    NonePair,
    NumberPair,
    ObjectPair,
    Pair,
    TensorLikePair,
    UnsupportedInputs,
    not_close_error_metas,
    originate_pairs,
)
from rushlight.testing._values import Options, default_tolerances, get_tolerances

__all__ = [
    "BooleanPair",
    "ErrorMeta",
    "NonePair",
    "NumberPair",
    "ObjectPair",
    "Pair",
    "TensorLikePair",
    "UnsupportedInputs",
    "assert_allclose",
    "assert_close",
    "default_tolerances",
    "get_tolerances",
    "not_close_error_metas",
    "originate_pairs",
]


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Assert that `actual` and `expected` are close: |actual - expected| <= atol + rtol * |expected|.

    Args:
        actual, expected: tensors, numbers, NumPy arrays, None, or sequences and mappings of them, of one structure.
        allow_subclasses: objects of related types may be compared; otherwise the types must be equal.
        rtol, atol: tolerances, both or neither. The defaults follow from the dtypes (float32: 1.3e-6 and 1e-5).
        equal_nan: whether two NaNs are equal.
        check_device, check_dtype, check_layout, check_stride: what must agree in addition to shapes and values.
        msg: the error message, or a function that makes it from the default one.

    Raises:
        AssertionError: the values, the attributes or the structures differ. ValueError: one of rtol and atol is given
        alone.
        TypeError: the inputs are of types that cannot be compared.
    """
    if (rtol is None) != (atol is None):
        raise ValueError(f"assert_close: 'rtol' and 'atol' must be given together; found {rtol=}, {atol=}")
    options = Options(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    try:
        options.compare(actual, expected, "")
    except AssertionError as error:
        text = str(error)
        raise AssertionError(msg(text) if callable(msg) else text if msg is None else msg) from None


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """The older form of assert_close, deprecated in PyTorch: lists count as tensors, dtypes and devices may differ, and
    NaNs are equal.
    """
    from rushlight import as_tensor

    warnings.warn(
        "assert_allclose is the older form of assert_close, which should take its place", FutureWarning, stacklevel=2
    )
    actual = as_tensor(actual)
    expected = as_tensor(expected, dtype=actual.dtype)
    assert_close(actual, expected, check_dtype=False, equal_nan=equal_nan, rtol=rtol, atol=atol, msg=msg or None)
