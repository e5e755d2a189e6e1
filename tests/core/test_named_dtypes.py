"""Dtypes that are only named: they answer what PyTorch's answer, and nothing can be made of them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.core.dtypes import NAMED, by_code, can_cast, promote_types

NAMES = [d.name for d in NAMED]


@pytest.mark.parametrize("name", NAMES)
def test_a_named_dtype_is_one_object_with_a_name(name: str) -> None:
    d = getattr(rl, name)
    assert isinstance(d, rl.dtype) and repr(d) == f"torch.{name}" and d not in by_code
    assert pickle.loads(pickle.dumps(d)) is d and copy.deepcopy(d) is d
    assert promote_types(d, d) is d


MAKERS: list[Callable[[Any], Any]] = [
    lambda d: rl.empty(2, dtype=d),
    lambda d: rl.zeros(2, dtype=d),
    lambda d: rl.full((2,), 1, dtype=d),
    lambda d: rl.tensor([1.0], dtype=d),
    lambda d: rl.ones(3).to(d),
    lambda d: rl.ones(3).type(d),
    lambda d: rl.ones(3).view(d),
    lambda d: rl.arange(3, dtype=d),
    lambda d: rl.rand(3, dtype=d),
    lambda d: rl.ones(3).sum(dtype=d),
    lambda d: rl.empty(2, dtype=d, device="meta"),
    lambda d: rl.softmax(rl.ones(3), 0, dtype=d),
    lambda d: rl.func.vmap(lambda x: x.to(d))(rl.ones(3)),
    lambda d: rl.frombuffer(bytearray(4), dtype=d),
    lambda d: rl.randint(3, (2,), dtype=d),
    lambda d: rl.nn.Linear(2, 2, dtype=d),
    lambda d: rl.ones(3).new_zeros(2, dtype=d),
    lambda d: rl.asarray([1.0], dtype=d),
    lambda d: rl.empty_like(rl.ones(2), dtype=d),
]


@pytest.mark.parametrize("make", MAKERS)
def test_no_tensor_is_made_of_one(make: Callable[[Any], Any]) -> None:
    for name in ("quint8", "bits8", "int3"):
        with pytest.raises((NotImplementedError, TypeError, RuntimeError), match=f"torch.{name}"):
            make(getattr(rl, name))


def test_the_default_dtype_is_none_of_them() -> None:
    with pytest.raises(TypeError, match="set_default_dtype"):
        rl.set_default_dtype(rl.float8_e5m2)
    assert rl.get_default_dtype() is rl.float32


def limit(info: Any, d: Any, attribute: str) -> Any:
    """One of the limits of a dtype."""
    return getattr(info(d), attribute)


def answer(ask: Callable[..., Any], *args: Any) -> Any:
    """What a question gives, or that it is refused."""
    try:
        return str(ask(*args))
    except (RuntimeError, TypeError, NotImplementedError):
        return "refused"


@pytest.mark.parametrize(
    "name",
    [
        *NAMES,
        "float16",
        "bfloat16",
        "bool",
        "int8",
        "float64",
        "complex32",
        "complex64",
        *[d.name for d in by_code if d.format is not None],
    ],
)
def test_it_answers_as_pytorch_does(name: str) -> None:
    torch = pytest.importorskip("torch")
    a, b = getattr(rl, name), getattr(torch, name)
    for attribute in ("itemsize", "is_floating_point", "is_complex", "is_signed", "abbr"):
        assert answer(getattr, a, attribute) == answer(getattr, b, attribute), attribute
    for method in ("to_real", "to_complex"):
        assert answer(getattr(a, method)) == answer(getattr(b, method)), method
    if name != "float4_e2m1fn_x2":  # where PyTorch 2.13 itself fails
        for attribute in ("bits", "max", "min", "eps", "tiny", "smallest_normal", "resolution"):
            assert answer(limit, rl.finfo, a, attribute) == answer(limit, torch.finfo, b, attribute), attribute
    if "x" not in name:
        for attribute in ("bits", "max", "min"):
            assert answer(limit, rl.iinfo, a, attribute) == answer(limit, torch.iinfo, b, attribute), attribute
    for other in ("float32", "bfloat16", "float16", "int8", "bool", "float64", "complex64", "float8_e5m2"):
        if a not in NAMED or a.kind not in "ui" and name != other:
            assert answer(promote_types, a, getattr(rl, other)) == answer(
                torch.promote_types, b, getattr(torch, other)
            ), other
        assert can_cast(a, getattr(rl, other)) == torch.can_cast(b, getattr(torch, other)), other


def test_layouts_have_names() -> None:
    torch = pytest.importorskip("torch")
    for name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn"):
        assert repr(getattr(rl, name)) == repr(getattr(torch, name)) and isinstance(getattr(rl, name), rl.layout)
