"""The program: a straight-line, immutable list of primitives over typed variables, and the builder that makes one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from rushlight.core import locks
from rushlight.core import tensor as _core
from rushlight.core.dtypes import complex32, dtype
from rushlight.program.costs import SOME, Cost
from rushlight.program.sym import Int, Sym, SymEnv, same

Shape = tuple[Int, ...]
Rule = Callable[["Eqn", list["Var"]], "Sequence[Var] | None"]

PRIMS: dict[str, Primitive] = {}
"""Every primitive by name."""

ANY_NUMBERS = 8  # as many as a byte may hold


class Var:
    """A value in a program: its shape (ints and Syms) and dtype; identity is its name.

    Arithmetic on it emits primitives to the current Builder: `1 - y * y`. The other operand is a Var of the same shape
    and dtype, or a number, which becomes a constant of them. Equality is identity: write `p.eq(x, y)`.
    """

    __slots__ = ("__weakref__", "dtype", "eqn", "kind", "shape")
    # Calling a value calls this, where a function is traced: its tensors have a method of that name as their values do.
    called: ClassVar[Callable[..., Any] | None] = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if Var.called is None:
            raise TypeError("a value of a program is not callable")
        return Var.called(self, *args, **kwargs)

    def __init__(self, shape: Iterable[Int], dtype: dtype, kind: str = "value", eqn: Eqn | None = None) -> None:
        self.shape: Shape = tuple(shape)
        self.dtype = dtype
        self.kind = kind  # "value", "tensor" (a tensor input), "scalar" (a number given at launch, shape ())
        self.eqn = eqn  # the equation that computes it; None for inputs

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"

    def __add__(self, other: Operand) -> Var:
        return PRIMS["add"](self, other)

    def __radd__(self, other: Operand) -> Var:
        return PRIMS["add"](other, self)

    def __sub__(self, other: Operand) -> Var:
        return PRIMS["sub"](self, other)

    def __rsub__(self, other: Operand) -> Var:
        return PRIMS["sub"](other, self)

    def __mul__(self, other: Operand) -> Var:
        return PRIMS["mul"](self, other)

    def __rmul__(self, other: Operand) -> Var:
        return PRIMS["mul"](other, self)

    def __truediv__(self, other: Operand) -> Var:
        return PRIMS["div"](self, other)

    def __rtruediv__(self, other: Operand) -> Var:
        return PRIMS["div"](other, self)

    def __neg__(self) -> Var:
        return PRIMS["neg"](self)

    def __invert__(self) -> Var:
        return PRIMS["not_"](self)

    def __and__(self, other: Operand) -> Var:
        return PRIMS["and_"](self, other)

    def __or__(self, other: Operand) -> Var:
        return PRIMS["or_"](self, other)

    def __xor__(self, other: Operand) -> Var:
        return PRIMS["xor"](self, other)

    def __lt__(self, other: Operand) -> Var:
        return PRIMS["lt"](self, other)

    def __le__(self, other: Operand) -> Var:
        return PRIMS["le"](self, other)

    def __gt__(self, other: Operand) -> Var:
        return PRIMS["gt"](self, other)

    def __ge__(self, other: Operand) -> Var:
        return PRIMS["ge"](self, other)


Operand = Var | Int | float | complex


class Eqn:
    """`outputs = prim(*inputs, **params)`."""

    __slots__ = ("inputs", "outputs", "params", "prim")

    def __init__(self, prim: Primitive, inputs: tuple[Var, ...], params: dict[str, Any]) -> None:
        self.prim, self.inputs, self.params = prim, inputs, params
        self.outputs: tuple[Var, ...] = ()


class Primitive:
    """The rules of one primitive, side by side. Rules receive and return Vars and emit through the current Builder.

    kind: "pointwise", "view" (an index map that can be strides alone), "index" (a computed index map), "reduce",
    "gather", "scatter", "scan", "band" (a recurrence over a plane), "source" (iota, constant, random bits), "library"
    (dot, conv, sort …) or "call".
    linear: the operand positions in which the primitive is linear (jointly), for `transpose`.
    shape_class: what an operator built on it is (see shape_classes.py), where the kind alone does not say.
    cost: of an element. in_sequence: a reduction whose elements are visited one after the other. buffered: the result
    is the operand in a buffer of its own. orderless: the order of the result's dimensions does not influence that of
    values made from it. by_columns: results that are matrices lie column by column, as LAPACK lays them out and PyTorch
    leaves them.
    identity: a call that returns its operand. apart: why kernels do not compute it together with the kernels that read
    it, in words for `explain`.
    """

    name: str = "?"
    kind: str = "?"
    shape_class: str = ""
    linear: tuple[int, ...] = ()
    cost: Cost = SOME
    multiple: bool = False  # several outputs: emit returns a tuple
    in_sequence: bool = False
    buffered: bool = False
    orderless: bool = False
    by_columns: bool = False
    identity: bool = False
    apart: str = ""

    @property
    def fuses(self) -> bool:
        """Whether a kernel that needs the value may compute it, wherever it needs it."""
        return self.kind in ("pointwise", "view", "reduce", "source", "gather")

    def stored(self, **params: Any) -> int:
        """How many numbers a byte of its operands may hold if their dtype is for storage (`dtype.format`): none where
        the primitive computes with numbers, one where it reads them, any number where it moves elements.
        """
        return ANY_NUMBERS if self.kind in ("view", "index", "gather", "call") else 0

    def in_order_of_results(self, **params: Any) -> bool:
        """Whether a `buffered` result lies in the order of dimensions of the operator's results, not row by row."""
        return False

    def in_order_of(self, result: Var) -> Var | None:
        """The operand whose order of dimensions a library's result takes, if the two turn out to have the same
        sizes."""
        return None

    def has_routine(self, d: dtype) -> bool:
        """Whether a library's routine computes it in a dtype."""
        return d is not complex32

    def fused(self, *inputs: Var, **params: Any) -> Var | None:
        """The value of a library's primitive written in primitives that kernels compute, where neither it nor another
        dtype has a routine.
        """
        return None

    def lift(self, inputs: Sequence[Any]) -> Sequence[Var]:
        """The operands as program values, where some are not: TypeError but where the primitive takes numbers."""
        found = next(type(v).__name__ for v in inputs if not isinstance(v, Var))
        raise TypeError(f"{self.name}: expected program values; found {found}")

    def shape(self, *inputs: Var, **params: Any) -> list[tuple[Shape, dtype]]:
        """Shapes and dtypes of the outputs; raises on inputs that do not fit."""
        raise NotImplementedError(f"{self.name}: no shape rule")

    def simplify(self, *inputs: Var, **params: Any) -> Var | tuple[Var, ...] | None:
        """A cheaper equal value (x + 0 -> x), or None."""
        return None

    def for_tangents(self, params: dict[str, Any]) -> dict[str, Any]:
        """The parameters by which it is computed where its tangents are needed as well: eigenvalues then come with
        vectors."""
        return params

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Sequence[Var | None], /, **params: Any
    ) -> Sequence[Var | None]:
        """Tangents of the outputs; a None tangent is zero."""
        raise NotImplementedError(f"{self.name}: no jvp rule")

    def transpose(
        self, cotangents: Sequence[Var | None], inputs: Sequence[Var | Hole], **params: Any
    ) -> Sequence[Var | None]:
        """Cotangents of the linear inputs (those given as Hole), None for the others and for zero."""
        raise NotImplementedError(f"{self.name}: no transpose rule")

    def batch(
        self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any
    ) -> tuple[Sequence[Var], Sequence[int | None]]:
        """Outputs and their batch dimensions; dims[i] is the batched dimension of inputs[i] or None."""
        raise NotImplementedError(f"{self.name}: no batching rule")

    def __call__(self, *inputs: Any, **params: Any) -> Var:
        """Emit it to the current Builder; of several outputs see `several`."""
        out: Var = Builder.current().emit(self, inputs, params)
        return out

    def several(self, *inputs: Any, **params: Any) -> tuple[Var, ...]:
        """Emit a primitive of several outputs; returns them all."""
        outs: tuple[Var, ...] = Builder.current().emit(self, inputs, params)
        return outs

    def __repr__(self) -> str:
        return self.name


