"""Tracing: an operator's body is run once on tracers that stand for the values of a call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight.core import dtypes as dt
from rushlight.core import locks, warning
from rushlight.core import raw as _raw
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param, is_special_number
from rushlight.core.record import CompiledCall
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.arguments import (
    call_body,
    in_terms_of,
    is_int,
    is_plain_number,
    number,
    out_holds,
    unfit_out,
    with_sizes,
    wrong_device,
)
from rushlight.operators.table.compile import compile_call, compile_count, differentiated
from rushlight.operators.table.node_names import node_name
from rushlight.operators.table.traced import Origin, Traced
from rushlight.operators.table.tracer import RealNumber, Tracer, convert, set_default, tracer
from rushlight.program.ir import Builder, Program, Var
from rushlight.program.sym import Sym, SymEnv

# Plain ints: reading an enum's value takes longer than the comparison.
TENSOR, TENSORS, SCALAR, INT, INTS, OPERAND, REAL, SIZES = map(
    int,
    (Kind.P_TENSOR, Kind.P_TENSORS, Kind.P_SCALAR, Kind.P_INT, Kind.P_INTS, Kind.P_OPERAND, Kind.P_REAL, Kind.P_SIZES),
)
NUMBERS = (SCALAR, OPERAND)


class _Args:
    """Turns the values of a call into tracers, and remembers where each symbol, tensor and number comes from."""

    def __init__(self, builder: Builder, needs_grad: bool, of_caller: bool) -> None:
        self.b, self.needs_grad = builder, needs_grad
        self.of_caller = of_caller  # ints come from a caller, not from the sizes of a derived program
        self.tensors: list[Var] = []
        self.scalars: list[Var] = []
        self.sources: list[tuple[Any, ...]] = []
        self.active: list[int] = []
        self.bound: list[Any] = []  # the arguments as the body gets them
        self.compared: list[tuple[int, str, float, int, bool]] = []  # what the body asked of numbers, and the answers
        self.n_ints = 0

    def tensor(self, t: Tensor) -> Tracer:
        shape: list[Any] = []
        for d, s in enumerate(t.shape):
            if s == 1:
                shape.append(1)
            else:
                self.sources.append(("size", len(self.tensors), d))
                shape.append(self.b.env.new(s))
        v = Var(shape, t.dtype, "tensor")
        if self.needs_grad and t.requires_grad:
            self.active.append(len(self.tensors))
        self.tensors.append(v)
        return tracer(v)

    def int(self, value: Any) -> Any:
        value = value.__index__()
        k = self.n_ints
        self.n_ints += 1
        if -1 <= value <= 1:
            return value
        self.sources.append(("int", k))
        if self.of_caller:
            self.b.env.given |= {len(self.b.env.hints)}
        return self.b.env.new_signed(value, f"i{k}") if value < 0 else self.b.env.new(value, f"i{k}")

    def size(self, value: Any) -> Any:
        self.sources.append(("int", self.n_ints))
        self.n_ints += 1
        env = self.b.env
        env.given |= {len(env.hints)}
        return env.new_signed(value, f"i{self.n_ints - 1}")

    def number(self, value: Any) -> Tracer:
        if not isinstance(value, (bool, int, float, complex)):
            value = value.item()
        kind = (
            dt.bool_
            if isinstance(value, bool)
            else (dt.int64 if value < 1 << 63 else dt.uint64)
            if isinstance(value, int)
            else dt.float64
            if isinstance(value, float)
            else dt.complex128
        )
        v = Var((), kind, "scalar")
        self.scalars.append(v)
        t = tracer(v, number=True)
        t.given = value, len(self.scalars) - 1, self.compared
        return t

    def bind(self, p: Param, value: Any) -> Any:
        kind = p.kind
        if (p.fixed and value is p.default) or is_special_number(p, value):
            return value
        if value is None:
            return None
        if kind == TENSOR or (kind == OPERAND and isinstance(value, Tensor)):
            return self.tensor(value)
        if kind == TENSORS:
            return [None if t is None else self.tensor(t) for t in value]
        if kind == SCALAR and isinstance(value, Tensor):
            return self.number(value.item())
        if kind in NUMBERS:
            x = self.number(value)
            x.below_zero = p.by_sign and isinstance(value, int) and value < 0
            return x
        if kind == INT:
            return self.int(value)
        if kind == INTS:
            return tuple(self.int(v) for v in value) if isinstance(value, (tuple, list)) else self.int(value)
        value = python_value(value)
        if kind == REAL and is_real(value):
            v = Var((), dt.float64, "scalar")
            self.scalars.append(v)
            return RealNumber.of(v, value, len(self.scalars) - 1, self.compared)
        if kind == SIZES:
            if isinstance(value, (tuple, list)) and all(v is None or is_size(v) for v in value):
                return tuple(v if v is None else self.size(v.__index__()) for v in value)
            return self.size(value.__index__()) if is_size(value) else value
        return value


def numbers_given(op: Operator, values: Sequence[Any]) -> list[Any]:
    """The numbers among a call's arguments that are given at launch, as its program takes them."""
    found = []
    for p, value in zip(op.params, values, strict=True):
        if value is None or (p.fixed and value is p.default) or is_special_number(p, value):
            continue
        if isinstance(value, Tensor):
            if p.kind in (TENSOR, OPERAND):
                continue
            value = value.item()  # of a parameter that is a number
        if p.kind in NUMBERS or (p.kind == REAL and is_real(python_value(value))):
            found.append(float(value) if p.kind == REAL else value)
    return found


