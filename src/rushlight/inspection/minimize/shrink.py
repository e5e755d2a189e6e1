"""Make a failing program smaller, step by step, as long as it fails the same way."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from rushlight.autograd.grad_mode import set_grad_enabled
from rushlight.core import dtypes as dt
from rushlight.core.tensor import is_grad_enabled
from rushlight.inspection.minimize.program import Input, Program, Ref, Unwritable, mapped, refs

FILE = "<program>"


class Failure(NamedTuple):
    """How a program fails: the exception's type, and its words without numbers and places."""

    kind: str
    words: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        words = re.sub(r"at \S[^:]*:\d+ \(in [^)]*\)", "at", str(error))  # lines of the program
        return cls(type(error).__name__, re.sub(r"[\[\](),\s]*-?\d[\d\s,.e\[\]()-]*", "#", words))


def run(program: Program) -> BaseException | None:
    """What the last line of a program raises; None where that does not fail, or another line does."""
    import rushlight

    try:
        lines = program.lines()
    except Unwritable:
        return None
    text = "\n".join(lines)
    grad = is_grad_enabled()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, FILE, "exec"), {"torch": rushlight})
    except Exception as error:
        tb, line = error.__traceback__, 0
        while tb is not None:
            if tb.tb_frame.f_code.co_filename == FILE:
                line = tb.tb_lineno
            tb = tb.tb_next
        return error if line == len(lines) else None
    finally:
        set_grad_enabled(grad)
    return None