class Hole:
    """Stands for a linear input of unknown value in a transpose rule; carries its shape and dtype."""

    __slots__ = ("dtype", "shape")

    def __init__(self, var: Var) -> None:
        self.shape, self.dtype = var.shape, var.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)


def structural(x: Any) -> Any:
    """A hashable key of a parameter that compares without recording guards; 0, 0.0, -0.0 and False stay apart."""
    kind = type(x)
    if kind is Sym:
        return x.key
    if kind is int or kind is str:  # (what most parameters are made of)
        return kind, x
    if kind is tuple or isinstance(x, (tuple, list)):
        return (kind, *[structural(v) for v in x])
    if kind is dict or isinstance(x, dict):
        return (dict, *[(k, structural(x[k])) for k in sorted(x)])
    if isinstance(x, Var):
        return Var, id(x)
    if isinstance(x, (float, complex)):
        return kind, repr(x)
    return kind, x


class Program:
    """Inputs, equations in order, outputs; `env` holds the symbols that shapes are written in, and the guards."""

    def __init__(self, env: SymEnv, inputs: Sequence[Var], eqns: Sequence[Eqn], outputs: Sequence[Var]) -> None:
        self.env = env
        self.inputs, self.eqns, self.outputs = tuple(inputs), tuple(eqns), tuple(outputs)

    def __str__(self) -> str:
        names: dict[Var, str] = {}

        def name(v: Var) -> str:
            return names.setdefault(v, f"%{len(names)}")

        lines = [
            "program("
            + ", ".join(f"{name(v)}: {v}{' scalar' if v.kind == 'scalar' else ''}" for v in self.inputs)
            + "):"
        ]
        for e in self.eqns:
            params = ", ".join(f"{k}={_show(v)}" for k, v in e.params.items())
            args = ", ".join(name(v) for v in e.inputs)
            outs = ", ".join(f"{name(v)}: {v}" for v in e.outputs)
            lines.append(f"  {outs} = {e.prim.name}({args}{', ' if args and params else ''}{params})")
        lines.append("  return " + ", ".join(name(v) for v in self.outputs))
        lines += [f"  where {g}" for g in self.env.guards]
        return "\n".join(lines)

    def copy(self, env: SymEnv | None = None) -> Program:
        """The same program with variables of its own, written in `env` (default: a copy of its environment)."""
        env = self.env.copy() if env is None else env
        value: dict[Var, Var] = {}
        shapes: dict[int, Shape] = {}  # by the id of the old one: most values share theirs with another

        def fresh(v: Var, eqn: Eqn | None) -> Var:
            shape = shapes.get(id(v.shape))
            if shape is None:
                shape = shapes[id(v.shape)] = adopted(env, v.shape)
            value[v] = new = Var(shape, v.dtype, v.kind, eqn)
            return new

        inputs = [fresh(v, None) for v in self.inputs]
        eqns = []
        for e in self.eqns:
            new = Eqn(e.prim, tuple(value[v] for v in e.inputs), adopted(env, e.params))
            new.outputs = tuple(fresh(v, new) for v in e.outputs)
            eqns.append(new)
        return Program(env, inputs, eqns, [value[v] for v in self.outputs])

    def rewritten(self, rule: Rule | None = None) -> Program:
        """The program emitted anew, with equal equations shared and the equations that no output needs dropped; see
        `Builder.inline` for `rule`.
        """
        with Builder(self.env) as b:
            return b.build(b.inline(self, b.inputs_like(self), rule))

    def check(self) -> None:
        """Raise AssertionError when an equation uses a value before it is defined or its shape rule disagrees."""
        known = set(self.inputs)
        for e in self.eqns:
            for v in e.inputs:
                if v not in known:
                    raise AssertionError(f"{e.prim.name}: uses a value that is not defined yet in\n{self}")
            with Builder(self.env):
                expected = e.prim.shape(*e.inputs, **e.params)
            got = [(v.shape, v.dtype) for v in e.outputs]
            agree = len(expected) == len(got) and all(
                d is t and len(s) == len(r) and all(same(a, b) for a, b in zip(s, r, strict=True))
                for (s, d), (r, t) in zip(expected, got, strict=True)
            )
            if not agree:
                raise AssertionError(f"{e.prim.name}: shape rule says {expected}, the program {got} in\n{self}")
            known.update(e.outputs)
        for v in self.outputs:
            if v not in known:
                raise AssertionError(f"an output is not defined in\n{self}")