def operands(op: Operator, values: Sequence[Any]) -> tuple[list[Tensor], list[int], list[Any]]:
    """The tensors, ints and numbers with which a call's plan is launched, as its program takes them."""
    tensors: list[Tensor] = []
    ints: list[int] = []
    for p, value in zip(op.params, values, strict=True):
        if value is None or (p.fixed and value is p.default) or is_special_number(p, value):
            continue
        several = list(value) if isinstance(value, (tuple, list)) else [value]
        if p.kind in (TENSOR, TENSORS, OPERAND):
            tensors += [t for t in several if isinstance(t, Tensor)]
        elif p.kind in (INT, INTS) or (p.kind == SIZES and all(v is None or is_size(v) for v in several)):
            ints += [v.__index__() for v in several if v is not None]
    return tensors, ints, numbers_given(op, values)


def is_real(value: Any) -> bool:
    """Whether a parameter of a real number takes this as one given at launch."""
    return type(value) is float or (type(value) is int and -(2**53) <= value <= 2**53)


def is_size(value: Any) -> bool:
    """Whether a parameter of sizes takes this as an int given at launch."""
    return not isinstance(value, bool) and is_int(value) and -(2**62) < value.__index__() < 2**62


def python_value(value: Any) -> Any:
    """A static argument with Python's numbers in the place of NumPy's and of tensors of one element."""
    if value is None or type(value) in (bool, int, float, complex, str):
        return value
    if type(value) in (tuple, list):
        return type(value)(map(python_value, value))
    for plain in (int, float, complex):
        if isinstance(value, plain):
            return plain(value)  # type: ignore[arg-type]  # an int is made of an int
    if isinstance(value, Tensor):
        return value.item()
    if hasattr(value, "item"):
        return number(value) if is_plain_number(value) else value
    return value


def described(op: Operator, values: Sequence[Any], needs_grad: bool) -> list[Any]:
    """A call's arguments as far as a trace depends on them, but for what it asks about sizes and numbers: descriptions
    of tensors, sizes and numbers; static arguments as they are.
    """
    return [_description(p, value, needs_grad) for p, value in zip(op.params, values, strict=True)]


def _description(p: Param, value: Any, needs_grad: bool) -> Any:
    """An argument as `_Args.bind` takes it."""
    kind = p.kind
    if p.fixed and value is p.default:
        return ("default",)
    if is_special_number(p, value):
        return "special", value
    if value is None:
        return None
    if kind == TENSOR or (kind == OPERAND and isinstance(value, Tensor)):
        return _tensor_in_words(value, needs_grad)
    if kind == TENSORS:
        return "tensors", *[None if t is None else _tensor_in_words(t, needs_grad) for t in value]
    if kind in NUMBERS:
        if not isinstance(value, (bool, int, float, complex)):
            value = value.item()
        wide = isinstance(value, int) and value >= 1 << 63
        return "number", type(value).__name__, wide, p.by_sign and isinstance(value, int) and value < 0
    if kind == INT:
        return "int", _int_in_words(value)
    if kind == INTS:
        several = isinstance(value, (tuple, list))
        return "ints", *map(_int_in_words, value if several else (value,)), several
    value = python_value(value)
    if kind == REAL and is_real(value):
        return ("real",)
    if kind == SIZES and isinstance(value, (tuple, list)) and all(v is None or is_size(v) for v in value):
        return "sizes", *[v is None for v in value]
    if kind == SIZES and is_size(value):
        return ("size",)
    return "static", value


