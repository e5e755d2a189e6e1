"""A failing call as a program of a few lines: inputs, calls, and the text of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import nesting
from rushlight.core.nesting import found_in
from rushlight.core.tensor import Tensor, device, is_grad_enabled
from rushlight.inspection.minimize.record import Call

_LITERALS = {"f": dt.float32, "i": dt.int64, "b": dt.bool_, "c": dt.complex64}  # what torch.tensor makes of numbers


class Unwritable(TypeError):
    """A value that no line of a program makes."""


@dataclass(frozen=True)
class Ref:
    """A tensor of the program: an input or a call's result by number, and the way to it in that result."""

    index: int
    path: tuple[int, ...] = ()


@dataclass(frozen=True)
class Input:
    """A tensor that the program begins with.

    `values` are its elements in their order; `fill` stands for them where any will do: "ones", "zeros" or "arange".
    """

    shape: tuple[int, ...]
    dtype: Any
    values: tuple[Any, ...] | None
    fill: str = ""
    requires_grad: bool = False
    stride: tuple[int, ...] | None = None
    suffix: str = ""

    def text(self) -> str:
        """The expression that makes it."""
        after = self.suffix
        default: Any
        if self.stride is not None:
            room = 1 + sum((n - 1) * s for n, s in zip(self.shape, self.stride)) if math.prod(self.shape) else 0
            function, given, default = self.fill or "ones", str(room), dt.float32
            after = f".as_strided({self.shape}, {self.stride})" + after
        elif self.fill == "arange":
            function, given, default = "arange", str(math.prod(self.shape)), dt.int64
            if len(self.shape) != 1:
                after = f".view({', '.join(map(str, self.shape)) or '()'})" + after
        elif self.fill:
            function, given, default = self.fill, ", ".join(map(str, self.shape)) or "()", dt.float32
        else:
            function, given = "tensor", written(_nested(list(self.values or ()), self.shape))
            default = _LITERALS.get(self.dtype.kind)
            if 0 in self.shape:
                after = f".view({', '.join(map(str, self.shape))})" + after
        options = "" if self.dtype is default else f", dtype=torch.{self.dtype.name.removesuffix('_')}"
        if self.requires_grad:
            options, after = (options, after + ".requires_grad_()") if after else (options + ", requires_grad=True", "")
        return f"torch.{function}({given}{options}){after}"


@dataclass(frozen=True)
class Step:
    """A call of the program; its result has the number `index`."""

    index: int
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def text(self, names: Callable[[Ref], str]) -> str:
        """The line of its call, without the assignment."""
        args = [written(a, names) for a in self.args]
        _, _, last = self.name.rpartition(".")
        if self.name.startswith("torch.Tensor.") and args:
            inner = self.name.removeprefix("torch.Tensor.")
            if len(args) < {"__getitem__": 2, "__setitem__": 3, "__set__": 2}.get(last, 1):
                raise Unwritable(f"{last} of {len(args)} arguments is no line of a program")
            if last == "__getitem__":
                return f"{args[0]}[{_index(self.args[1], names)}]"
            if last == "__setitem__":
                return f"{args[0]}[{_index(self.args[1], names)}] = {args[2]}"
            if last == "__get__":
                return f"{args[0]}.{inner.removesuffix('.__get__')}"
            if last == "__set__":
                return f"{args[0]}.{inner.removesuffix('.__set__')} = {args[1]}"
            return f"{args[0]}.{inner}({', '.join(args[1:] + self.named(names))})"
        return f"{self.name}({', '.join(args + self.named(names))})"

    def named(self, names: Callable[[Ref], str]) -> list[str]:
        return [f"{k}={written(v, names)}" for k, v in self.kwargs.items()]


@dataclass(frozen=True)
class Program:
    """Inputs by number, and steps, of which the last fails."""

    inputs: dict[int, Input]
    steps: list[Step]
    grad: bool = True
    was: dict[int, Input] = field(default_factory=dict)  # what steps' results were, for when a step is left out

    def used(self) -> set[int]:
        """The numbers of what is read by a step."""
        return {r.index for s in self.steps for r in refs((s.args, s.kwargs))}

    def pruned(self) -> Program:
        """Without inputs and steps that nothing reads (a step that writes in place is read for its first argument)."""
        steps = [self.steps[-1]]
        needed = {r.index for r in refs((steps[0].args, steps[0].kwargs))}
        for s in reversed(self.steps[:-1]):
            reads = {r.index for r in refs((s.args, s.kwargs))}
            if s.index in needed or (_writes(s.name) and reads & needed):
                steps.insert(0, s)
                needed |= reads
        made = {s.index for s in steps}
        return replace(
            self, steps=steps, inputs={k: v for k, v in self.inputs.items() if k in needed and k not in made}
        )

    def lines(self) -> list[str]:
        """The program's lines; the last is the call that fails."""
        order: dict[int, str] = {}
        letters = iter([*"xyzabcdefghijklmnopqrstuvw", *(f"x{i}" for i in range(1000))])

        def name(ref: Ref) -> str:
            if ref.index not in order:
                order[ref.index] = next(letters)
            return order[ref.index] + "".join(f"[{i}]" for i in ref.path)

        lines = [] if self.grad else ["torch.set_grad_enabled(False)"]
        lines += [f"{name(Ref(k))} = {v.text()}" for k, v in self.inputs.items()]
        used = self.used()
        for s in self.steps[:-1]:
            text = s.text(name)
            lines.append(f"{name(Ref(s.index))} = {text}" if s.index in used else text)
        return [*lines, self.steps[-1].text(name)]


