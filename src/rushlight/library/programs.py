"""A program of primitives run as calls of public operators: what modes, wrappers and graphs see of derivatives and
transforms.

A primitive that no operator of PyTorch's is like becomes `torch.ops.prims.<name>`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param
from rushlight.core.tensor import Tensor, modes_in_force
from rushlight.library.operator import OpOverload, OpOverloadPacket, namespace
from rushlight.library.schema import Argument, FunctionSchema, Return
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.dispatch import _dispatched, ask
from rushlight.operators.table.tracer import tracer, var_of
from rushlight.prims.recurrence import parted
from rushlight.program.ir import Builder, Eqn, Primitive, Program, Var
from rushlight.transforms import inline_calls
from rushlight.transforms.rename import substitute

# Primitives whose operator has another name.
_RENAMED = {
    "max": "maximum",
    "min": "minimum",
    "and_": "bitwise_and",
    "or_": "bitwise_or",
    "xor": "bitwise_xor",
    "shl": "bitwise_left_shift",
    "shr": "bitwise_right_shift",
    "not_": "bitwise_not",
    "rem": "remainder",
    "sign": "sgn",
    "floordiv": "floor_divide",
}
_SAME = frozenset(
    """abs acos acosh add asin asinh atan atan2 atanh ceil complex copysign cos cosh digamma div eq erf erfc erfinv exp
    exp2 expm1 floor fmod ge gt imag isnan le lgamma
    log log10 log1p log2 lt mul ne neg nextafter pow real reciprocal round rsqrt sigmoid sin sinh sqrt sub tan tanh
    trunc i0""".split()
)
# Their operators take a number as the second operand.
_NUMBERED = frozenset(
    {
        "add",
        "sub",
        "mul",
        "div",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "rem",
        "fmod",
        "and_",
        "or_",
        "xor",
        "shl",
        "shr",
        "floordiv",
        "pow",
        "copysign",
    }
)


class PrimOverload(OpOverload):
    """A primitive as `torch.ops.prims.name.default(*tensors, **parameters)`."""

    def __init__(self, packet: OpOverloadPacket, prim: Primitive) -> None:
        super().__init__(
            packet, FunctionSchema(f"prims::{prim.name}", "", (Argument("tensors", "Tensor[]"),), (Return("Tensor"),))
        )

        def body(tensors: list[Any], parameters: tuple[tuple[str, Any], ...]) -> Any:
            made = Builder.current().emit(prim, [var_of(t) for t in tensors], dict(parameters))
            return tuple(map(tracer, made)) if prim.multiple else tracer(made)

        definition = Definition(f"prims_{prim.name}", body, "", "internal")
        params = [Param("tensors", Kind.P_TENSORS), Param("parameters", Kind.P_STATIC)]
        self.operator = Operator(f"prims_{prim.name}", params, definition)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if modes_in_force():
            found = ask(self, self.name(), list(args), args, kwargs)
            if found is not NotImplemented:
                return found
        types = _dispatched(self.operator, args, None)
        for cls in types:
            result = cls.__torch_dispatch__(self, types, args, kwargs)  # type: ignore[attr-defined]
            if result is not NotImplemented:
                return result
        return self.operator(list(args), tuple(kwargs.items()))


def prim_overload(prim: Primitive) -> PrimOverload:
    """The overload of a primitive."""
    space = namespace("prims")
    packet = space._packets.get(prim.name)
    if packet is None:
        packet = space._packets[prim.name] = OpOverloadPacket("prims", prim.name)
        packet._overloads["default"] = PrimOverload(packet, prim)
    return packet.default  # type: ignore[return-value]


def run_program(program: Program, ints: Sequence[int], inputs: Sequence[Any]) -> list[Any]:
    """The outputs of a program on tensors (and numbers for its scalars), primitive by primitive; symbol i is
    ints[i].
    """
    program = inline_calls(program)
    value: dict[Var, Any] = dict(zip(program.inputs, inputs, strict=True))
    for e in program.eqns:
        xs = [value[v] for v in e.inputs]
        # a number fits any shape elsewhere
        if e.prim.name not in _FIT and (e.prim.kind != "pointwise" or not _has_operator(e.prim.name)):
            xs = [_filled(x, v, ints) if v.shape else x for x, v in zip(xs, e.inputs, strict=True)]
        if e.prim.name == "recurrence":
            found = _over_rows(e.params, ints, xs)
        else:
            found = _run(e, xs, substitute_all(e.params, ints))
        if e.prim.kind == "pointwise" and isinstance(found, Tensor) and found.ndim != e.outputs[0].ndim:
            found = METHODS["expand"](found, substitute(tuple(e.outputs[0].shape), ints))
        value.update(zip(e.outputs, found if e.prim.multiple else (found,), strict=True))
    return [_filled(value[v], v, ints) for v in program.outputs]


_FIT = frozenset({"broadcast_in_dim", "constant"})


def _has_operator(name: str) -> bool:
    return name in _SAME or name in _RENAMED or name in _SPECIAL


def _filled(x: Any, v: Var, ints: Sequence[int]) -> Tensor:
    """A tensor as it is; for a number that stands for a value, the tensor that holds it everywhere."""
    return x if isinstance(x, Tensor) else TABLE["full"](substitute(tuple(v.shape), ints), x, dtype=v.dtype)


def substitute_all(params: dict[str, Any], ints: Sequence[int]) -> dict[str, Any]:
    """A primitive's parameters with the sizes of this call in the place of symbols."""
    return {k: substitute(v, ints) for k, v in params.items()}