def _tensor_in_words(t: Tensor, needs_grad: bool) -> Any:
    return t.dtype.name, tuple([n == 1 for n in t.shape]), needs_grad and t.requires_grad


def _int_in_words(value: Any) -> Any:
    value = value.__index__()
    return value if -1 <= value <= 1 else "less" if value < 0 else "more"


def check_has_tensor(op: Operator, values: Sequence[Any]) -> None:
    """TypeError for a call whose operands are all numbers."""
    given = [(p.name, v) for p, v in zip(op.params, values, strict=True) if p.kind in (OPERAND, TENSOR)]
    if not any(isinstance(v, Tensor) for _, v in given):
        names = ", ".join(name for name, v in given if v is not None)
        raise TypeError(f"{op.name}(): one of the arguments {names} must be Tensor; found numbers alone")


def trace(op: Operator, values: Sequence[Any], needs_grad: bool = False) -> tuple[Program, _Args, Any]:
    """Run an operator's body on tracers that stand for `values`; returns the program, where its inputs come from, and
    the result's structure.
    """
    if not op.definition.of_numbers:
        check_has_tensor(op, values)
    b = Builder(SymEnv(), of_body=True)
    args = _Args(b, needs_grad, op.definition.shape_class != "internal")
    try:
        with b:
            args.bound = [args.bind(p, v) for p, v in zip(op.params, values, strict=True)]
            result = call_body(op, args.bound)
            outputs, structure = flatten_result(op, result)
    except (TypeError, ValueError, RuntimeError, IndexError) as error:
        with_sizes(error, b.env.hints)
        raise
    b.inputs = args.tensors + args.scalars
    return b.build(outputs), args, structure


def flatten_result(op: Operator, result: Any) -> tuple[list[Var], Callable[[list[Any]], Any] | None]:
    """The program values of a body's result, and how to rebuild the result from tensors (None: a single tensor)."""
    if isinstance(result, Tracer):
        return [result.var], None
    if isinstance(result, (tuple, list)) and all(isinstance(r, Tracer) for r in result):
        kind = type(result)
        make: Any = tuple.__new__  # of the elements, where the class takes them one by one
        wrap = kind if kind in (tuple, list) else functools.partial(make, kind)
        return [r.var for r in result], wrap
    raise TypeError(f"{op.name}: the operator's body must return tensors, it returned {type(result).__name__}")


def _memory_format(op: Operator, values: Sequence[Any]) -> str:
    """What the operator says of its results' strides, for this call."""
    given: str = op.definition.memory_format
    if given == "base":
        return "" if isinstance(values[0], Tensor) else "rows"
    return given


def miss(op: Operator, values: Sequence[Any], out: Any, needs_grad: bool) -> CompiledCall:
    """The compiled call for one that the cache does not know: of the disk, or traced, differentiated and compiled."""
    with locks.tracing, locks.no_collections():
        from rushlight.operators.table import kept  # under the lock: a child forked amid an import could not import

        if op.definition.out_decides:
            values = _decided(op, values, out)
        check_devices(op, values)
        _tell_again(op, values)
        name = kept.name_of(op, values, described(op, values, needs_grad), out)
        call: CompiledCall | None = None
        if name is not None:
            given = operands(op, values)
            again = _Again(op, values, needs_grad, destinations(op, values, out))
            call = kept.find(name, op, functools.partial(node_name, op, values), given, again)
        if call is None:
            call = _compiled(op, values, out, needs_grad, name)
        else:
            compile_count[0] += 1
        call.executable.belongs_to(op.name.lstrip("_"))
        return call


