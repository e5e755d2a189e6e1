"""Classes whose `__torch_function__` declines every call: what Python's operators do with their tensors is
PyTorch's.
"""

from __future__ import annotations

import operator
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

SYNTAX = (
    *("add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge".split()),
    *("iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split()),
)


def _declining(lib: Any, name: str) -> Any:
    def decline(cls: type, *args: Any) -> Any:
        return NotImplemented

    return type(name, (lib.Tensor,), {"__torch_function__": classmethod(decline)})


def _outcomes(lib: Any, syntax: str) -> list[Any]:
    a, b = (lib.ones(2).as_subclass(_declining(lib, name)) for name in ("A", "B"))
    plain, found = lib.ones(2), []
    for x, y in ((a, b), (b, a), (a, plain), (plain, a), (a, 2.0), (2.0, a), (a, [1.0]), (None, a)):
        try:
            found.append(getattr(operator, syntax)(x, y))
        except TypeError as error:
            # The names of built-in classes have their modules; an error of a call is no error of the operator.
            text = str(error).replace("rushlight.core.tensor.", "")
            found.append("declined" if "returned NotImplemented" in text else text)
    return found


@pytest.mark.parametrize("syntax", SYNTAX)
def test_python_says_what_no_class_takes(syntax: str) -> None:
    expected = _outcomes(torch, syntax)
    assert _outcomes(rushlight, syntax) == expected
    assert all(isinstance(x, (str, bool)) for x in expected)


def test_errors_of_calls_name_the_classes() -> None:
    for lib in (rushlight, torch):
        a = lib.ones(2).as_subclass(_declining(lib, "A"))
        for call in (lib.neg, lib.Tensor.abs, operator.neg, lambda x: x.add(1), lambda x: x[0]):
            with pytest.raises(TypeError, match="returned NotImplemented"):
                call(a)