def adopted(env: SymEnv, x: Any) -> Any:
    """A shape or a parameter rewritten in the symbols of `env`, a copy of the environment that it was written in."""
    if isinstance(x, Sym):
        return env.adopt(x)
    if isinstance(x, (tuple, list)):
        return type(x)(adopted(env, v) for v in x)
    if isinstance(x, dict):
        return {k: adopted(env, v) for k, v in x.items()}
    return x.copy(env) if isinstance(x, Program) else x


def _show(v: object) -> str:
    if isinstance(v, Program):
        lines = Program(SymEnv(), v.inputs, v.eqns, v.outputs).__str__().split("\n")
        return "\n    ".join(lines)
    return v.__name__ if callable(v) and hasattr(v, "__name__") else str(v)


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: list[Builder] = []


_local = _Local()
locks.tracing.keeps(_local, "stack")


class aside(locks.Block[None]):
    """A block in which nothing is emitted: calls belong to no trace."""

    def _before_(self) -> list[Builder]:
        return [*_local.stack]

    def _begin_(self) -> None:
        _stand([])

    def _end_(self, before: list[Builder]) -> None:
        _stand(before)


def _stand(stack: list[Builder]) -> None:
    """Let these be the builders of the traces in progress."""
    _local.stack[:] = stack
    _core.add_builders(len(stack) - _core.add_builders(0))


