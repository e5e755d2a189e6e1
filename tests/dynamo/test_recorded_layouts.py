"""Copies in another order of dimensions are recorded as other calls are: they end no segment, and lie as they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl

SIZES = [(2, 3, 4, 5), (1, 3, 4, 4), (2, 1, 3, 3), (2, 3, 1, 1), (0, 3, 2, 2), (2, 3, 2, 2, 3), (1, 1, 1, 1, 1)]
COPIES: dict[str, Callable[[Any, Any], Any]] = {
    "clone": lambda y, order: y.clone(memory_format=order),
    "contiguous": lambda y, order: y.contiguous(memory_format=order),
    "to": lambda y, order: y.to(memory_format=order),
    "to another dtype": lambda y, order: y.to(rl.float64, memory_format=order),
    "double": lambda y, order: y.double(memory_format=order),
    "of another order": lambda y, order: y.transpose(2, 3).clone(memory_format=order),
    "and back": lambda y, order: y.clone(memory_format=order).contiguous(),
    "twice": lambda y, order: y.clone(memory_format=order).sin().clone(memory_format=order),
}


def as_it_is(t: Any) -> Any:
    return t.dtype, t.stride(), t._version, t._base is None, t.detach().flatten().tolist()


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("last", ["rows", "channels_last", "preserve"])
@pytest.mark.parametrize("given", ["rows", "channels"])
def test_a_copy_waits(copy: str, last: str, given: str) -> None:
    for size in SIZES:
        channels = rl.channels_last if len(size) == 4 else rl.channels_last_3d
        order = {"rows": rl.contiguous_format, "channels_last": channels, "preserve": rl.preserve_format}[last]
        if last == "preserve" and copy == "contiguous":
            continue

        def f(x: Any, order: Any = order) -> Any:
            y = COPIES[copy](x * 2, order)
            return y, y * 3 + 1

        explained: Any = rl._dynamo.explain(f)
        found = []
        for g in (f, rl.compile(f, options={"always": True}), rl.compile(f)):
            for _ in range(2):
                rl.manual_seed(0)
                x = rl.randn(size).contiguous(memory_format=channels if given == "channels" else rl.contiguous_format)
                results = g(x.requires_grad_())
                sum(r.sin().sum() for r in results).backward()
                assert explained(x).graph_break_count == 0
                found.append([*map(as_it_is, results), as_it_is(x.grad) if x.numel() else x.grad.shape])
        assert all(x == found[0] for x in found), (size, found)


def test_names_of_nodes_that_are_made_one_by_one() -> None:
    def f(x: Any) -> Any:
        y = (x * 2).clone(memory_format=rl.channels_last)
        return y, y.grad_fn.name()

    x = rl.randn(2, 3, 4, 4, requires_grad=True)
    compiled: Any = rl.compile(f, options={"always": True})
    compiled._context_.runner.singly = True
    assert compiled(x)[1:] == f(x)[1:] == ("CloneBackward0",)


def test_an_order_that_a_tensor_cannot_have() -> None:
    def f(x: Any) -> Any:
        return (x * 2).clone(memory_format=rl.channels_last)

    for g in (f, rl.compile(f, options={"always": True})):
        with pytest.raises(RuntimeError, match="4 dimensions"):
            g(rl.ones(3, 4))
