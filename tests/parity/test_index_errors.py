"""An index outside of its dimension raises PyTorch's type of error: RuntimeError of some operators, IndexError of
most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "gather": lambda lib, x, i: x.gather(0, i.view(1, 1)),
    "scatter": lambda lib, x, i: x.scatter(0, i.view(1, 1), lib.ones(1, 1)),
    "scatter, a number": lambda lib, x, i: x.scatter(0, i.view(1, 1), 1.0),
    "scatter_": lambda lib, x, i: x.scatter_(0, i.view(1, 1), 1.0),
    "scatter_add": lambda lib, x, i: x.scatter_add(0, i.view(1, 1), lib.ones(1, 1)),
    "scatter_reduce": lambda lib, x, i: x.scatter_reduce(0, i.view(1, 1), lib.ones(1, 1), "amax"),
    "index_select": lambda lib, x, i: x.index_select(0, i),
    "index_add": lambda lib, x, i: x.index_add(0, i, lib.ones(1, 4)),
    "index_copy": lambda lib, x, i: x.index_copy(0, i, lib.ones(1, 4)),
    "index_fill": lambda lib, x, i: x.index_fill(0, i, 1.0),
    "index_reduce": lambda lib, x, i: x.index_reduce(0, i, lib.ones(1, 4), "prod"),
    "index_put": lambda lib, x, i: x.index_put((i,), lib.ones(4)),
    "take": lambda lib, x, i: x.take(i * 9),
    "put": lambda lib, x, i: x.put(i * 9, lib.ones(1)),
    "x[i]": lambda lib, x, i: x[i],
    "x[int]": lambda lib, x, i: x[int(i)],
    "x[i] = 1": lambda lib, x, i: x.__setitem__(i, 1.0),
    "embedding": lambda lib, x, i: lib.nn.functional.embedding(i, x),
    "embedding_bag": lambda lib, x, i: lib.nn.functional.embedding_bag(i.view(1, 1), x),
    "nll_loss": lambda lib, x, i: lib.nn.functional.nll_loss(x[:1], i),
    "cross_entropy": lambda lib, x, i: lib.nn.functional.cross_entropy(x[:1], i),
    "multi_margin_loss": lambda lib, x, i: lib.nn.functional.multi_margin_loss(x[:1], i),
    "multilabel_margin_loss": lambda lib, x, i: lib.nn.functional.multilabel_margin_loss(
        x[:1], i.view(1, 1).expand(1, 4)
    ),
    "max_unpool1d": lambda lib, x, i: lib.nn.functional.max_unpool1d(lib.ones(1, 1, 1), i.view(1, 1, 1), 2),
    "select": lambda lib, x, i: x.select(0, int(i)),
    "narrow": lambda lib, x, i: x.narrow(0, int(i), 1),
    "gather, dim": lambda lib, x, i: x.gather(int(i), i.view(1, 1) * 0),
    "index_select, dim": lambda lib, x, i: x.index_select(int(i), i * 0),
    "lu_solve, pivots": lambda lib, x, i: lib.linalg.lu_solve(lib.eye(2), i.to(lib.int32).expand(2), lib.ones(2, 1)),
    "too few slices": lambda lib, x, i: x.index_add(0, i.repeat(2) * 0, lib.ones(1, 4)),
    "too few slices to copy": lambda lib, x, i: x.index_copy(0, i.repeat(2) * 0, lib.ones(1, 4)),
}


def raised(lib: Any, call: Callable[[Any, Any, Any], Any], index: int) -> type[BaseException]:
    with pytest.raises(Exception) as caught:
        call(lib, lib.ones(3, 4), lib.tensor([index]))
    return caught.type


@pytest.mark.parametrize("index", [9, -9])
@pytest.mark.parametrize("name", CALLS)
def test_types(name: str, index: int) -> None:
    ours, theirs = raised(rushlight, CALLS[name], index), raised(torch, CALLS[name], index)
    assert ours is theirs