class Builder(locks.Block["Builder"]):
    """Collects equations, sharing equal ones; `with Builder(env) as b:` makes it the one that primitives emit to.

    of_body: an operator's body is emitted, which must not compute in dtypes for storage. (Derivatives may: gradients
    are summed.)
    wide_numbers: arithmetic among numbers alone keeps their full precision.
    """

    def __init__(self, env: SymEnv | None = None, of_body: bool = False) -> None:
        self.env = env if env is not None else SymEnv()
        self.of_body = of_body
        self.wide_numbers = False
        self.inputs: list[Var] = []
        self.eqns: list[Eqn] = []
        self._seen: dict[Any, Eqn] = {}

    @staticmethod
    def current() -> Builder:
        if not _local.stack:
            raise RuntimeError("a primitive was called outside of a trace")
        return _local.stack[-1]

    @staticmethod
    def active() -> bool:
        return bool(_local.stack)

    def _before_(self) -> list[Builder]:
        return [*_local.stack]

    def _begin_(self) -> Builder:
        _stand([*_local.stack, self])
        return self

    def _end_(self, before: list[Builder]) -> None:
        _stand(before)

    def input(self, shape: Iterable[Int], dtype: dtype, kind: str = "tensor") -> Var:
        """A new program input; kind is "tensor" or "scalar"."""
        v = Var(shape, dtype, kind)
        self.inputs.append(v)
        return v

    def emit(self, prim: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
        """Add an equation (or find the equal one); returns its output, or the tuple of them for `prim.multiple`."""
        for v in inputs:
            if not isinstance(v, Var):
                inputs = prim.lift(inputs)
                break
        inputs = tuple(inputs)
        key = (prim.name, tuple(map(id, inputs)), structural(params) if params else None)
        eqn = self._seen.get(key)
        if eqn is None:
            for v in inputs if self.of_body else ():
                form = v.dtype.format
                if form is not None and form.parts > prim.stored(**params):
                    raise NotImplementedError(f"{prim.name}: not defined for {v.dtype.name}")
            results = prim.shape(*inputs, **params)  # before simplify, so that rewrites see operands that fit
            simple = prim.simplify(*inputs, **params)
            if simple is not None:
                return simple
            eqn = Eqn(prim, inputs, params)
            eqn.outputs = tuple(Var(s, d, "value", eqn) for s, d in results)
            self.eqns.append(eqn)
            self._seen[key] = eqn
        return eqn.outputs if prim.multiple else eqn.outputs[0]

    def results(self, prim: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> tuple[Var, ...]:
        """`emit`, with a tuple for every primitive."""
        out = self.emit(prim, inputs, params)
        return out if prim.multiple else (out,)

    def inline(self, program: Program, args: Sequence[Var], rule: Rule | None = None) -> tuple[Var, ...]:
        """Emit a program whose shapes are written in this builder's symbols; returns its outputs.

        Args:
            program: What is emitted.
            args: Its operands.
            rule: Emits an equation on its operands in another way, and returns its results; None is for one that stays
                as it is.
        """
        value: dict[Var, Var] = dict(zip(program.inputs, args, strict=True))
        for e in program.eqns:
            ins = [value[v] for v in e.inputs]
            outs = None if rule is None else rule(e, ins)
            value.update(zip(e.outputs, self.results(e.prim, ins, e.params) if outs is None else outs, strict=True))
        return tuple(value[v] for v in program.outputs)

    def inputs_like(self, program: Program) -> list[Var]:
        """New inputs for those of a program."""
        return [self.input(v.shape, v.dtype, v.kind) for v in program.inputs]

    def build(self, outputs: Sequence[Var]) -> Program:
        """The program of what has been emitted, less the equations that no output needs."""
        return Program(self.env, self.inputs, live(self.eqns, outputs), outputs)


def live(eqns: Sequence[Eqn], outputs: Iterable[Var]) -> list[Eqn]:
    """The equations that `outputs` depend on, in order."""
    needed = set(outputs)
    kept = []
    for e in reversed(eqns):
        for v in e.outputs:
            if v in needed:
                kept.append(e)
                needed.update(e.inputs)
                break
    return kept[::-1]