def _writes(name: str) -> bool:
    last = name.rpartition(".")[2]
    return (last.endswith("_") and not last.endswith("__")) or last in ("__setitem__", "__set__", "backward")


def refs(value: Any) -> Iterator[Ref]:
    """The references in arguments."""
    return found_in(value, Ref, (tuple, list, dict, slice))


def mapped(value: Any, fn: Callable[[Any], Any]) -> Any:
    """A value with what `fn` makes of its leaves."""
    return nesting.mapped(value, fn, (tuple, list, dict, slice))


def written(value: Any, names: Callable[[Ref], str] = str) -> str:
    """A value as Python writes it."""
    if isinstance(value, Ref):
        return names(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if value is None or value is Ellipsis or type(value) in (bool, int, float, complex, str, bytes):
        return "..." if value is Ellipsis else repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(written(v, names) for v in value) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(written(v, names) for v in value) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {written(v, names)}" for k, v in value.items()) + "}"
    if isinstance(value, slice):
        return f"slice({', '.join(written(v, names) for v in (value.start, value.stop, value.step))})"
    if isinstance(value, device):
        return repr(str(value))
    text = str(value)
    if type(value).__module__.startswith("rushlight.core") and text.startswith(("torch.", "rushlight.")):
        return "torch." + text.partition(".")[2]  # a dtype, a layout, a memory format
    raise Unwritable(f"a value of {type(value).__name__} can't be written down as code")


def _index(value: Any, names: Callable[[Ref], str]) -> str:
    """What stands in the brackets of an index."""

    def one(v: Any) -> str:
        if not isinstance(v, slice):
            return written(v, names)
        ends = ["" if e is None else written(e, names) for e in (v.start, v.stop, v.step)]
        return ":".join(ends if ends[2] else ends[:2])

    return (
        ", ".join(map(one, value)) + ("," if len(value) == 1 else "")
        if isinstance(value, tuple) and value
        else one(value)
    )


def _nested(values: list[Any], shape: tuple[int, ...]) -> Any:
    if 0 in shape:
        return []
    if not shape:
        return values[0]
    if len(shape) == 1:
        return values
    n = len(values) // shape[0]
    return [_nested(values[i * n : (i + 1) * n], shape[1:]) for i in range(shape[0])]


def input_of(t: Tensor) -> Input:
    """A tensor as an input of a program, with its values."""
    t, grad = t.detach(), t.requires_grad
    suffix = ""
    if t.layout.name != "strided":
        suffix = f".to_{t.layout.name.replace('sparse_coo', 'sparse')}()"
        t = t.to_dense()
    stride = None if t.is_contiguous() or min(t.stride()) < 0 else tuple(t.stride())
    if t.is_meta:
        return Input(tuple(t.shape), t.dtype, None, "ones", grad, stride, ".to('meta')")
    values = tuple(t.resolve_conj().resolve_neg().reshape(-1).tolist())
    return Input(tuple(t.shape), t.dtype, values, "", grad, stride, suffix)


def of_call(failed: Call, before: list[Call]) -> Program:
    """The failing call, after the calls of `before`."""
    from rushlight.inspection.minimize.record import tensors_in

    known: dict[int, Ref] = {}
    inputs: dict[int, Input] = {}
    was: dict[int, Input] = {}
    steps: list[Step] = []
    counter = iter(range(1 << 30))

    def leaf(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        if id(value) not in known:
            k = next(counter)
            known[id(value)] = Ref(k)
            inputs[k] = input_of(value)
        return known[id(value)]

    for call in [*before, failed]:
        args, kwargs = mapped(tuple(call.args), leaf), mapped(dict(call.kwargs), leaf)
        k = next(counter)
        steps.append(Step(k, call.name, args, kwargs))
        if call.error is not None:
            break
        if isinstance(call.result, Tensor):
            if id(call.result) not in known:  # (a call in place gives what it was given)
                known[id(call.result)] = Ref(k)
                was[k] = input_of(call.result)
        elif isinstance(call.result, (tuple, list)):
            for i, v in enumerate(call.result):
                if isinstance(v, Tensor) and id(v) not in known:
                    known[id(v)] = Ref(k, (i,))
        else:
            for v in tensors_in(call.result):
                known.pop(id(v), None)
    return Program(inputs, steps, is_grad_enabled(), was)
