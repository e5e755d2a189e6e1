"""vmap of batches of sparse tensors gives what a loop over the examples gives."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import rushlight as rl

CALLS: dict[str, Callable[..., rl.Tensor]] = {
    "to_dense": lambda s, d: s.to_dense(),
    "times a number": lambda s, d: (s * 2).to_dense(),
    "product": lambda s, d: s @ d,
    "sum": lambda s, d: s.sum(),
    "dense alone": lambda s, d: d.sin(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dims", [(0, None), (0, 0), (1, 2)])
def test_is_a_loop(call: str, dims: tuple[int, int | None]) -> None:
    rl.manual_seed(0)
    dense = (rl.randn(3, 3, 3) * (rl.rand(3, 3, 3) > 0.4)).double()
    other = rl.randn(3, 3, 3).double() if dims[1] is not None else rl.randn(3, 2).double()
    found = rl.vmap(CALLS[call], in_dims=dims, out_dims=0)(dense.to_sparse(), other)
    rows = [
        CALLS[call](dense.select(dims[0], i).to_sparse(), other if dims[1] is None else other.select(dims[1], i))
        for i in range(3)
    ]
    assert rl.allclose(found, rl.stack(rows))


def test_no_example() -> None:
    with pytest.raises(RuntimeError, match="an example at least"):
        rl.vmap(lambda s: s.to_dense())(rl.zeros(0, 3).to_sparse())
