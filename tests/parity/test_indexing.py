"""x[...] and x[...] = value against PyTorch: results, error types and gradients, for every form of index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.core import engine

torch = pytest.importorskip("torch")

BASE = torch.arange(24.0).reshape(2, 3, 4)
E, S, T = Ellipsis, slice, torch.tensor
MASK, MASK2, MASK1 = BASE > 5, BASE[:, :, 0] > 3, BASE[0] > 5

INDICES = [
    0,
    -1,
    (0, 1),
    (0, 1, 2),
    S(None),
    S(1, None),
    S(0, 2),
    S(None, None, 2),
    (S(None), S(1, 3)),
    (E, 0),
    (E, S(1, 3)),
    (0, E, 1),
    None,
    (None, 0),
    (E, None),
    (S(None), None, 1),
    (0, None, E, None),
    True,
    False,
    (True, 0),
    (0, False),
    T([0, 1, 1]),
    T([[0, 1], [1, 0]]),
    [0, 1],
    [[0, 1], [1, 2]],
    (S(None), [0, 2]),
    (S(None), T([0, 2]), T([1, 3])),
    (T([0, 1]), S(None), T([1, 3])),
    (T([0, 1]), 1),
    (0, S(None), T([1, 3])),
    (S(None), 0, [1, 3]),
    (T(1),),
    T(1),
    (E, T([0, 1])),
    (None, T([0, 1])),
    (T([0, 1]), None, T([1, 2])),
    (S(None), T([[0], [1]]), T([1, 2])),
    MASK,
    MASK2,
    T([True, False]),
    (S(None), T([True, False, True])),
    (T([0, 1]), T([True, False, True])),
    [True, False],
    (0, [True, False, True]),
    (0, MASK1),
    (S(None), MASK1),
    range(2),
    (),
    E,
    (E, E),
    np.array([0, 1]),
    np.int64(1),
    np.array([True, False]),
    (S(1, None), T([0, 2])),
    [],
    (S(None), []),
    [S(0, 1), 1],
    [None, 0],
    T([-1, -2]),
    (-1, T([-1])),
    (S(-2, None), S(-3, -1), -1),
    S(5, None),
    S(2, 1),
    S(-100, 100),
    (S(None), [T(0), T(2)]),
    ((T(0), T(1)), (T(2), T(0))),
    ((0, 1), (2, 0)),
    (T([0]), T([0, 1, 2])),
    T([], dtype=torch.int64),
    (True, T([0, 1])),
    T(True),
    T([0, 1], dtype=torch.int32),
]
ERRORS = [
    5,
    (0, 0, 0, 0),
    (0, 5),
    1.5,
    "a",
    T([5]),
    T([-5]),
    (T([0, 1]), T([0, 1, 2])),
    T([True]),
    T([1.0]),
    (S(None), T([True, False])),
    (E, 5),
    T([[True, False]]),
    S(1.5, 2),
    MASK1,
    T([0], dtype=torch.int16),
]


def mine(x: Any) -> Any:
    """The same value with our tensors in the place of PyTorch's."""
    if isinstance(x, torch.Tensor):
        t = rushlight.tensor(x.detach().tolist(), dtype=getattr(rushlight, str(x.dtype)[6:]))
        return t.reshape(tuple(x.shape))
    if isinstance(x, (tuple, list)):
        return type(x)(mine(v) for v in x)
    return x


def check_same(ours: Any, theirs: Any) -> None:
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_get(index: Any) -> None:
    ours, theirs = mine(BASE)[mine(index)], BASE[index]
    check_same(ours, theirs)
    assert ours.is_contiguous() == theirs.is_contiguous()


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_gradient(index: Any) -> None:
    x, y = BASE.clone().requires_grad_(), mine(BASE).requires_grad_(True)
    theirs, ours = x[index], y[mine(index)]
    weight = torch.rand(theirs.shape)
    (theirs * weight).sum().backward()
    engine.run_backward([(ours * mine(weight)).sum()], [rushlight.tensor(1.0)], False, False)
    check_same(ours, theirs)
    np.testing.assert_allclose(np.array(y.grad.tolist()), x.grad.numpy(), atol=1e-6)


