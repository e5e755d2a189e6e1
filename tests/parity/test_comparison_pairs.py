"""`torch.testing._comparison`: pairs that programs derive from, and what they find in structures."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

NAMES = ("NonePair", "BooleanPair", "NumberPair", "TensorLikePair", "ObjectPair")


def _structures(lib: Any) -> list[tuple[Any, Any]]:
    one, two = lib.ones(2), lib.zeros(2)
    return [
        ([1, one, "a", None, True], [2, two, "b", 1, False]),
        ([1, one, "a", None, True], [1, one, "a", None, True]),
        ({"a": [1.0, 2]}, {"a": [1.0 + 1e-9, 2]}),
        ({"a": [1.0, 2]}, {"b": [1.0, 2]}),
        ([1], [1, 2]),
        (1, 2.0),
        (1.5, 1.5 + 1e-8),
        (1, "x"),
        (1, one),
        (one, one.double()),
        (one, lib.ones(3)),
        (one.numpy(), one.numpy() + 1),
        (one.numpy()[0], 1.0),
        (float("nan"), float("nan")),
        (object(), object()),
    ]


def _found(lib: Any, kinds: tuple[str, ...], a: Any, b: Any, **options: Any) -> Any:
    namespace = importlib.import_module(f"{lib.__name__}.testing._comparison")
    try:
        found = namespace.not_close_error_metas(a, b, pair_types=[getattr(namespace, k) for k in kinds], **options)
    except Exception as error:
        return type(error).__name__
    return [(type(e).__name__, e.type.__name__, type(e.to_error()).__name__) for e in found]


@pytest.mark.parametrize("kinds", [NAMES, NAMES[:-1], NAMES[2:4], NAMES[4:], NAMES[3:4]])
def test_what_is_found_in_structures(kinds: tuple[str, ...]) -> None:
    for options in ({}, {"equal_nan": True}, {"check_dtype": True}, {"rtol": 0.0, "atol": 2.0, "check_dtype": False}):
        for (a, b), (x, y) in zip(_structures(rushlight), _structures(torch), strict=True):
            expected = _found(torch, kinds, x, y, **options)
            assert _found(rushlight, kinds, a, b, **options) == expected, (a, b, options)


@pytest.mark.parametrize("lib", [rushlight, torch], ids=["rushlight", "torch"])
def test_a_pair_of_a_programs_own(lib: Any) -> None:
    namespace = importlib.import_module(f"{lib.__name__}.testing._comparison")

    class Near(namespace.TensorLikePair):  # type: ignore[misc,name-defined]
        """Means that are near one another."""

        def __init__(self, actual: Any, expected: Any, *, means: bool = False, **more: Any) -> None:
            super().__init__(actual, expected, **more)
            self.means = means

        def compare(self) -> None:
            a, b = self._equalize_attributes(self.actual, self.expected)
            self._compare_attributes(a, b)
            if not self.means:
                self._compare_values(a, b)
            elif abs(float(a.float().mean() - b.float().mean())) > self.atol:
                self._fail(AssertionError, "the means are apart", id=(*self.id, "mean"))

    def found(a: Any, b: Any, **options: Any) -> list[Any]:
        return [(e.type, e.id) for e in namespace.not_close_error_metas(a, b, pair_types=(Near,), **options)]

    a, b = lib.tensor([1, 3]), lib.tensor([2.0, 2.0])
    near = {"means": True, "rtol": 0.0, "atol": 0.1, "check_dtype": False}
    assert found([a], [b], **near) == []
    assert found([a], [b + 1], **near) == [(AssertionError, (0, "mean"))]
    assert found({"k": b}, {"k": b + 1}) == [(AssertionError, ("k",))]
    (error,) = namespace.not_close_error_metas([b], [b + 1], pair_types=(Near,))
    assert str(error.to_error("other")) == "other"
    assert str(error.to_error(lambda text: text[:11])) == "Tensor-like"
    with pytest.raises(namespace.UnsupportedInputs):
        namespace.NumberPair("a", 1)
    with pytest.raises(ValueError, match="rtol"):
        namespace.not_close_error_metas(1, 2, pair_types=(namespace.NumberPair,), rtol=0.1)
    assert repr(namespace.NumberPair(1, 2, id=(0,))).startswith("NumberPair(\n    id=(0,),\n    actual=1,\n")