class Shrinker:
    """Tries smaller programs; `program` is the smallest that fails the same way so far.

    Args:
        program: fails by `failure`.
        seconds: when to stop.
    """

    def __init__(self, program: Program, failure: Failure, seconds: float) -> None:
        self.program, self.failure = program, failure
        self.until = time.monotonic() + seconds
        self.tried: set[str] = set()

    def fits(self, program: Program) -> bool:
        error = run(program)
        return error is not None and Failure.of(error) == self.failure

    def keep(self, program: Program) -> bool:
        """Go on with a program if it fails the same way."""
        program = program.pruned()
        try:
            text = "\n".join(program.lines())
        except Unwritable:
            return False
        if text in self.tried or time.monotonic() > self.until:
            return False
        self.tried.add(text)
        if not self.fits(program):
            return False
        self.program = program
        return True

    def shrink(self) -> Program:
        self.without_steps()
        while True:
            before = self.program.lines()
            for stage in (self.plain_inputs, self.smaller_sizes, self.smaller_arguments, self.fewer_dims, self.values):
                stage()
            if self.program.lines() == before or time.monotonic() > self.until:
                return self.program

    # ------------------------------------------------------------------------------------------------------- the stages
    def without_steps(self) -> None:
        """Leave calls out: their results become plain tensors."""
        for step in list(self.program.steps[:-1]):
            p = self.program
            rest = [s for s in p.steps if s is not step]
            if len(rest) == len(p.steps):
                continue  # it went with another
            made = {step.index: p.was[step.index]} if step.index in p.was else {}
            if any(r.index == step.index and r.path for s in rest for r in refs((s.args, s.kwargs))):
                continue
            self.keep(replace(p, steps=rest, inputs={**p.inputs, **made}))

    def each_input(self, variants: Callable[[Input], Iterator[Input]]) -> None:
        for k in list(self.program.inputs):
            found = self.program.inputs.get(k)
            if found is None:
                continue
            for other in variants(found):
                if self.keep(self.with_input(k, other)):
                    break

    def with_input(self, k: int, other: Input) -> Program:
        return replace(self.program, inputs={**self.program.inputs, k: other})

    def plain_inputs(self) -> None:
        """No gradient, rows in order, any values, usual dtypes."""

        def variants(v: Input) -> Iterator[Input]:
            plain = replace(v, requires_grad=False, stride=None, suffix="")
            for fill in ("ones", "zeros", "arange"):
                if v.dtype.kind != "c" or fill != "arange":
                    yield replace(plain, fill=fill)
                    yield replace(v, fill=fill, stride=None)
                    yield replace(v, fill=fill)

        self.each_input(lambda v: variants(v) if not v.fill else iter(()))
        for field, value in (("requires_grad", False), ("stride", None), ("suffix", "")):
            self.each_input(partial(_with, field=field, value=value))
        for usual in (dt.float32, dt.int64):
            self.each_input(partial(_of_dtype, usual=usual))

    def smaller_sizes(self) -> None:
        """Smaller sizes: of all tensors and arguments that share a number at once, then of one dimension of one."""
        sizes = sorted({n for v in self.program.inputs.values() for n in v.shape if n > 1}, reverse=True)
        for n in sizes:
            for m in [m for m in (0, 1, 2, 3, n // 2) if m < n]:
                if self.keep(self.resized(n, m, arguments=True)) or self.keep(self.resized(n, m, arguments=False)):
                    break
        for k in list(self.program.inputs):
            for d in range(len(self.program.inputs[k].shape) if k in self.program.inputs else 0):
                v = self.program.inputs.get(k)
                if v is None:
                    break
                n = v.shape[d]
                for m in [m for m in (1, 2, 3, n // 2) if m < n]:
                    if self.keep(self.with_input(k, cut(v, d, m))):
                        break

    def resized(self, n: int, m: int, arguments: bool) -> Program:
        inputs = {}
        for k, v in self.program.inputs.items():
            for d in range(len(v.shape)):
                if v.shape[d] == n:
                    v = cut(v, d, m)
            inputs[k] = v
        steps = self.program.steps
        if arguments:
            swap = lambda x: m if type(x) is int and x == n else x
            steps = [replace(s, args=mapped(s.args, swap), kwargs=mapped(s.kwargs, swap)) for s in steps]
        return replace(self.program, inputs=inputs, steps=steps)

    def fewer_dims(self) -> None:
        """Leave dimensions out: of every tensor, then of one."""
        for d in (0, -1):
            while all(v.shape for v in self.program.inputs.values()) and self.program.inputs:
                inputs = {k: dropped(v, d) for k, v in self.program.inputs.items()}
                if not self.keep(replace(self.program, inputs=inputs)):
                    break
        for d in (0, -1):
            self.each_input(lambda v, d=d: iter([dropped(v, d)] if v.shape else []))  # type: ignore[misc]

    def smaller_arguments(self) -> None:
        """Leave arguments out, and take plainer ones."""
        for at in range(len(self.program.steps)):
            for name in list(self.program.steps[at].kwargs):
                s = self.program.steps[at]
                self.with_step(at, kwargs={k: v for k, v in s.kwargs.items() if k != name})
            while len(self.program.steps[at].args) > 1 and self.with_step(at, args=self.program.steps[at].args[:-1]):
                pass
            for i, value in enumerate(self.program.steps[at].args):
                for other in plainer(value):
                    args = self.program.steps[at].args
                    if self.with_step(at, args=(*args[:i], other, *args[i + 1 :])):
                        break
            for name, value in list(self.program.steps[at].kwargs.items()):
                for other in plainer(value):
                    if self.with_step(at, kwargs={**self.program.steps[at].kwargs, name: other}):
                        break
            if at >= len(self.program.steps) - 1:
                break

    def with_step(self, at: int, **changes: Any) -> bool:
        steps = list(self.program.steps)
        steps[at] = replace(steps[at], **changes)
        count = len(steps)
        return self.keep(replace(self.program, steps=steps)) and len(self.program.steps) == count

    def values(self) -> None:
        """Plainer numbers, one after the other, where values matter."""
        for k in list(self.program.inputs):
            v = self.program.inputs.get(k)
            if v is None or v.fill or v.values is None or len(v.values) > 64:
                continue
            for i, x in enumerate(v.values):
                for other in (0, 1, 2):
                    now = self.program.inputs[k].values
                    assert now is not None
                    y = type(x)(other)
                    if x in (0, 1, y):
                        break
                    if self.keep(self.with_input(k, replace(v, values=(*now[:i], y, *now[i + 1 :])))):
                        break


def plainer(value: Any) -> Iterator[Any]:
    """Plainer values in the place of an argument."""
    if type(value) is int:
        yield from (x for x in (0, 1, 2, 3, 5, 10) if abs(x) < abs(value))
        if value < 0:
            yield from (-x for x in (1, 2, 3, 5, 10) if x < -value)
    elif type(value) is float:
        yield from (x for x in (0.0, 1.0, 2.0, -1.0) if x != value)
    elif isinstance(value, Ref):
        yield from (0, 1, 1.0)
    elif isinstance(value, (list, tuple)) and value and not any(True for _ in refs(value)):
        yield value[:-1]
        yield value[1:]
        for i, x in enumerate(value):
            for y in plainer(x):
                yield type(value)([*value[:i], y, *value[i + 1 :]])


def _with(v: Input, field: str, value: Any) -> Iterator[Input]:
    if getattr(v, field) != value:
        yield replace(v, **{field: value})


def _of_dtype(v: Input, usual: dt.dtype) -> Iterator[Input]:
    if v.dtype is not usual and v.dtype.kind == usual.kind:
        yield replace(v, dtype=usual)


def packed(shape: tuple[int, ...], stride: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Strides in the order of those given, without room between; a stride of 0 stays."""
    if stride is None:
        return None
    found, step = list(stride), 1
    for d in sorted(range(len(shape)), key=lambda d: stride[d]):
        if stride[d]:
            found[d] = step
            step *= max(shape[d], 1)
    return tuple(found)


def cut(v: Input, d: int, n: int) -> Input:
    """An input with the first n of a dimension."""
    shape = (*v.shape[:d], n, *v.shape[d + 1 :])
    v = replace(v, stride=packed(shape, v.stride))
    if v.values is None:
        return replace(v, shape=shape)
    inner = 1
    for s in v.shape[d + 1 :]:
        inner *= s
    block = v.shape[d] * inner
    values = [x for at in range(0, len(v.values), block or 1) for x in v.values[at : at + n * inner]]
    return replace(v, shape=shape, values=tuple(values))


def dropped(v: Input, d: int) -> Input:
    """An input at the first index of a dimension."""
    if v.shape[d] == 0:
        return v
    d %= len(v.shape)
    one = cut(v, d, 1)
    stride = None if v.stride is None else v.stride[:d] + v.stride[d + 1 :]
    return replace(one, shape=v.shape[:d] + v.shape[d + 1 :], stride=stride)