def shapes_of_values(chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Shapes of a value for what an index chooses: with sizes 1 before it and in it, without its first sizes, and ones
    that do not fit.
    """
    within = [(*chosen[:d], 1, *chosen[d + 1 :]) for d in range(len(chosen))]
    shapes = [chosen, *within, *(chosen[d:] for d in range(len(chosen) + 1)), (*chosen, 1), (5, *chosen), (7,)]
    return list(dict.fromkeys((1,) * ones + shape for shape in shapes for ones in range(5)))


# PyTorch does not look at the value of `x[False] = value`.
@pytest.mark.parametrize("index", [i for i in INDICES if i is not False], ids=str)
def test_set_of_values_that_broadcast(index: Any) -> None:
    for shape in shapes_of_values(tuple(BASE[index].shape)):
        x, y, value = BASE.clone(), mine(BASE), -1 - torch.arange(float(np.prod(shape))).reshape(shape)
        refused = found = None
        try:
            x[index] = value
        except RuntimeError as error:
            refused = type(error)
        try:
            y[mine(index)] = mine(value)
        except RuntimeError as error:
            found = type(error)
        assert found is refused, f"a value of the shape {shape}"
        if not refused:
            check_same(y, x)


@pytest.mark.parametrize("index", ERRORS, ids=str)
def test_get_errors(index: Any) -> None:
    with pytest.raises(Exception) as theirs:
        BASE[index]
    with pytest.raises(type(theirs.value)):
        mine(BASE)[mine(index)]


@pytest.mark.parametrize("value", [1, 2.5, T(3.0), "like"], ids=str)
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_set(index: Any, value: Any) -> None:
    x, y = BASE.clone(), mine(BASE)
    if isinstance(value, str):
        # Every element gets one value, for which of equal indices wins is not specified.
        shape = BASE[index].shape
        value = torch.arange(24.0)[: shape.numel()].reshape(shape) if not _repeats(index) else torch.full(shape, 7.0)
    x[index] = value
    y[mine(index)] = mine(value)
    check_same(y, x)


def _repeats(index: Any) -> bool:
    places = torch.arange(24).reshape(2, 3, 4)[index].reshape(-1)
    return len(torch.unique(places)) != len(places)


@pytest.mark.parametrize(
    "value", [[1, 2], np.ones(4), "a", None, torch.ones(3), torch.ones(2, 4), torch.ones(1, 1, 1, 4), T(7), 1j], ids=str
)
@pytest.mark.parametrize("index", [0, [0], MASK, (0, 0, 0)], ids=str)
def test_set_values(index: Any, value: Any) -> None:
    x, y = BASE.clone(), mine(BASE)
    try:
        x[index] = value
    except Exception as e:
        with pytest.raises(type(e)):
            y[mine(index)] = mine(value)
    else:
        y[mine(index)] = mine(value)
        check_same(y, x)


def test_negative_steps_are_views() -> None:
    x = mine(BASE)
    y = x[::-1, :, 3:0:-2]
    assert y.tolist() == BASE.numpy()[::-1, :, 3:0:-2].tolist()
    y[0, 0, 0] = 100.0
    assert x[1, 0, 3].item() == 100.0


def test_new_numbers_compile_nothing() -> None:
    from rushlight.operators.table import compile as _compile

    x = mine(torch.arange(40.0).reshape(20, 2)).requires_grad_(True)

    def use(i: int) -> None:
        engine.run_backward([(x[i].sum() + x[i : 2 * i].sum() + x[::i].sum())], [rushlight.tensor(1.0)], False, False)

    use(3)
    use(3)  # the second time adds to .grad
    before = _compile.compile_count[0]
    for i in range(4, 9):
        use(i)
    assert _compile.compile_count[0] == before


def test_index_put_accumulates() -> None:
    x, y = BASE.clone(), mine(BASE)
    index = (T([0, 0, 1]), T([1, 1, 2]))
    x.index_put_(index, torch.ones(3, 4), accumulate=True)
    y.index_put_(mine(index), mine(torch.ones(3, 4)), accumulate=True)
    check_same(y, x)


def test_nonzero_and_masks() -> None:
    x = torch.tensor([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
    y = mine(x)
    check_same(y.nonzero(), x.nonzero())
    for a, b in zip(y.nonzero(as_tuple=True), x.nonzero(as_tuple=True), strict=True):
        check_same(a, b)
    check_same(rushlight.argwhere(y), torch.argwhere(x))
    check_same(y.masked_select(y > 1), x.masked_select(x > 1))
    check_same(y.masked_select(mine(T([True, False, True]))), x.masked_select(T([True, False, True])))
    check_same(rushlight.nonzero(mine(T(3.0))), torch.nonzero(T(3.0)))


@pytest.mark.parametrize("value", [5, 5.7, 300, -1, True, float("nan"), 1j])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2,)])
@pytest.mark.parametrize("dtype", ["int8", "float32", "bool", "int64"])
def test_single_values_of_other_dtypes_fill_a_mask(value: Any, shape: tuple[int, ...], dtype: str) -> None:
    def run(M: Any) -> Any:
        out = []
        writes: list[Any] = [
            lambda x, v: x.index_put_((x == 0,), v),
            lambda x, v: x.index_put_((M.tensor([0]),), v),
            lambda x, v: x.__setitem__(x == 0, v),
            lambda x, v: x.__setitem__(M.tensor([0]), v),
            lambda x, v: x.__setitem__((0, x[0] == 0), v),
        ]
        for write in writes:
            x = M.tensor([[0, 1, 0], [1, 1, 0]], dtype=getattr(M, dtype))
            try:
                write(x, M.full(shape, value))
                out.append(x.tolist())
            except RuntimeError:  # (a number that does not fit, and values that do not)
                out.append("RuntimeError")
        return out

    assert repr(run(rushlight)) == repr(run(torch))
