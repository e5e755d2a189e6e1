"""Usual calls of the factories, which the core answers by itself, against the path that all others take."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import rushlight
from rushlight.core import dtypes as dt
from rushlight.core.dispatch import GoesTo, Operator
from rushlight.core.factory import Counted, Factory, Strided
from rushlight.core.tensor import Tensor
from rushlight.operators.creation import creation, placement, sequences
from rushlight.operators.random import random
from rushlight.operators.table import define
from rushlight.operators.table.define import operator

SIZES: tuple[Any, ...] = (
    (),
    (3,),
    (0, 2),
    (2, 5),
    [2, 1, 3],
    (1, 2, 1, 2, 1, 2),
    (2,) * 7,
    (20000,),
    (-1,),
    (2, 1.5),
    ((2, 3),),
    (True,),
    3,
)
NUMBERS: tuple[Any, ...] = (
    0,
    1,
    -1,
    5,
    127,
    128,
    -128,
    300,
    1 << 40,
    1 << 70,
    0.0,
    -0.0,
    1.5,
    0.1,
    1e300,
    math.inf,
    math.nan,
    True,
    False,
    1j,
    None,
    "1",
)
DTYPES = (None, *dt.by_code[:15])


# The operators that the core answers usual calls of, with what answers them.
USUAL = {
    op: usual
    for op in {*define.TABLE.values(), *define.METHODS.values()}
    if isinstance(op, Operator) and op.eager is not None and (usual := op.usually(None)) is not None
}
for _op, _usual in USUAL.items():
    _op.usually(_usual)


@contextmanager
def general_road() -> Iterator[None]:
    """No call counts as a usual one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(random, "_redraw", lambda *args: False)
        for op in USUAL:
            op.usually(None)
        try:
            yield
        finally:
            for op, usual in USUAL.items():
                op.usually(usual)