def _over_rows(params: dict[str, Any], ints: Sequence[int], xs: list[Any]) -> list[Any]:
    """The results of a recurrence: its body runs for each row, on its results for the row before."""
    constants, rows, carried = parted(xs, params["counts"])
    made = []
    order = range(rows[0].shape[0])
    for t in reversed(order) if params["reverse"] else order:
        own = [METHODS["select"](x, 0, t) for x in rows]
        made.append(run_program(params["body"], ints, [*constants, *own, *carried]))
        carried = made[-1][: len(carried)]
    return [TABLE["stack"](list(y)) for y in zip(*(made[::-1] if params["reverse"] else made), strict=True)]


def _tensor(x: Any, v: Var) -> Tensor:
    return x if isinstance(x, Tensor) else TABLE["full"]((), x, dtype=v.dtype)


def _run(e: Eqn, xs: list[Any], params: dict[str, Any]) -> Any:
    name = e.prim.name
    special = _SPECIAL.get(name)
    if special is not None:
        found = special(e, xs, params)
        if found is not NotImplemented:
            return found
    if name in _SAME or name in _RENAMED:
        xs = [
            x if isinstance(x, Tensor) or i and name in _NUMBERED and not isinstance(x, bool) else _tensor(x, v)
            for i, (x, v) in enumerate(zip(xs, e.inputs, strict=True))
        ]
        return TABLE[_RENAMED.get(name, name)](*xs)
    return prim_overload(e.prim)(*(_tensor(x, v) for x, v in zip(xs, e.inputs, strict=True)), **params)


def _broadcast(e: Eqn, xs: list[Any], p: dict[str, Any]) -> Any:
    shape, dims, x = p["shape"], p["dims"], xs[0]
    if not isinstance(x, Tensor):
        return x  # a number fits any shape
    if x.ndim and x.ndim != len(shape) or any(d != i for i, d in enumerate(dims)):
        x = (
            METHODS["view"](x, tuple(x.shape[dims.index(i)] if i in dims else 1 for i in range(len(shape))))
            if x.is_contiguous()
            else METHODS["reshape"](x, tuple(x.shape[dims.index(i)] if i in dims else 1 for i in range(len(shape))))
        )
    return x if tuple(x.shape) == tuple(shape) else METHODS["expand"](x, shape)


