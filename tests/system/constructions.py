"""Random classes on top of Tensor, instances of them made in every way that there is, and used.

`python tests/system/constructions.py COUNT [SEED [FIRST]]` in a process of its own: what is wrong is a crash or a hang;
errors are right. The number of the construction under way stands in the line that faulthandler's report follows.
"""

from __future__ import annotations

import copy
import faulthandler
import gc
import pickle
import random
import sys
import warnings
from typing import Any

from unfinished import use

import rushlight as rl
from rushlight.nn import Parameter
from rushlight.nn.parameter import Buffer, UninitializedParameter

KEPT: list[Any] = []  # what came back to life when it was to go
DTYPES = (rl.float32, rl.float64, rl.int64, rl.bool, rl.complex64, rl.float16, rl.uint8)


def data(r: random.Random) -> Any:
    """A tensor of any kind."""
    made = rl.zeros([r.choice((0, 1, 2, 3)) for _ in range(r.randrange(4))], dtype=r.choice(DTYPES))
    if r.random() < 0.2 and made.ndim > 1:
        made = made.transpose(0, 1)
    if r.random() < 0.15:
        made = made.to("meta")
    if r.random() < 0.2 and made.dtype.is_floating_point:
        made = made.requires_grad_() * 1 if r.random() < 0.5 else made.requires_grad_()
    return made


def answers(r: random.Random) -> Any:
    """What a handler may do with a call."""
    return r.choice(
        (
            lambda cls, func, types, args=(), kwargs=None: NotImplemented,
            lambda cls, func, types, args=(), kwargs=None: None,
            lambda cls, func, types, args=(), kwargs=None: func(*args, **(kwargs or {})),
            lambda cls, func, types, args=(), kwargs=None: args[0],
            lambda cls, func, types, args=(), kwargs=None: rl.ones(2),
            lambda cls, func, types, args=(), kwargs=None: cls.__new__(cls),
            lambda cls, func, types, args=(), kwargs=None: {}[func],
            lambda cls, func, types: 1,
        )
    )


def class_of(r: random.Random, depth: int = 0) -> type:
    """A class on top of one of ours, or of another such class."""
    base: type = (
        r.choice((rl.Tensor, rl.Tensor, rl.Tensor, Parameter, Buffer, UninitializedParameter))
        if depth > 1 or r.random() < 0.8
        else class_of(r, depth + 1)
    )
    body: dict[str, Any] = {}
    if r.random() < 0.4:
        body["__init__"] = r.choice(
            (
                lambda self, *args, **kwargs: None,
                lambda self, *args: setattr(self, "kept", args),
                lambda self, x=None: self.extend(x),
            )
        )
    if r.random() < 0.5:
        body["__new__"] = staticmethod(
            r.choice(
                (
                    lambda cls, *args, **kwargs: rl.Tensor.__new__(cls),
                    lambda cls, x=None, *args, **kwargs: rl.Tensor._make_subclass(cls, rl.ones(2) if x is None else x),
                    lambda cls, x=None, *args, **kwargs: (rl.ones(2) if x is None else x).as_subclass(cls),
                    lambda cls, *args, **kwargs: rl.ones(2),
                    lambda cls, x=None, *args, **kwargs: rl.Tensor._make_wrapper_subclass(
                        cls, (2, 3), dtype=rl.float32
                    ),
                    lambda cls, *args: object.__new__(cls),
                )
            )
        )
    if r.random() < 0.1:
        body["__slots__"] = r.choice(((), ("more",)))
    for name in ("__torch_function__", "__torch_dispatch__"):
        if r.random() < 0.35:
            body[name] = classmethod(answers(r))
    if r.random() < 0.1:
        body["__torch_function__"] = rl._C._disabled_torch_function_impl
    for name, found in (
        ("shape", property(lambda self: (1 << 40,))),
        ("dtype", property(lambda self: "none")),
        ("__len__", lambda self: -1),
        ("size", lambda self: None),
        ("__add__", lambda self, other: other),
        ("__del__", lambda self: KEPT.append(self) if len(KEPT) < 100 else None),
        ("grad", None),
        ("__eq__", lambda self, other: self),
    ):
        if r.random() < 0.05:
            body[name] = found
    bases = (base,) if r.random() < 0.9 else (type("Mixin", (), {"extra": 1}), base)
    return type(r.choice(("Sub", "Tensor", "Parameter")), bases, body)


def instance(cls: type, r: random.Random) -> Any:
    """One, made in one of the ways."""
    x = data(r)
    ways = (
        lambda: cls(),
        lambda: cls(x),
        lambda: cls(x, True),
        lambda: cls([1, 2]),
        lambda: cls(2, 3),
        lambda: cls(requires_grad=True),
        lambda: cls.__new__(cls),
        lambda: rl.Tensor.__new__(cls),
        lambda: rl.Tensor.__new__(cls, x),
        lambda: object.__new__(cls),
        lambda: rl.Tensor._make_subclass(cls, x, r.random() < 0.5),
        lambda: rl.Tensor._make_wrapper_subclass(
            cls,
            r.choice(((), (2, 3), (0,), (1 << 62, 4), (-1,))),
            dtype=r.choice(DTYPES),
            requires_grad=r.random() < 0.3,
            strides=r.choice((None, (1, 2), (-1,), (1 << 62, 1))),
            storage_offset=r.choice((0, 5, -1)),
            device=r.choice((None, "cpu", "meta")),
        ),
        lambda: x.as_subclass(cls),
        lambda: x.detach().as_subclass(cls).requires_grad_(),
        lambda: pickle.loads(pickle.dumps(x.as_subclass(cls))),
        lambda: cls.__new__(cls, x, 1),
    )
    made = r.choice(ways)()
    if isinstance(made, rl.Tensor) and r.random() < 0.3:
        again = (
            lambda t: setattr(t, "__class__", r.choice((rl.Tensor, Parameter, cls, class_of(r)))),
            lambda t: setattr(t, "data", x),
            lambda t: t.set_(x),
            lambda t: setattr(t, "grad", t),
            lambda t: t.resize_(3),
            lambda t: cls.__init__(t, x),
            lambda t: setattr(t, "__dict__", {}),
            lambda t: t.requires_grad_(),
            lambda t: t.__setstate__({}),
            lambda t: t.share_memory_(),
        )
        try:
            r.choice(again)(made)
        except Exception:
            return made
    return made


def construct(number: int, seed: int) -> None:
    """Construction `number`: a class, an instance, copies of it, and some uses."""
    r = random.Random(f"{seed}:{number}")
    faulthandler.dump_traceback_later(30, exit=True)
    try:
        cls = class_of(r)
        made = [instance(cls, r)]
    except Exception:
        return
    for again in (
        copy.copy,
        copy.deepcopy,
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: rl.cat([x, rl.ones(2)]),
        lambda x: (x * x).sum().backward(),
    ):
        if r.random() < 0.4:
            try:
                made.append(again(made[0]))
            except Exception:
                continue
    for x in made[:2]:
        use(x, r, few=True)


def main() -> None:
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(400)  # a handler that calls what it was asked to do, for ever
    count, seed, first = (int(a) for a in (*sys.argv[1:4], *("200", "0", "0")[len(sys.argv) - 1 :]))
    for number in range(first, first + count):
        print(number, flush=True)
        construct(number, seed)
        if number % 50 == 0:
            gc.collect()
    faulthandler.cancel_dump_traceback_later()
    print("done")


if __name__ == "__main__":
    faulthandler.enable()
    main()
