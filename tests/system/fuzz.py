"""Random calls of every operator: shapes, dtypes, strides, values and wrong types. Run by test_fuzz.py in a process of its own.

    python tests/system/fuzz.py CALLS SEED [FIRST]      # FIRST: start at this call, to repeat a failure

A line "call K name" is written to the log (descriptor 3 when open) before each call, so that a crash names its call. An
error must be an ordinary exception about the arguments: SystemError and messages that speak of internals are failures.
"""
from __future__ import annotations

import os
import random
import signal
import sys
import warnings
from typing import Any

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.core import tensor as core
from rushlight.ops._define import METHODS, TABLE
from rushlight.testing.samples import REGISTRY, Make, Sample, load

DTYPES = list(dt.by_name.values())
SHAPES = [(), (1,), (3,), (0,), (2, 3), (3, 2), (1, 3), (3, 3), (2, 0), (2, 3, 4), (1, 1, 1), (4, 3, 2), (2, 3, 4, 5), (2, 1, 3, 3)]
# Would wait for input, or allocate what a random size says.
LEFT_OUT = frozenset({"set_printoptions"})
SECONDS = 20         # a call that takes longer hangs


def tensor(r: random.Random) -> Any:
    """A tensor of random dtype, shape and strides."""
    d = r.choice(DTYPES) if r.random() < 0.5 else dt.float32
    shape = r.choice(SHAPES)
    t = Make(d, r.randrange(1000))(shape, noncontiguous=r.random() < 0.3)
    kind = r.random()
    if kind < 0.15 and t.ndim and t.numel():
        t = core.view_of(t, t.shape, [-s for s in t.stride()], sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True)))
    elif kind < 0.25 and t.ndim:
        t = core.view_of(t, (3, *t.shape), (0, *t.stride()), 0)
    elif kind < 0.3:
        t = core.empty_meta(t.dtype, t.shape)
    if d.kind in "fc" and r.random() < 0.2:
        t.requires_grad = True
    return t


def value(r: random.Random) -> Any:
    """Something that may stand as an argument."""
    makers = [
        lambda: tensor(r), lambda: tensor(r), lambda: r.randint(-4, 6), lambda: r.choice([0, 1, -1, 2]), lambda: r.uniform(-3, 3),
        lambda: r.choice([float("nan"), float("inf"), -0.0, 2**62, -2**63, 1e300]), lambda: r.random() < 0.5, lambda: None,
        lambda: complex(r.uniform(-1, 1), 1), lambda: r.choice(["", "mean", "sum", "none", "reflect", "floor", "trunc", "cpu"]), lambda: r.choice(DTYPES),
        lambda: tuple(r.randint(-2, 4) for _ in range(r.randint(0, 4))), lambda: [tensor(r) for _ in range(r.randint(0, 3))],
        lambda: [1.5, 2.0], lambda: {"a": 1}, lambda: object(), lambda: b"x", lambda: slice(0, 2), lambda: ...,
        lambda: Make(dt.int64, r.randrange(99)).index(r.choice(SHAPES[:6]), 3),
    ]
    return r.choice(makers)()


def near_sample(r: random.Random, name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a sample, one or two of them replaced."""
    spec = REGISTRY[name]
    good = spec.samples(r.choice(spec.dtypes), r.randrange(1000)) or [Sample(tensor(r))]     # some operators only ever raise
    s = r.choice(good)
    args, kwargs = list(s.args), dict(s.kwargs)
    for _ in range(r.choice([0, 1, 1, 2])):
        at = r.randrange(len(args) + len(kwargs)) if args or kwargs else None
        if at is None:
            break
        if at < len(args):
            args[at] = value(r)
        else:
            kwargs[sorted(kwargs)[at - len(args)]] = value(r)
    return tuple(args), kwargs


def arguments(r: random.Random, name: str, op: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments for one call: near a sample, or anything at all."""
    if name in REGISTRY and r.random() < 0.6:
        return near_sample(r, name)
    n = r.randint(0, len(op.params) + 1)
    args = [value(r) for _ in range(n)]
    if args and r.random() < 0.8:
        args[0] = tensor(r)
    kwargs = {r.choice(op.params).name: value(r)} if op.params and r.random() < 0.2 else {}
    if r.random() < 0.1:
        kwargs["out"] = tensor(r)
    return tuple(args), kwargs


def too_large(x: Any) -> bool:
    """Whether an int could be taken as a size that no machine has (a MemoryError is right then, and slow)."""
    return (isinstance(x, int) and abs(x) > 2**20) or (isinstance(x, float) and abs(x) > 1e15) or (isinstance(x, (tuple, list)) and any(map(too_large, x)))


def main() -> int:
    calls, seed = int(sys.argv[1]), int(sys.argv[2])
    load()
    warnings.simplefilter("ignore")
    operators = {**METHODS, **TABLE}
    names = sorted(n for n in operators if n not in LEFT_OUT)
    allowed = (TypeError, ValueError, RuntimeError, IndexError, NotImplementedError, AssertionError, AttributeError, KeyError, OverflowError, MemoryError, BufferError,
               ZeroDivisionError)
    try:
        os.fstat(3)
        log = 3
    except OSError:
        log = None
    failures = fine = 0

    def hung(*_: object) -> None:
        raise SystemExit(f"hang in call {k}: {name}")
    signal.signal(signal.SIGALRM, hung)
    for k in range(int(sys.argv[3]) if len(sys.argv) > 3 else 0, calls):
        r = random.Random(seed * 1_000_003 + k)
        name = r.choice(names)
        if log is not None:
            os.pwrite(log, f"call {k} {name}\n".ljust(80).encode(), 0)
        signal.alarm(SECONDS)
        try:
            args, kwargs = arguments(r, name, operators[name])
            if any(map(too_large, [*args, *kwargs.values()])) and "Tensor" not in str([p.kind for p in operators[name].params][:1]):
                args = tuple(3 if too_large(a) else a for a in args)
                kwargs = {key: 3 if too_large(v) else v for key, v in kwargs.items()}
        except Exception as error:          # the samples' own tensors must be made
            print(f"call {k} {name}: making the arguments raised {type(error).__name__}: {error}")
            failures += 1
            continue
        try:
            result = operators[name](*args, **kwargs)
            if isinstance(result, rl.Tensor) and not result.is_meta and r.random() < 0.2:
                repr(result)
            fine += 1
        except Exception as error:          # sorted out below
            text = str(error)
            if isinstance(error, SystemError) or not isinstance(error, allowed) or "internal:" in text or isinstance(error, UnboundLocalError):
                failures += 1
                print(f"call {k} {name}({', '.join(map(brief, args))}{', ' if kwargs else ''}{', '.join(f'{a}={brief(v)}' for a, v in kwargs.items())}): "
                      f"{type(error).__name__}: {text[:300]}")
        finally:
            signal.alarm(0)
    print(f"{calls} calls, {fine} succeeded, {failures} failures")
    return 1 if failures else 0


def brief(x: Any) -> str:
    """An argument in few words."""
    if isinstance(x, rl.Tensor):
        return f"{x.dtype.name}{list(x.shape)}{'meta' if x.is_meta else ''}"
    if isinstance(x, list):
        return "[" + ", ".join(map(brief, x)) + "]"
    return repr(x)[:60]


if __name__ == "__main__":
    sys.exit(main())