def _compiled(op: Operator, values: Sequence[Any], out: Any, needs_grad: bool, name: str | None) -> CompiledCall:
    """The compiled call by a trace, which is kept on disk under a name if it has one."""
    from rushlight.compiler.counters import count
    from rushlight.operators.table import kept

    count("calls_traced")
    try:
        with warning.noted() as notes:
            program, args, structure = trace(op, values, needs_grad)
    except Exception as error:
        better = in_terms_of(op, values, error)
        if better is error:
            raise
        raise better from error
    if out is not None:
        check_count(op, out, len(program.outputs), structure is None)
    if op.inplace:
        check_shape(op, values[0], program.outputs[0])
    dests = destinations(op, values, out)
    if dests:
        program = cast_outputs(op, program, dests)
    try:
        call, found, plan = compile_call(
            program,
            args.sources,
            len(args.tensors),
            len(args.scalars),
            args.active,
            structure,
            node_name(op, values),
            views=op.is_view,
            memory_format=_memory_format(op, values),
            **_differentiation(op),
        )
    except OverflowError as error:
        raise RuntimeError(
            f"{op.name}(): the sizes or strides that the arguments ask for do not fit into 64 bits"
        ) from error
    call.valid_for(args.compared)
    call.warned = notes or None
    backward = None if found.derivative is None else found.derivative.backward
    traced = Traced(program, args.bound, structure, backward, found.again)
    env = found.forward.env
    if call.derivative is not None:
        if op.definition.of_calls:
            pairs = zip(call.derivative.active, call.derivative.grads, strict=True)
            reached = [(i, k) for i, k in pairs if k is not None]
            call.derivative.active, call.derivative.grads = [i for i, _ in reached], [k for _, k in reached]
        call.derivative.runs_once = call.derivative.runs_once or op.definition.runs_once
        call.derivative.origin = Origin(op, structure, lambda: traced, env.hints)
    if name is not None:
        kept.keep(name, call, traced, plan, env, args.sources, args.compared)
    return call


def _differentiation(op: Operator) -> dict[str, Any]:
    """How an operator's program is differentiated."""
    definition = op.definition
    return {
        "overwritten": 0 if op.inplace else None,
        "zero_gradient": definition.zero_gradient,
        "keep_results": definition.keep_results,
    }


def destinations(op: Operator, values: Sequence[Any], out: Any) -> list[Tensor]:
    """The tensors that a call writes to."""
    return [values[0]] if op.inplace else [] if out is None else [out] if isinstance(out, Tensor) else list(out)


class _Like(NamedTuple):
    """What a trace needs of a tensor, which is not its memory."""

    dtype: dt.dtype
    shape: tuple[int, ...]
    requires_grad: bool

    def tensor(self) -> Tensor:
        """A tensor without memory that is like it."""
        made = _raw.empty_meta(self.dtype, self.shape)
        return made.requires_grad_() if self.requires_grad else made


def _like(p: Param, v: Any) -> Any:
    """An argument as a trace needs it."""
    if p.kind == TENSORS and v is not None:
        return [x if x is None else _like_tensor(x) for x in v]
    if isinstance(v, Tensor) and p.kind in (TENSOR, OPERAND):
        return _like_tensor(v)
    return v.item() if isinstance(v, Tensor) else v


def _like_tensor(t: Tensor) -> _Like:
    return _Like(t.dtype, tuple(t.shape), t.requires_grad)


def _again(v: Any) -> Any:
    """The argument of which `_like` has made `v`."""
    if type(v) is list:
        return [_again(x) for x in v]
    return v.tensor() if isinstance(v, _Like) else v


class _Again:
    """Traces a call that was loaded from disk, when somebody looks into its programs."""

    def __init__(self, op: Operator, values: Sequence[Any], needs_grad: bool, dests: Sequence[Tensor]) -> None:
        self.op, self.needs_grad, self.default = op, needs_grad, dt.default[0]
        self.values = [_like(p, v) for p, v in zip(op.params, values, strict=True)]
        self.dests: list[Any] = [_like_tensor(t) for t in dests]  # (of these the dtype is looked at)
        self.found: Traced | None = None

    def __call__(self) -> Traced:
        with locks.tracing, locks.no_collections():
            if self.found is None:
                self.found = self.traced()
        return self.found

    def traced(self) -> Traced:
        """The trace, by the default dtype of the call."""
        from rushlight.compiler.counters import count

        count("calls_traced")
        before = dt.default[0]
        set_default(self.default)
        try:
            with warning.noted():  # (the call has given them)
                program, args, structure = trace(self.op, [_again(v) for v in self.values], self.needs_grad)
            if self.dests:
                program = cast_outputs(self.op, program, self.dests)
            found = differentiated(program, args.active, len(args.tensors), **_differentiation(self.op))
        finally:
            set_default(before)
        backward = None if found.derivative is None else found.derivative.backward
        return Traced(program, args.bound, structure, backward, found.again)


