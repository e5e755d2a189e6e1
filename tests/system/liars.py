"""Sequences and arrays that say one thing of themselves and hold another, through every way in that takes sequences.

`python tests/system/liars.py [ROUNDS [SEED]]` with RUSHLIGHT_GUARD=end or =start: a crash is wrong, and so is a result
that no honest sequence has.
"""

from __future__ import annotations

import faulthandler
import gc
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rushlight as rl


class Says:
    """A sequence whose len() and items need not agree."""

    def __init__(self, length: Any, items: list[Any], index: Callable[[int], Any] | None = None) -> None:
        self.length, self.items, self.index = length, items, index

    def __len__(self) -> Any:
        return self.length() if callable(self.length) else self.length

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __getitem__(self, i: Any) -> Any:
        return self.index(i) if self.index else self.items[i]


class Changing:
    """A number that changes the list it is in when it is asked for its value."""

    def __init__(self, where: list[Any], act: str) -> None:
        self.where, self.act = where, act

    def change(self) -> None:
        if self.act == "grow" and len(self.where) < 100_000:
            self.where.extend([1.0] * 50_000)
        elif self.act == "clear":
            self.where.clear()
        elif self.act == "shrink" and self.where:
            self.where.pop()
        elif self.act == "nest" and self.where:
            self.where[-1] = [1.0] * 1000
        elif self.act == "self":
            self.where.append(self.where)
        gc.collect()

    def __float__(self) -> float:
        self.change()
        return 1.0

    def __int__(self) -> int:
        self.change()
        return 1

    def __index__(self) -> int:
        self.change()
        return 1

    def __bool__(self) -> bool:
        self.change()
        return True

    def __len__(self) -> int:
        self.change()
        raise TypeError("no length")


class Sub(list[Any]):
    """A list that says another length than it has."""

    said: Any = 2

    def __len__(self) -> int:
        return int(self.said)


class SubTuple(tuple[Any, ...]):
    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[Any]:
        return iter([1.0] * 10_000)


class Array(np.ndarray):  # type: ignore[type-arg]
    """An array that says another shape, strides, size and address than it has."""

    shape = property(lambda self: (100_000,))  # type: ignore[assignment]
    strides = property(lambda self: (8,))  # type: ignore[assignment]
    nbytes = property(lambda self: 800_000)  # type: ignore[assignment]
    size = property(lambda self: 100_000)  # type: ignore[assignment]
    __array_interface__ = property(
        lambda self: {"data": (8, False), "shape": (100_000,), "typestr": "<f8", "version": 3}
    )


class Interface:
    __array_interface__ = {"data": (8, False), "shape": (-3,), "typestr": "<f8", "version": 3}


class Protocol:
    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return [1, 2, 3]

    def __len__(self) -> int:
        return 5


class Pack:
    def __dlpack__(self, **kwargs: Any) -> Any:
        return rl.ones(3).numpy().__dlpack__()

    def __dlpack_device__(self) -> Any:
        return (2, 7)


def liar(r: random.Random, item: Callable[[], Any], depth: int = 0) -> Any:
    """A sequence that lies, of things that `item` makes."""
    few, many = [item() for _ in range(r.randint(0, 3))], [item() for _ in range(10)] * r.choice([1, 300, 3000])
    kind = r.randrange(14)
    if kind < 4:
        return Says(
            r.choice([0, 1, 2, 3, 1 << 40, -1, 2.5, "x", lambda: r.randint(0, 5)]),
            r.choice([few, many]),
            r.choice([None, lambda i: item(), lambda i: few]),
        )
    if kind < 8:
        where: list[Any] = list(few)
        where.insert(r.randint(0, len(where)), Changing(where, r.choice(["grow", "clear", "shrink", "nest", "self"])))
        return where if r.random() < 0.5 else tuple(where)
    if kind < 10:
        where = [item()]
        where.insert(r.randint(0, 1), where)
        if r.random() < 0.3:
            where.append(where)
        return where
    if kind == 10:
        return Sub(r.choice([few, many]))
    if kind == 11:
        return SubTuple(few)
    if kind == 12 and depth < 3:
        inner = [liar(r, item, depth + 1) for _ in range(r.randint(1, 3))]
        return r.choice([inner, tuple(inner), Says(len(inner), inner)])
    return r.choice([np.ones(3).view(Array), Interface(), Protocol(), Pack()])