def told(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """All that can be seen of what a call returns or raises, after the same seed."""
    rushlight.manual_seed(11)
    try:
        t = call(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    if not isinstance(t, Tensor):
        return type(t), repr(t), getattr(t, "strides", None), rushlight.default_generator.snapshot()
    return (
        type(t),
        t.dtype,
        tuple(t.shape),
        t.stride(),
        t.device,
        t.requires_grad,
        t.is_inference() or t._version,
        rushlight.default_generator.snapshot(),
        bytes(memoryview(t.detach().contiguous().untyped_storage())),
    )


def check(call: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    usual = told(call, *args, **kwargs)
    with general_road():
        general = told(call, *args, **kwargs)
    assert usual == general


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numbers(dtype: Any) -> None:
    """Every number in every dtype: the bits and errors of the conversion by kernels."""
    x, flipped = rushlight.empty(2, 3, dtype=dtype), rushlight.empty(2, 3, dtype=dtype).t()
    for value in NUMBERS:
        check(rushlight.full, (2, 3), value, dtype=dtype)
        check(rushlight.full_like, x, value)
        check(rushlight.full_like, flipped, value)
        check(rushlight.empty(1).new_full, (3,), value, dtype=dtype)
        check(rushlight.tensor, [[value, 1], [value, 0]], dtype=dtype)
        check(rushlight.tensor, value, dtype=dtype)
        check(rushlight.tensor, value, dtype=dtype, device="cpu", requires_grad=True)
        check(rushlight.scalar_tensor, value, dtype=dtype, device="cpu")


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sizes(size: Any) -> None:
    x = rushlight.empty(2, dtype=rushlight.float64)
    for grad in (False, True):
        for make in (rushlight.zeros, rushlight.ones, x.new_zeros, x.new_ones, rushlight.rand, rushlight.randn):
            check(make, size, requires_grad=grad)
            check(make, size, dtype=int, requires_grad=grad)
            check(make, size, dtype=rushlight.complex64, requires_grad=grad)
        check(rushlight.full, size, 2.0, requires_grad=grad)
    check(rushlight.randint, 5, size)
    check(rushlight.normal, 1.0, 2.0, size)


def laid_out(t: Tensor) -> tuple[Any, ...]:
    """All that can be told of uninitialised memory."""
    return (
        t.dtype,
        t.shape,
        t.stride(),
        t.device,
        t.requires_grad,
        t.is_inference(),
        t.is_contiguous(),
        t.untyped_storage().nbytes(),
    )


def test_strides() -> None:
    """Memory with given strides, and in a given order of dimensions."""
    x = rushlight.empty(2, dtype=rushlight.float64)
    strides: tuple[Any, ...] = (
        (),
        (1,),
        (3,),
        (3, 1),
        (1, 2),
        [0, 0],
        (5, 3, 1),
        (1, -1),
        (0, 1 << 24),
        (1 << 25, 1),
        (1 << 70, 1),
        (1.0, 1),
        (True, 1),
        1,
        None,
    )
    orders: tuple[Any, ...] = ((), (0,), (1,), (1, 0), [0, 1], (0, 0), (0, 2), (2, 0, 1), (1, -1), (0.0, 1), 0, None)
    for size in (*SIZES, (0, 5, 0), (1, 3), (2, 3, 4), (1 << 40, 0), (1 << 20, 0)):
        for dtype, grad in ((None, False), (rushlight.float16, True), (int, False), (rushlight.int64, True)):
            for stride in strides:
                check(
                    lambda s=size, t=stride, d=dtype, g=grad: laid_out(
                        rushlight.empty_strided(s, t, dtype=d, requires_grad=g)
                    )
                )
                check(
                    lambda s=size, t=stride, d=dtype, g=grad: laid_out(
                        x.new_empty_strided(s, t, dtype=d, requires_grad=g)
                    )
                )
            for order in orders:
                check(
                    lambda s=size, o=order, d=dtype, g=grad: laid_out(
                        rushlight.empty_permuted(s, o, dtype=d, requires_grad=g)
                    )
                )


def test_triangles() -> None:
    """Places on both sides of any diagonal, beside their definition; and as many as fit no memory."""
    for row, col, offset in itertools.product(
        (0, 1, 3, 5, 40), (0, 1, 3, 5, 40), (0, 1, -2, 4, -100, 1 << 40, -(1 << 62))
    ):
        for make, inside in (
            (rushlight.tril_indices, lambda i, j, k: j <= i + k),
            (rushlight.triu_indices, lambda i, j, k: j >= i + k),
        ):
            places = [[i, j] for i in range(row) for j in range(col) if inside(i, j, offset)]
            assert make(row, col, offset).t().tolist() == places, (make, row, col, offset)
    for make in (rushlight.tril_indices, rushlight.triu_indices):
        for dtype in (rushlight.int32, rushlight.float32, rushlight.uint8):
            assert make(3, 4, dtype=dtype).dtype is dtype and make(3, 4, dtype=dtype).tolist() == make(3, 4).tolist()
        assert make(0, 1 << 40).shape == make(1 << 40, 0).shape == (2, 0)
        for row, col in ((1 << 40, 1 << 40), (1 << 62, 1 << 62), (1 << 62, 1 << 61)):
            with pytest.raises((RuntimeError, MemoryError)):
                make(row, col, -1 if make is rushlight.triu_indices else 1)
        for row, col in ((-1, 3), (3, -1), (2.0, 3), (3, None), (1 << 70, 1), (3, "a")):
            with pytest.raises((RuntimeError, TypeError, OverflowError, ValueError)):
                make(row, col)
        assert make(3, 4, device="meta").is_meta and make(True, 2).shape == (
            2,
            2 if make is rushlight.triu_indices else 1,
        )


def test_a_size_is_what_a_tuple_holds() -> None:
    """What a subclass says of its length is not believed where memory is read by it."""

    class Liar(tuple[int, ...]):
        def __len__(self) -> int:
            return 5

    assert rushlight.zeros(Liar((2, 3))).shape == (2, 3)


def test_shapes_are_tuples() -> None:
    """A shape is made item by item: it is a tuple in all respects, its hash too."""
    for size in ((), (3,), (2, 0, 1 << 40), tuple(range(9))):
        shape = rushlight.empty(size, device="meta").shape
        assert type(shape) is rushlight.Size and shape == size and hash(shape) == hash(size) and {size: 1}[shape] == 1


def test_sequences() -> None:
    ends = (0, 1, -3, 7, 2.5, -0.5, 1e-3, 1 << 52, 1 << 60, 1 << 70, True, math.inf, math.nan)
    for start, end, step in itertools.product(ends, ends, (1, -1, 3, 0.1, -0.7, 0, 1 << 51)):
        if abs(end - start) / (abs(step) or 1) < 30000 or not math.isfinite(end - start):
            check(rushlight.arange, start, end, step)
            check(rushlight.arange, start, end, step, dtype=rushlight.float64)
            check(rushlight.arange, start, end, step, dtype=int)
    check(rushlight.arange, 5, requires_grad=True)
    check(rushlight.arange, 5.0, requires_grad=True)


@pytest.mark.parametrize(
    "data",
    [
        [],
        [[]],
        [[1, 2], [3]],
        [[1, 2], 3],
        [1, [2]],
        [True, 2, 3.0],
        ((1, 2), [3, 4]),
        [1, "a"],
        ["a"],
        [None],
        {1},
        "a",
        [1 << 63],
        [1, 1j],
        [[[[[[[1]]]]]]],
        [False, True],
        [[0.1], [2]],
    ],
    ids=str,
)
def test_nested(data: Any) -> None:
    for dtype, grad in itertools.product(
        (None, rushlight.float64, rushlight.int64, rushlight.int8, rushlight.bool), (False, True)
    ):
        check(rushlight.tensor, data, dtype=dtype, requires_grad=grad)


def test_drawing() -> None:
    """The same numbers of the stream, in place and for a shape, from any generator."""
    own = rushlight.Generator(kind="philox").manual_seed(-7)
    for shape in ((3,), (2, 3), (0,), (), (70000,)):
        x = rushlight.empty(shape)
        for t in (
            x,
            x.half(),
            x.long(),
            x.cfloat(),
            rushlight.empty((2, *shape)).transpose(0, -1),
            x.clone().requires_grad_(),
            x.clone().requires_grad_().data,
        ):
            for draw in (
                rushlight.rand_like,
                rushlight.randn_like,
                lambda t: rushlight.randint_like(t, 9),
                lambda t: t.clone().detach().normal_(1, 2),
                lambda t: t.clone().uniform_(2, 3),
                lambda t: t.clone().detach().random_(5),
                lambda t: t.clone().detach().exponential_(),
                lambda t: rushlight.rand_like(t, dtype=rushlight.float64),
            ):
                check(draw, t)

    def from_own() -> Tensor:
        own.manual_seed(-7)
        own.set_offset((1 << 62) - 2)
        t = rushlight.rand(3, generator=own)
        assert own.get_offset() == 1
        return t

    check(from_own)
    check(rushlight.rand, 3, generator=5)


def test_equal_and_numpy() -> None:
    values = [0.0, -0.0, 1.0, math.nan, 2.0]
    for dtype in DTYPES[1:]:
        given = [
            rushlight.tensor(v).to(dtype)
            for v in (
                [1.0, 2.0],
                [[1.0, 2.0]],
                [1.0, 3.0],
                [0.0],
                [-0.0],
                [],
                1.0,
                values if dtype.kind in "fc" else [1.0],
            )
        ]
        given += [given[1].t(), given[0].expand(2, 2), rushlight.ones(2, 2, dtype=dtype)[:, 0], given[0][1:]]
        for a, b in itertools.product(given, given):
            check(rushlight.equal, a, b)
        for a in given:
            check(a.numpy)
            check(a.numpy)  # with NumPy's dtype found already
    check(rushlight.equal, rushlight.ones(2), rushlight.ones(2).long())
    odd = rushlight.tensor([1, 2], dtype=rushlight.uint8).view(rushlight.bool)
    assert rushlight.equal(odd, rushlight.tensor([True, True]))
    x = rushlight.ones(2, requires_grad=True)
    check(x.numpy)
    check(x[:1].numpy)
    with rushlight.no_grad():
        check(x.numpy)
    a = rushlight.zeros(2, 3)
    a.numpy()[1, 2] = 5.0
    assert a.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 5.0]]


def test_settings() -> None:
    """Defaults for the dtype and the device, and inference mode."""

    def factories() -> None:
        for make in (
            lambda: rushlight.zeros(2),
            lambda: rushlight.full((2,), 1.0),
            lambda: rushlight.arange(3),
            lambda: rushlight.arange(0.0, 1.0, 0.25),
            lambda: rushlight.tensor([1.0, 2.0]),
            lambda: rushlight.rand(2),
            lambda: rushlight.ones(2, device="cpu"),
            lambda: rushlight.zeros_like(x),
            lambda: rushlight.tensor([1.0], device="cpu"),
            lambda: rushlight.arange(3, device=rushlight.device("cpu")),
            lambda: rushlight.tril_indices(2, 3),
            lambda: laid_out(rushlight.empty_strided((2, 3), (1, 2))),
            lambda: laid_out(x.new_empty_strided((2,), (3,))),
            lambda: laid_out(rushlight.empty_permuted((2, 3), (1, 0))),
        ):
            check(make)

    x = rushlight.ones(2, 2)
    try:
        rushlight.set_default_dtype(rushlight.float64)
        factories()
        assert (
            rushlight.zeros(1).dtype
            is rushlight.rand(1).dtype
            is rushlight.tensor(1.0).dtype
            is rushlight.arange(1.0).dtype
            is rushlight.float64
        )
    finally:
        rushlight.set_default_dtype(rushlight.float32)
    with rushlight.inference_mode():
        factories()
    with rushlight.device("meta"):
        made = [
            rushlight.zeros(2),
            rushlight.arange(3),
            rushlight.tensor([1.0]),
            rushlight.rand(2),
            rushlight.full((2,), 1),
            rushlight.empty(2),
        ]
        assert [t.device.type for t in made] == ["meta"] * 6
        assert (
            rushlight.zeros_like(x).device.type
            == x.new_ones(2).device.type
            == rushlight.zeros(2, device="cpu").device.type
            == "cpu"
        )
        with rushlight.device("cpu"):
            assert rushlight.zeros(2).device.type == "cpu"
    assert rushlight.zeros_like(x.to("meta")).is_meta


def test_which_calls_are_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """The core answers small calls; a large filled tensor is left to kernels, which share it among threads."""
    assert {"zeros", "ones_like", "new_full", "empty_strided", "arange", "equal", "rand", "randn_like", "view"} <= {
        op.name for op in USUAL
    }
    bodies: list[str] = []
    make = placement.raw_empty

    def raw_empty(name: str, *args: Any) -> Tensor:
        bodies.append(name)
        return make(name, *args)

    monkeypatch.setattr(creation, "raw_empty", raw_empty)
    monkeypatch.setattr(placement, "raw_empty", raw_empty)
    x = rushlight.zeros(4, 8)
    for dtype in (None, rushlight.float64, int):
        rushlight.full((4, 8), 1, dtype=dtype), rushlight.empty(1 << 20, dtype=dtype, device="cpu")
        rushlight.ones_like(x, dtype=dtype), x.new_zeros(3, dtype=dtype), rushlight.full_like(x, 3, dtype=dtype)
    assert bodies == []
    large = rushlight.zeros(1 << 20)
    rushlight.ones_like(large), rushlight.full((2,), 300), rushlight.zeros(3, layout=rushlight.strided)
    assert bodies == ["zeros", "ones_like", "full", "zeros"]
    assert large._version == 0 and not large.any()
    del bodies[:]

    def traced(x: Tensor) -> Tensor:
        return x + rushlight.zeros(3) + rushlight.ones_like(x)

    assert operator(register=False)(traced)(rushlight.ones(3)).tolist() == [2.0] * 3 and bodies == []


def test_what_makes_usual_calls_belongs_to_one_operator() -> None:
    """It reads the arguments by the places of that operator's parameters: no other may have it."""
    usual = Factory(creation.zeros, 0)
    for op in (creation.ones, rushlight.add):
        with pytest.raises(ValueError, match=op.name):
            op.usually(usual)
    with pytest.raises(ValueError):
        creation.zeros.usually(Factory.__new__(Factory))
    with pytest.raises(RuntimeError, match="once"):
        usual.__init__(creation.ones, 1)  # type: ignore[misc]
    for make in (
        Factory,
        lambda op: Strided(op),
        lambda op: GoesTo(op, rushlight.add),
        lambda op: Counted(op, rushlight.add),
        lambda _: Counted(creation.zeros, sequences._arange),
        lambda _: Counted(sequences.arange, rushlight.add),
    ):
        with pytest.raises((TypeError, ValueError)):
            make(rushlight.neg)
    unfinished = Strided.__new__(Strided)
    with pytest.raises(TypeError):
        unfinished.__init__(creation.zeros)  # type: ignore[misc]
    with pytest.raises(ValueError):
        creation.zeros.usually(unfinished)


def test_factories_of_examples() -> None:
    """A factory whose keywords are a row of the decorator runs inside the program of a mapped call."""
    like = rushlight.func.vmap(lambda t: t * rushlight.full_like(t, 2.0, dtype=rushlight.float64))
    slope = rushlight.func.vmap(rushlight.func.grad(lambda t: (t * rushlight.ones_like(t)).sum()))
    from rushlight.fx.experimental.proxy_tensor import make_fx

    x = rushlight.randn(3, 2)
    for f in (like, slope):
        assert rushlight.equal(make_fx(f)(x)(x), f(x))


# Sizes and strides: transposed, with steps, overlapping, expanded, of one element, of none.
LAID = (
    ((3, 4), (1, 3)),
    ((2, 3, 4), (1, 8, 2)),
    ((4, 3), (2, 1)),
    ((3, 4), (0, 1)),
    ((2, 1, 1), (0, 6, 0)),
    ((1, 4, 1), (9, 2, 0)),
    ((4,), (2,)),
    ((0, 3), (1, 5)),
    ((2, 0, 3), (1, 1, 4)),
)


@pytest.mark.parametrize(("size", "stride"), LAID, ids=str)
def test_reshape_of_strided_memory(size: tuple[int, ...], stride: tuple[int, ...]) -> None:
    """A view where the body makes one, a copy where it makes one, with its strides and its errors."""
    x = rushlight.arange(64.0).as_strided(size, stride)
    n = x.numel()
    shapes = [(n,), (-1,), (-1, 1), (1, -1, 1), (2, -1), (-1, 2), (n, 1, -1), (0, -1), (-1, -1), (-2, n), (1 << 62, 4)]
    for shape in (*shapes, *itertools.permutations(size), 1 << 70, n, -1):
        check(x.reshape, shape)
        check(x.reshape, rushlight.Size(shape) if isinstance(shape, tuple) else [shape])
        check(lambda shape: x.reshape(shape).data_ptr() == x.data_ptr() or x.reshape(shape).stride(), shape)


@pytest.mark.parametrize(("size", "stride"), LAID, ids=str)
def test_new_memory_in_another_order(size: tuple[int, ...], stride: tuple[int, ...]) -> None:
    x = rushlight.arange(64.0).as_strided(size, stride)
    for options in ({}, {"dtype": rushlight.int32}, {"dtype": rushlight.float64, "requires_grad": True}):
        check(rushlight.zeros_like, x, **options)
        check(lambda x, **options: rushlight.empty_like(x, **options).stride(), x, **options)
        check(rushlight.randint_like, x, 9, **({} if "requires_grad" in options else options))
    check(rushlight.rand_like, x)


NUMBERS = (0, 1, -3, 2.5, True, None, 1 << 24, (1 << 24) + 1, 1 << 53, 1 << 70, 1e300, float("inf"), float("nan"), 1j)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sequences_between_two_numbers(dtype: Any) -> None:
    for start, end in itertools.product(NUMBERS, repeat=2):
        check(rushlight.linspace, start, end, 3, dtype=dtype)
    for steps in (0, 1, 2, 17, -1, True, 2.0, None, 1 << 70):
        check(rushlight.linspace, 0.5, 3, steps, dtype=dtype)
        check(rushlight.logspace, 0.5, 3, steps, 2.0, dtype=dtype, requires_grad=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_drawing_between_two_numbers(dtype: Any) -> None:
    for low, high in itertools.product(NUMBERS, repeat=2):
        check(rushlight.randint, low, high, (3,), dtype=dtype)
        check(rushlight.randint_like, rushlight.zeros(2, 3), low, high, dtype=dtype)
        check(rushlight.normal, low, high, (3,), dtype=dtype)
    check(rushlight.randint, 10, (3,), dtype=dtype)
    check(rushlight.randint, high=10, size=[2, 3], dtype=dtype, device="cpu")
    check(rushlight.randint, 10, (0, 3), dtype=dtype)


def test_conversions() -> None:
    x = rushlight.arange(6.0).view(2, 3)
    for t in (x, x.t(), x.long(), x.clone().requires_grad_()):
        for args in (
            (),
            ("cpu",),
            (rushlight.device("cpu"),),
            ("cpu:0",),
            (rushlight.float64,),
            (rushlight.float32, True),
            (rushlight.float32, False, True),
            ("cpu", rushlight.int64),
            ("cpu", rushlight.int64, True),
            ("cpu", None, False, True),
            (x.double(),),
            (float,),
            (3,),
            ("nonsense",),
        ):
            check(lambda t, *args: (t.to(*args) is t) or t.to(*args), t, *args)
        check(lambda t: t.to(device="cpu", dtype=rushlight.float32) is t, t)
        check(lambda t: t.to("cpu", device="cpu"), t)
        check(
            lambda t: (t.to("meta").device, t.to("meta", rushlight.int8).dtype, rushlight.as_tensor(t, device="meta")),
            t,
        )
        for options in ({}, {"dtype": rushlight.float32}, {"device": "cpu"}, {"dtype": float}):
            check(lambda t, **options: (y := rushlight.as_tensor(t, **options)) is t or y, t, **options)
    check(rushlight.as_tensor, [1, 2.5], dtype=rushlight.float64, device="cpu")
    check(rushlight.as_tensor, [[1], [2, 3]])