def _slice(e: Eqn, xs: list[Any], p: dict[str, Any]) -> Any:
    if any(s < 1 for s in p["steps"]):
        return NotImplemented
    x = xs[0]
    for d, (start, size, step) in enumerate(zip(p["starts"], p["sizes"], p["steps"], strict=True)):
        if (start, size, step) != (0, x.shape[d], 1):
            x = x[(slice(None),) * d + (slice(start, start + (size - 1) * step + 1 if size else start, step),)]
    return x


def _convert(e: Eqn, xs: list[Any], p: dict[str, Any]) -> Any:
    if not isinstance(xs[0], Tensor):
        return xs[0]
    return xs[0] if xs[0].dtype is p["dtype"] else METHODS["to"](xs[0], p["dtype"])


def _constant(e: Eqn, xs: list[Any], p: dict[str, Any]) -> int | float | Tensor:
    value = p["value"]
    return (
        value
        if not e.outputs[0].shape and p["dtype"].kind in "fiub" and isinstance(value, (int, float))
        else TABLE["full"]((), value, dtype=p["dtype"])
    )


def _reduce(name: str) -> Callable[[Eqn, list[Any], dict[str, Any]], Any]:
    def run(e: Eqn, xs: list[Any], p: dict[str, Any]) -> Any:
        dims = tuple(p["dims"])
        if not dims:
            return xs[0]
        if name in ("all", "any") and xs[0].dtype is not dt.bool_:
            return NotImplemented
        return TABLE[name](xs[0], dims)

    return run


def _dot(e: Eqn, xs: list[Any], p: dict[str, Any]) -> Tensor:
    a, b = xs
    return TABLE["mm"](a, b) if a.ndim == 2 else TABLE["bmm"](a, b) if a.ndim == 3 else TABLE["matmul"](a, b)


def _pad(e: Eqn, xs: list[Any], p: dict[str, Any]) -> Any:
    if any(p["interior"]) or isinstance(xs[1], Tensor):
        return NotImplemented
    around = [n for low, high in zip(reversed(p["low"]), reversed(p["high"]), strict=True) for n in (low, high)]
    return TABLE["nn.functional.pad"](xs[0], tuple(around), "constant", xs[1])


def _extreme(side: str) -> Callable[[Eqn, list[Any], dict[str, Any]], Any]:
    """max(x, number) is a clamp: NaN stays NaN in both."""

    def run(e: Eqn, xs: list[Any], p: dict[str, Any]) -> Any:
        tensors = [x for x in xs if isinstance(x, Tensor)]
        if len(tensors) != 1 or not tensors[0].ndim and e.outputs[0].shape:
            return NotImplemented
        number = next(x for x in xs if not isinstance(x, Tensor))
        return TABLE["clamp"](tensors[0], **{side: number})

    return run


_SPECIAL: dict[str, Callable[[Eqn, list[Any], dict[str, Any]], Any]] = {
    "broadcast_in_dim": _broadcast,
    "slice": _slice,
    "convert": _convert,
    "constant": _constant,
    "dot": _dot,
    "pad": _pad,
    "max": _extreme("min"),
    "min": _extreme("max"),
    "reshape": lambda e, xs, p: METHODS["reshape"](xs[0], p["shape"]) if isinstance(xs[0], Tensor) else NotImplemented,
    "permute": lambda e, xs, p: (
        xs[0] if tuple(p["perm"]) == tuple(range(len(p["perm"]))) else TABLE["permute"](xs[0], tuple(p["perm"]))
    ),
    "diagonal": lambda e, xs, p: TABLE["diagonal"](xs[0], p["offset"], p["dim1"], p["dim2"]),
    "concatenate": lambda e, xs, p: TABLE["cat"](xs, p["dim"]),
    "select": lambda e, xs, p: TABLE["where"](*xs),
    "conj": lambda e, xs, p: TABLE["conj"](xs[0]),
    "reduce_sum": _reduce("sum"),
    "reduce_max": _reduce("amax"),
    "reduce_min": _reduce("amin"),
    "reduce_and": _reduce("all"),
    "reduce_or": _reduce("any"),
    "cumsum": lambda e, xs, p: NotImplemented if p["reverse"] else TABLE["cumsum"](xs[0], p["dim"]),
}