def ways(r: random.Random) -> list[tuple[str, Callable[[], Any]]]:
    """Calls with a lying sequence, by name."""

    def numbers() -> Any:
        return liar(r, lambda: r.choice([1.0, 2, True]))

    def ints() -> Any:
        return liar(r, lambda: r.choice([0, 1, 2]))

    def tensors() -> Any:
        return liar(r, lambda: rl.ones(2, 3))

    x, y = rl.ones(4, 3, 2), rl.ones(6, dtype=rl.float64)
    calls: dict[str, Callable[[], Any]] = {
        "tensor": lambda: rl.tensor(numbers()),
        "tensor int": lambda: rl.tensor(ints(), dtype=rl.int64),
        "tensor bool": lambda: rl.tensor(numbers(), dtype=rl.bool),
        "tensor of tensors": lambda: rl.tensor(tensors()),
        "as_tensor": lambda: rl.as_tensor(numbers()),
        "asarray": lambda: rl.asarray(numbers()),
        "Tensor": lambda: rl.Tensor(numbers()),
        "LongTensor": lambda: rl.LongTensor(ints()),
        "new_tensor": lambda: x.new_tensor(numbers()),
        "new": lambda: x.new(ints()),
        "from_numpy": lambda: rl.from_numpy(numbers()),
        "from_dlpack": lambda: rl.from_dlpack(numbers()),
        "frombuffer": lambda: rl.frombuffer(numbers(), dtype=rl.float32),
        "UntypedStorage": lambda: rl.UntypedStorage(ints()),
        "zeros": lambda: rl.zeros(ints()),
        "empty": lambda: rl.empty(ints()),
        "full": lambda: rl.full(ints(), 2.0),
        "rand": lambda: rl.rand(ints()),
        "Size": lambda: rl.Size(ints()),
        "empty_strided": lambda: rl.empty_strided(ints(), ints()),
        "empty_permuted": lambda: rl.empty_permuted(ints(), ints()),
        "view": lambda: x.view(ints()),
        "reshape": lambda: x.reshape(ints()),
        "expand": lambda: x.expand(ints()),
        "permute": lambda: x.permute(ints()),
        "sum": lambda: x.sum(ints()),
        "flip": lambda: x.flip(ints()),
        "roll": lambda: x.roll(ints(), ints()),
        "repeat": lambda: x.repeat(ints()),
        "tile": lambda: rl.tile(x, ints()),
        "as_strided": lambda: x.as_strided(ints(), ints()),
        "set_": lambda: rl.ones(2).set_(x.untyped_storage(), 0, ints(), ints()),
        "resize_": lambda: rl.ones(2).resize_(ints()),
        "split": lambda: x.split(ints()),
        "tensor_split": lambda: x.tensor_split(ints()),
        "movedim": lambda: x.movedim(ints(), ints()),
        "x[l]": lambda: x[ints()],
        "x[l, l]": lambda: x[ints(), ints()],
        "x[l] =": lambda: x.__setitem__(ints(), 1.0),
        "x[...] = l": lambda: x.__setitem__(Ellipsis, numbers()),
        "x[(...)]": lambda: x[liar(r, lambda: r.choice([slice(None), 0, None, Ellipsis, rl.tensor([0])]))],
        "index_put": lambda: x.index_put(liar(r, lambda: rl.tensor([0])), rl.ones(())),
        "stack": lambda: rl.stack(tensors()),
        "cat": lambda: rl.cat(tensors()),
        "cat out": lambda: rl.cat([x, x], out=tensors()),
        "hstack": lambda: rl.hstack(tensors()),
        "block_diag": lambda: rl.block_diag(*few_of(tensors())),
        "broadcast_tensors": lambda: rl.broadcast_tensors(*few_of(tensors())),
        "einsum": lambda: rl.einsum("ij,ij->i", tensors()),
        "meshgrid": lambda: rl.meshgrid(tensors(), indexing="ij"),
        "sort out": lambda: rl.sort(y, out=liar(r, lambda: rl.empty(0))),
        "max out": lambda: rl.max(x, 0, out=liar(r, lambda: rl.empty(0))),
        "pad": lambda: rl.nn.functional.pad(x, ints()),
        "conv2d": lambda: rl.nn.functional.conv2d(
            rl.ones(1, 1, 4, 4), rl.ones(1, 1, 2, 2), stride=ints(), padding=ints()
        ),
        "grad": lambda: rl.autograd.grad(tensors(), tensors()),
        "backward": lambda: rl.autograd.backward(tensors()),
        "foreach": lambda: rl._foreach_add(tensors(), 1.0),
        "cumulative": lambda: rl.histogramdd(rl.ones(4, 2), bins=ints()),
        "equal": lambda: x == numbers(),
        "vector": lambda: rl.linalg.vector_norm(x, dim=ints()),
        "tensordot": lambda: rl.tensordot(x, x, dims=liar(r, ints)),
        "bucketize": lambda: rl.bucketize(y, numbers()),
        "isin": lambda: rl.isin(y, numbers()),
        "where": lambda: rl.where(y > 0, numbers(), y),
        "normal": lambda: rl.normal(0.0, 1.0, ints()),
    }
    return list(calls.items())


def few_of(x: Any) -> list[Any]:
    """The first few of what it yields, for `*`."""
    return [v for _, v in zip(range(20), x, strict=False)]


def read(x: Any, depth: int = 0) -> None:
    """Look at all that a result holds; a result may be a Size of whatever it was made of."""
    if isinstance(x, rl.Tensor):
        if x.numel() < 1 << 20:
            x.tolist()
    elif isinstance(x, (list, tuple)) and depth < 5:
        for v in list(x)[:10]:
            read(v, depth + 1)


def main() -> None:
    warnings.simplefilter("ignore")
    rounds, seed = (int(a) for a in (*sys.argv[1:], *("3", "0")[len(sys.argv) - 1 :]))
    r = random.Random(seed)
    done = 0
    for _ in range(rounds):
        for name, call in ways(r):
            print(name, file=sys.stderr)
            faulthandler.dump_traceback_later(30, exit=True)
            try:
                read(call())
            except (
                ValueError,
                TypeError,
                RuntimeError,
                IndexError,
                BufferError,
                OverflowError,
                AttributeError,
                NotImplementedError,
                MemoryError,
                AssertionError,
            ) as error:
                if str(error).startswith("internal:"):
                    sys.exit(f"{name}: {type(error).__name__}: {error}")
            done += 1
    faulthandler.cancel_dump_traceback_later()
    print(f"{done} calls")


if __name__ == "__main__":
    main()
