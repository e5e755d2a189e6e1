"""Tensors made of parts (`raw.layout_tensor`, `raw.set_parts`): whatever is handed over, an error says what was
wrong.
"""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.core import raw


class Parts:
    layout = dt.sparse_coo


class Foreign:
    layout = "sparse_coo"


def of_parts() -> Any:
    return raw.layout_tensor(dt.float32, (2,), Parts())


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((None, (2,), Parts()), TypeError),
        (("float32", (2,), Parts()), TypeError),
        ((dt.float32, (2,), None), TypeError),
        ((dt.float32, (2,), object()), TypeError),
        ((dt.float32, (2,), Foreign()), TypeError),
        ((dt.float32, (2,), rl.ones(2)), TypeError),
        ((dt.float32, ("a",), Parts()), TypeError),
        ((dt.float32, 2, Parts()), TypeError),
        ((dt.float32, (-1,), Parts()), RuntimeError),
        ((dt.float32, (2**70,), Parts()), RuntimeError),
        ((dt.float32, (2**62, 2**62), Parts()), RuntimeError),
        ((dt.float32, (1,) * 65, Parts()), RuntimeError),
    ],
)
def test_wrong_parts(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        raw.layout_tensor(*arguments)
    t = of_parts()
    with pytest.raises(error):
        raw.set_parts(t, *arguments)
    assert t.layout is dt.sparse_coo and tuple(t.shape) == (2,)


def test_a_tensor_is_not_made_of_itself_or_of_another() -> None:
    t = of_parts()
    for parts in (t, of_parts(), rl.ones(2)):
        with pytest.raises(TypeError, match="no tensor"):
            raw.set_parts(t, dt.float32, (2,), parts)


def test_a_tensor_with_memory_keeps_it() -> None:
    x = rl.ones(3)
    seen = x.numpy()
    with pytest.raises(RuntimeError, match="storage"):
        raw.set_parts(x, dt.float32, (3,), Parts())
    assert seen.tolist() == x.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("size", [(2.7,), ("3",), (True,), (None,), 3.0, "3"])
def test_sizes_are_ints(size: Any) -> None:
    indices, values = rl.tensor([[0, 1]]), rl.ones(2)
    with pytest.raises(TypeError, match=r"sparse_coo_tensor\(\): argument 'size'"):
        rl.sparse_coo_tensor(indices, values, size)
    s = rl.sparse_coo_tensor(indices, values, (3,))
    with pytest.raises(TypeError, match=r"sparse_resize_\(\): argument"):
        s.sparse_resize_(size, 1, 0)


@pytest.mark.parametrize("at", [10**9, -5, 2**62, -(2**63)])
def test_indices_that_were_written_to_read_no_other_memory(at: int) -> None:
    s = rl.sparse_coo_tensor(rl.tensor([[0, 1]]), rl.ones(2), (3,))
    s._indices()[0, 1] = at
    for use in (
        lambda: s.to_dense(),
        lambda: rl.ones(3).add_(s),
        lambda: rl.ones(3) * s,
        lambda: (s * s).to_dense(),
        lambda: s[1],
        lambda: rl.mv(s.unsqueeze(0), rl.ones(3)),
        lambda: s.coalesce().to_dense(),
    ):
        try:
            found = use()
        except (IndexError, RuntimeError):
            continue
        dense = found.to_dense() if found.is_sparse else found
        assert all(abs(x) <= 4 for x in dense.flatten().tolist())