def _tell_again(op: Operator, values: Sequence[Any]) -> None:
    """Tell listeners that an operator is traced again, if it was traced before."""
    from rushlight.compiler import events

    if not events.heard("recompiles"):
        traced.clear()
        return
    before = traced.get(id(op))
    shown = ", ".join(map(_shown, values))
    if before is not None and before[0] is op:
        events.tell("recompiles", f"{op.name}() is traced for ({shown}); before for ({before[1]})")
    traced[id(op)] = op, shown


traced: dict[int, tuple[Operator, str]] = {}  # the last trace of each operator, while somebody listens


def _shown(value: Any) -> str:
    """An argument in words; of a tensor, the properties on which a trace depends."""
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}{' with gradient' if value.requires_grad else ''}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    return repr(value)


def check_devices(op: Operator, values: Sequence[Any]) -> None:
    """All tensors must be on one device; 0-d CPU tensors and numbers go with any."""
    found: dict[Any, None] = {}
    for v in values:
        for t in v if isinstance(v, (tuple, list)) else (v,):
            if isinstance(t, Tensor) and not isinstance(t, Tracer) and not (t.ndim == 0 and t.device.type == "cpu"):
                found[t.device] = None
    if len(found) > 1:
        if op.name == "copy_":  # the one operator between devices; nothing is copied to a device without data
            if values[0].device.type != "meta":
                wrong_device(op.name, values[0], True)
            return
        raise RuntimeError(f"{op.name}(): the tensors must all be on one device; found {' and '.join(map(str, found))}")


def check_count(op: Operator, out: Any, n: int, single: bool) -> None:
    """TypeError for an out= that is not the tensor, or the tuple of n tensors, that the operator returns."""
    if isinstance(out, Tensor) == single and (single or len(out) == n or (op.definition.some_out and len(out) < n)):
        return
    wanted = "Tensor" if single else f"tuple of {n} Tensors"
    raise TypeError(
        f"{op.name}(): argument 'out' must be {wanted}, not "
        f"{type(out).__name__}{'' if isinstance(out, Tensor) else f' of {len(out)}'}"
    )


def check_shape(op: Operator, dest: Tensor, result: Var) -> None:
    """RuntimeError for an in-place call whose result has another shape than the tensor; an empty tensor is no
    exception, as it is with out=.
    """
    found = [n.env.hint(n) if isinstance(n, Sym) else n for n in result.shape]
    if list(dest.shape) != found:
        raise RuntimeError(
            f"{op.name}(): the destination has the shape {list(dest.shape)}, which a result of the "
            f"shape {found} does not fit"
        )


def _decided(op: Operator, values: Sequence[Any], out: Any) -> Sequence[Any]:
    """The arguments, with the dtype of `out` where none is given."""
    at = op.index["dtype"]
    if not isinstance(out, Tensor) or values[at] is not None:
        return values
    return [*values[:at], out.dtype, *values[at + 1 :]]


def cast_outputs(op: Operator, program: Program, dests: Sequence[Tensor]) -> Program:
    """The program whose outputs have the dtypes of their destinations."""
    b = Builder(program.env)
    with b:
        outs = []
        for i, v in enumerate(program.outputs):
            if i < len(dests) and v.dtype is not dests[i].dtype:
                if not out_holds(op.name, v.dtype, dests[i].dtype):
                    raise unfit_out(op.name, v.dtype, dests[i].dtype)
                v = convert(tracer(v), dests[i].dtype).var
            outs.append(v)
    return Program(program.env, program.inputs, [*program.eqns, *b.eqns], outs)


upcalls.miss = miss
