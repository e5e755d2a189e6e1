"""Wrapper subclasses in files: written and read again, and files that name them with something else in some place."""

from __future__ import annotations

import collections
import io
import pickle
from typing import Any

import pytest

import rushlight
from rushlight.compat.rebuild import rebuild_wrapper_subclass, set_attribute


class Wrapper(rushlight.Tensor):
    @staticmethod
    def __new__(cls, inner: Any) -> Any:
        make: Any = rushlight.Tensor._make_wrapper_subclass
        return make(cls, inner.shape, dtype=inner.dtype, strides=inner.stride(), requires_grad=inner.requires_grad)

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*[a.inner if isinstance(a, cls) else a for a in args], **(kwargs or {}))
        return cls(out) if isinstance(out, rushlight.Tensor) else out


def test_written_and_read() -> None:
    file = io.BytesIO()
    x = Wrapper(rushlight.arange(6.0).reshape(2, 3).t())
    rushlight.save(x, file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Wrapper"):
        rushlight.load(file)
    file.seek(0)
    with rushlight.serialization.safe_globals([Wrapper]):
        y = rushlight.load(file)
    assert type(y) is Wrapper and y.stride() == (1, 3) and y.inner.tolist() == x.inner.tolist()
    assert (y * 2).inner.tolist() == (x.inner * 2).tolist()


# A call of `_rebuild_wrapper_subclass` as a file writes it: what stands in each place.
GOOD: tuple[Any, ...] = (
    Wrapper,
    rushlight.float32,
    (2, 3),
    (3, 1),
    0,
    rushlight.strided,
    rushlight.device("cpu"),
    False,
)


ODD: tuple[Any, ...] = (
    *(None, 1, -1, 2**62, 1.5, "text", b"bytes", (), (2,), (2, -3), (2, 3, 4), (2.0, 3), [], {}, int),
    *(collections.OrderedDict(), (2**40, 2**40), (3, 2**62), rushlight.ones(2), rushlight.Tensor, object()),
)


@pytest.mark.parametrize("place", range(len(GOOD)))
def test_something_else_in_a_place(place: int) -> None:
    """Made or refused, by an error of reading; the process lives."""
    assert type(rebuild_wrapper_subclass(*GOOD)) is Wrapper
    refused = 0
    for odd in ODD:
        try:
            made = rebuild_wrapper_subclass(*GOOD[:place], odd, *GOOD[place + 1 :])
        except (pickle.UnpicklingError, RuntimeError, TypeError, ValueError):
            refused += 1
        else:
            assert isinstance(made, rushlight.Tensor) and isinstance(made.requires_grad, bool)
    assert refused >= len(ODD) - 4, f"place {place}: {refused} of {len(ODD)} were refused"


@pytest.mark.parametrize("name", ["grad", "data", "requires_grad", "_meta_", "_dispatch_keys", "__class__", "shape"])
def test_a_file_does_not_set_what_the_core_keeps(name: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match="is not for a file to set"):
        set_attribute(Wrapper(rushlight.ones(2)), name, 3)
    with pytest.raises(pickle.UnpicklingError, match="is not for a file to set"):
        set_attribute(rushlight.ones(2), "inner", 3)
