"""The operator table: from one Python function to everything else.

`@operator` reads a function's signature and makes the `Operator` handle (function, method, in-place variant, out=). A
call that misses the cache comes back here: the body is run once on tracers, the program is differentiated if a gradient
is needed, compiled, and handed to the core as a `CompiledCall`.
"""

from __future__ import annotations

import copyreg
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rushlight.core import dtypes as dt
from rushlight.core import locks
from rushlight.core import tensor as _core
from rushlight.core.dispatch import (
    KIND_NAMES,
    CompiledCall,
    Derivative,
    Method,
    Named,
    Operator,
    Param,
    is_special_number,
)
from rushlight.core.execute import Executable
from rushlight.core.tensor import Tensor
from rushlight.operators._arguments import (
    in_terms_of,
    requires_grad_out,
    unfit_out,
    with_sizes,
    wrong_argument,
    wrong_device,
)
from rushlight.operators._node_names import node_name, usual_name
from rushlight.operators._tracer import RealNumber, Tracer, convert, tracer
from rushlight.program.ir import Builder, Program, Var, live
from rushlight.program.sym import Sym, SymEnv, hint

TABLE: dict[str, Operator] = {}  # every operator by its public name ("add", "nn.functional.gelu", ...)
FUNCTIONS: dict[str, Any] = {}  # public functions without tensors to dispatch on, and classes (Generator, finfo, ...)
METHODS: dict[str, Operator] = {}  # what is attached to Tensor
compile_count = [0]  # programs traced and compiled in this process; tests assert on it

# Python's operator syntax -> slot of the core
SLOTS = {
    "add": 0,
    "sub": 1,
    "rsub": 2,
    "mul": 3,
    "true_divide": 4,
    "_rdiv": 5,
    "floor_divide": 6,
    "_rfloordiv": 7,
    "remainder": 8,
    "pow": 9,
    "matmul": 10,
    "bitwise_and": 11,
    "bitwise_or": 12,
    "bitwise_xor": 13,
    "bitwise_left_shift": 14,
    "bitwise_right_shift": 15,
    "neg": 16,
    "abs": 17,
    "bitwise_not": 18,
    "positive": 19,
    "add_": 20,
    "sub_": 21,
    "mul_": 22,
    "true_divide_": 23,
    "floor_divide_": 24,
    "remainder_": 25,
    "pow_": 26,
    "bitwise_and_": 27,
    "bitwise_or_": 28,
    "bitwise_xor_": 29,
    "bitwise_left_shift_": 30,
    "bitwise_right_shift_": 31,
    "lt": 32,
    "le": 33,
    "eq": 34,
    "ne": 35,
    "gt": 36,
    "ge": 37,
}

# What `__torch_function__` is handed for Python's syntax, where that is not the method of the operator's name.
SHOWN = {
    "rsub": "__rsub__",
    "true_divide": "div",
    "_rdiv": "__rtruediv__",
    "floor_divide": "__floordiv__",
    "_rfloordiv": "__rfloordiv__",
    "pow": "__pow__",
    "pow_": "__ipow__",
    "true_divide_": "div_",
    "eq": "__eq__",
    "bitwise_and": "__and__",
    "bitwise_or": "__or__",
    "bitwise_xor": "__xor__",
    "bitwise_left_shift": "__lshift__",
    "bitwise_right_shift": "__rshift__",
    "bitwise_not": "__invert__",
    "bitwise_and_": "__iand__",
    "bitwise_or_": "__ior__",
    "bitwise_xor_": "__ixor__",
    "bitwise_left_shift_": "__ilshift__",
    "bitwise_right_shift_": "__irshift__",
}

# The operators of SLOTS whose reflected syntax calls them with the number first: what is handed then is the reflected
# method, with the tensor first.
REFLECTED = {
    "remainder": "__rmod__",
    "pow": "__rpow__",
    "matmul": "__rmatmul__",
    "bitwise_left_shift": "__rlshift__",
    "bitwise_right_shift": "__rrshift__",
}
SYNTAX: dict[Any, tuple[Operator, bool]] = {}  # what is handed -> its operator, and whether the operands change places

# Annotations as they are written in the table -> parameter kind. "Operand" is a tensor or a number; "Number", "float",
# "Int", "Ints" and "Sizes" are given at launch (no recompilation for a new value); every other annotation is static:
# part of the cache key.
_KINDS = {
    "Tensor": "tensor",
    "Tensors": "tensors",
    "Operand": "operand",
    "Number": "scalar",
    "Int": "int",
    "Ints": "ints",
    "float": "real",
    "Real": "real",
    "Sizes": "sizes",
}


class Definition:
    """The Python side of an operator: its body, namespace, variants and documentation."""

    zero_gradient = False  # constant piece by piece: its result requires grad, and the gradient is zero
    memory_format = ""  # whose order of dimensions results have
    # (operator, values) -> the values of calls that need programs of their own, to be made with the first (_kin.py)
    kin: Callable[..., list[list[Any]]] | None = None
    keep_results = True  # the backward may read the results, which must not be overwritten then

    def __init__(self, name: str, body: Callable[..., Any], *, namespace: str | None, shape_class: str) -> None:
        self.name, self.body, self.namespace, self.shape_class = name, body, namespace, shape_class
        self.label = usual_name(name, namespace)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.body.__doc__

    @property
    def source(self) -> str:
        """File and line of the definition."""
        code = self.body.__wrapped__.__code__ if hasattr(self.body, "__wrapped__") else self.body.__code__
        return f"{code.co_filename}:{code.co_firstlineno}"


def parameters(body: Callable[..., Any], *, varargs: str | None = None, specialize: Sequence[str] = ()) -> list[Param]:
    """The parameters of a body from its code object and annotations."""
    fn = getattr(body, "__wrapped__", body)
    code = fn.__code__
    n, k = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames[: n + k]
    defaults = dict(zip(names[n - len(fn.__defaults__ or ()) : n], fn.__defaults__ or (), strict=True)) | (
        fn.__kwdefaults__ or {}
    )
    out = []
    for i, name in enumerate(names):
        note = fn.__annotations__.get(name, "Any")
        # a class, without postponed annotations
        note = note if isinstance(note, str) else getattr(note, "__name__", str(note))
        base, _, none = note.partition(" | ")
        kind = _KINDS.get(base, "static") if none in ("", "None") or base in ("Sizes", "Real") else "static"
        required = name not in defaults
        default = defaults.get(name)
        out.append(
            Param(
                name,
                kind,
                default,
                required,
                none == "None" or (not required and default is None),
                i >= n,
                name == varargs,
                name in specialize,
            )
        )
    return out


def operator(
    body: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    namespace: str | None = "",
    method: bool = True,
    inplace: bool = False,
    out: bool = True,
    view: bool = False,
    aliases: Sequence[str] = (),
    varargs: str | None = None,
    specialize: Sequence[str] = (),
    shape_class: str = "other",
    register: bool = True,
    zero_gradient: bool = False,
    keep_results: bool = True,
    memory_format: str = "",
    kin: Any = None,
) -> Any:
    """Make an operator of a Python function over primitives and other operators.

    namespace: where it is public besides the method: "" for the package, "nn.functional", "special", None for internal.
    method, inplace, out: which variants exist. view: the result is a view of the first argument, metadata alone.
    varargs: the parameter that collects trailing ints (x.view(2, 3)). specialize: number parameters whose small values
    are static.
    memory_format: whose channels_last order results of the same rank have: that of the "first" tensor, of "any", or of
    "all";
        "rows": results lie row by row whatever the order of operands; "columns": as matrices that lie column by column.
    keep_results: False: the backward computes the results again rather than keep them, so that they may be overwritten.
    zero_gradient: where the derivative vanishes, the result requires grad all the same, and its gradient is zeros
    (floor, sign).
    kin: lists the calls whose programs are made with the first one's, see _kin.py.
    """

    def make(fn: Callable[..., Any]) -> Operator:
        op_name = name or fn.__name__
        definition = Definition(op_name, fn, namespace=namespace, shape_class="view" if view else shape_class)
        definition.zero_gradient, definition.keep_results, definition.memory_format = (
            zero_gradient,
            keep_results,
            memory_format,
        )
        definition.kin = kin
        op = Operator(
            op_name,
            parameters(fn, varargs=varargs, specialize=specialize),
            definition,
            None,
            False,
            view,
            out and not view,
        )
        if register:
            _register(op, op_name, namespace, method, aliases)
            if inplace:
                other = Operator(
                    op_name + "_",
                    parameters(fn, varargs=varargs, specialize=specialize),
                    definition,
                    None,
                    True,
                    False,
                    False,
                )
                other.functional = op
                _register(other, op_name + "_", "", True, [a + "_" for a in aliases])
        return op

    return make if body is None else make(body)


def eager(
    fn: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    namespace: str | None = "",
    method: bool = True,
    out: bool = False,
    aliases: Sequence[str] = (),
    varargs: str | None = None,
    shape_class: str = "composite",
) -> Any:
    """Make an operator of a Python function that runs at every call: for factories, data-dependent results and thin
    compositions.

    It is bound and dispatched (subclasses, devices) like any operator; its derivative is that of the operators it
    calls.
    """

    def make(f: Callable[..., Any]) -> Operator:
        op_name = name or f.__name__
        definition = Definition(op_name, f, namespace=namespace, shape_class=shape_class)
        params = parameters(f, varargs=varargs)
        call = positional(f)
        if out and not any(p.name == "out" for p in params):
            call = copied_to_out(call, op_name)
        op = Operator(op_name, [p for p in params if p.name != "out"], definition, call, False, False, out)
        _register(op, op_name, namespace, method, aliases)
        return op

    return make if fn is None else make(fn)


def copied_to_out(body: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`body` with out=: results whose size only the body finds out are made first, then copied."""

    def call(*args: Any, out: Any = None) -> Any:
        result = body(*args)
        if out is None:
            return result
        results, dests = (result, out) if isinstance(result, tuple) else ((result,), (out,))
        if (
            not isinstance(dests, (tuple, list))
            or len(dests) != len(results)
            or not all(isinstance(d, Tensor) for d in dests)
        ):
            raise TypeError(
                f"{name}(): argument 'out' must be "
                f"{f'a tuple of {len(results)} Tensors' if isinstance(result, tuple) else 'Tensor'}, not "
                f"{type(out).__name__}"
            )
        for r, d in zip(results, dests, strict=True):
            if d.is_meta != r.is_meta or not _core.initialised(d):
                wrong_device(name, d, r.is_meta)
            if d.requires_grad and _core.is_grad_enabled():
                raise requires_grad_out(name)
            if not dt.can_cast(r.dtype, d.dtype):
                raise unfit_out(name, r.dtype, d.dtype)
            if d.shape != r.shape:
                _core.set_storage(d, _core.empty_strided_raw(d.dtype, r.shape, None))
            METHODS["copy_"](d, r)
        return (
            type(result)(*dests) if hasattr(result, "_fields") else tuple(dests) if isinstance(result, tuple) else out
        )

    return call


_Public = TypeVar("_Public", bound=Any)


def function(fn: _Public) -> _Public:
    """Make a plain function or class public in the package."""
    FUNCTIONS[fn.__name__] = fn
    return fn


def positional(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with its keyword-only parameters (but a last one named `out`) taken by position, which is how
    the core calls it.
    """
    code = fn.__code__
    n, k = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames[: n + k]
    if not k or "out" in names[:-1]:
        if k:
            raise TypeError(f"{fn.__name__}: out must be the last parameter")
        return fn
    last = int(names[-1] == "out")
    new = types.FunctionType(
        code.replace(co_argcount=n + k - last, co_kwonlyargcount=last),
        fn.__globals__,
        fn.__name__,
        None,
        fn.__closure__,
    )
    new.__kwdefaults__ = {"out": None} if last else None
    new.__doc__, new.__module__, new.__qualname__ = fn.__doc__, fn.__module__, fn.__qualname__
    return new


def _register(op: Operator, name: str, namespace: str | None, method: bool, aliases: Sequence[str]) -> None:
    if op.params and op.params[0].kind in (0, 6) and "input" not in op.index:
        op.index["input"] = 0  # linalg.det(A) and its kin are documented with one name, and take both
    for n in (name, *aliases):
        if namespace is not None:
            TABLE[f"{namespace}.{n}" if namespace else n] = op
        if method:
            add_method(n, op)
        if n in SLOTS:
            handle = Method(op, n, "")
            handle.shown = vars(Tensor)[SHOWN[n]] if n in SHOWN else vars(Tensor).get(n)
            SYNTAX[handle.shown] = op, False
            if n in REFLECTED:
                SYNTAX[vars(Tensor)[REFLECTED[n]]] = op, True
            _core.set_slot(SLOTS[n], handle)


def add_method(name: str, op: Operator) -> None:
    """Make an operator a method of Tensor."""
    METHODS[name] = op
    _core.attach(name, Method(op, name, ""))


# Namespaces whose functions are named with them: torch.linalg.inv.__name__ is "linalg_inv".
_NAMED_WITH_SPACE = ("fft", "linalg", "special")
ROOT = ["rushlight"]  # the name that the package is known by; compat makes it "torch"


def public(key: str) -> Operator | Named:
    """The object that stands under a public name of the table: the operator, or a handle of its own where the name is
    not the operator's first.
    """
    op = TABLE[key]
    space, _, last = key.rpartition(".")
    own = op.definition.namespace or "" if isinstance(op, Operator) else ""
    if not isinstance(op, Operator) or last == op.name and (space == own or {space, own}.isdisjoint(_NAMED_WITH_SPACE)):
        return op
    if key not in _PUBLIC:
        _PUBLIC[key] = Named(op, last, space)
    return _PUBLIC[key]


def public_names(namespace: str) -> dict[str, Any]:
    """What the table puts into a namespace ("" is the package itself), by name."""
    start = namespace + "." if namespace else ""
    names = [key for key in TABLE if key.startswith(start) and "." not in key[len(start) :]]
    return {key[len(start) :]: public(key) for key in names}


_PUBLIC: dict[str, Named] = {}


def _namespace_of(op: Operator | Named) -> str | None:
    return op.namespace if isinstance(op, Named) else getattr(op.definition, "namespace", None)


def _public_name(op: Operator | Named) -> str:
    space = _namespace_of(op)
    return f"{space}_{op.name}" if space in _NAMED_WITH_SPACE else op.name


def _public_module(op: Operator | Named) -> str:
    space = _namespace_of(op)
    return ROOT[0] if space == "" else "rushlight.operators" if space is None else f"{ROOT[0]}.{space}"


_core.set_hook("public_name", _public_name)
_core.set_hook("public_module", _public_module)


def special_overload(op: Operator, function: Callable[..., Any]) -> None:
    """Let `function(op, values, out)` see a call before it is traced; it returns NotImplemented to let it pass."""
    op.overridden = function


# ------------------------------------------------------------------------------------------------------------- tracing
NUMBERS = (KIND_NAMES["scalar"], KIND_NAMES["operand"])
STATIC, REAL, SIZES = KIND_NAMES["static"], KIND_NAMES["real"], KIND_NAMES["sizes"]


class _Args:
    """Turns the values of a call into tracers, and remembers where each symbol, tensor and number comes from."""

    def __init__(self, builder: Builder, needs_grad: bool, of_caller: bool) -> None:
        self.b, self.needs_grad = builder, needs_grad
        self.of_caller = of_caller  # ints are what a caller writes, not the sizes that a derived program is handed
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
            else dt.int64
            if isinstance(value, int)
            else dt.float64
            if isinstance(value, float)
            else dt.complex128
        )
        v = Var((), kind, "scalar")
        self.scalars.append(v)
        return tracer(v, number=True)

    def bind(self, p: Param, value: Any) -> Any:
        if value is p.default and not p.required and p.kind != STATIC:
            return value
        if p.specialize and is_special_number(value):
            return value
        if value is None:
            return None
        if p.kind == 0 or (p.kind == 6 and isinstance(value, Tensor)):
            return self.tensor(value)
        if p.kind == 1:
            return [None if t is None else self.tensor(t) for t in value]
        if p.kind == 2 and isinstance(value, Tensor):
            return self.number(value.item())
        if p.kind in (2, 6):
            return self.number(value)
        if p.kind == 3:
            return self.int(value)
        if p.kind == 4:
            return tuple(self.int(v) for v in value) if isinstance(value, (tuple, list)) else self.int(value)
        value = python_value(value)
        if p.kind == REAL and is_real(value):
            v = Var((), dt.float64, "scalar")
            self.scalars.append(v)
            return RealNumber.of(v, value, len(self.scalars) - 1, self.compared)
        if p.kind == SIZES:
            if isinstance(value, (tuple, list)) and all(v is None or is_size(v) for v in value):
                return tuple(v if v is None else self.size(v.__index__()) for v in value)
            return self.size(value.__index__()) if is_size(value) else value
        return value


def numbers_given(op: Operator, values: Sequence[Any]) -> list[Any]:
    """Those of a call's arguments that are numbers given at launch, as its program takes them."""
    found = []
    for p, value in zip(op.params, values, strict=True):
        if (
            value is None
            or isinstance(value, Tensor)
            or (value is p.default and not p.required)
            or (p.specialize and is_special_number(value))
        ):
            continue
        if p.kind in NUMBERS or (p.kind == REAL and is_real(python_value(value))):
            found.append(float(value) if p.kind == REAL else value)
    return found


def is_real(value: Any) -> bool:
    """Whether a parameter of a real number takes this as one given at launch."""
    return type(value) is float or (type(value) is int and -(2**53) <= value <= 2**53)


def is_size(value: Any) -> bool:
    """Whether a parameter of sizes takes this as an int given at launch."""
    from rushlight.operators._dispatch import is_int

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
        from rushlight.operators._dispatch import is_number, number

        return number(value) if is_number(value) else value
    return value


def trace(op: Operator, values: Sequence[Any], needs_grad: bool = False) -> tuple[Program, _Args, Any]:
    """Run an operator's body on tracers that stand for `values`; returns the program, where its inputs come from, and
    the result's structure.
    """
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


def call_body(op: Operator, bound: Sequence[Any]) -> Any:
    """Call the body with values in the order of the parameters; TypeError for a static argument of a wrong type."""
    wrong = wrong_argument(op, bound)
    if wrong is not None:
        raise wrong
    n = len([p for p in op.params if not p.keyword_only])
    return op.definition.body(*bound[:n], **{p.name: v for p, v in zip(op.params[n:], bound[n:], strict=True)})


def flatten_result(op: Operator, result: Any) -> tuple[list[Var], Callable[[list[Any]], Any] | None]:
    """The program values of a body's result, and how to rebuild the result from tensors (None: a single tensor)."""
    if isinstance(result, Tracer):
        return [result.var], None
    if isinstance(result, (tuple, list)) and all(isinstance(r, Tracer) for r in result):
        kind = type(result)
        wrap = kind if kind in (tuple, list) else (lambda ts: kind(*ts))
        return [r.var for r in result], wrap
    raise TypeError(f"{op.name}: the operator's body must return tensors, it returned {type(result).__name__}")


def miss(op: Operator, values: Sequence[Any], out: Any, needs_grad: bool) -> CompiledCall:
    """Trace, differentiate and compile a call that the cache does not know."""
    with locks.tracing, locks.no_collections():
        check_devices(op, values)
        try:
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
        dests = [values[0]] if op.inplace else [] if out is None else [out] if isinstance(out, Tensor) else list(out)
        if dests:
            program = cast_outputs(op, program, dests)
        try:
            call = compile_call(
                program,
                args.sources,
                len(args.tensors),
                len(args.scalars),
                args.active,
                structure,
                node_name(op, values),
                views=op.is_view,
                overwritten=0 if op.inplace else None,
                zero_gradient=op.definition.zero_gradient,
                keep_results=op.definition.keep_results,
                memory_format=op.definition.memory_format,
            )
        except OverflowError as error:
            raise RuntimeError(
                f"{op.name}(): the sizes or strides that the arguments ask for do not fit into 64 bits"
            ) from error
        call.executable.belongs_to(op.name.lstrip("_"))
        call.valid_for(args.compared)
        if call.derivative is not None:
            call.derivative.origin = (op, args.bound, program.inputs, structure, program.outputs)
        return call


def check_devices(op: Operator, values: Sequence[Any]) -> None:
    """All tensors must be on one device; 0-d CPU tensors and numbers go with any."""
    found: dict[Any, None] = {}
    for v in values:
        for t in v if isinstance(v, (tuple, list)) else (v,):
            if isinstance(t, Tensor) and not isinstance(t, Tracer) and not (t.ndim == 0 and t.device.type == "cpu"):
                found[t.device] = None
    if len(found) > 1:
        if op.name == "copy_":  # the one operator between devices; to those without data there is nothing to copy
            if values[0].device.type != "meta":
                wrong_device(op.name, values[0], True)
            return
        raise RuntimeError(f"{op.name}(): the tensors must all be on one device; found {' and '.join(map(str, found))}")


def check_count(op: Operator, out: Any, n: int, single: bool) -> None:
    """TypeError for an out= that is not the tensor, or the tuple of n tensors, that the operator returns."""
    if isinstance(out, Tensor) == single and (single or len(out) == n):
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
    found = [hint(s) for s in result.shape]
    if [hint(s) for s in dest.shape] != found:
        raise RuntimeError(
            f"{op.name}(): the destination has the shape {[hint(s) for s in dest.shape]}, which a result of the "
            f"shape {found} does not fit"
        )


def cast_outputs(op: Operator, program: Program, dests: Sequence[Tensor]) -> Program:
    """The program whose outputs have the dtypes of their destinations."""
    b = Builder(program.env)
    with b:
        outs = []
        for i, v in enumerate(program.outputs):
            if i < len(dests) and v.dtype is not dests[i].dtype:
                if not dt.can_cast(v.dtype, dests[i].dtype):
                    raise unfit_out(op.name, v.dtype, dests[i].dtype)
                v = convert(tracer(v), dests[i].dtype).var
            outs.append(v)
    return Program(program.env, program.inputs, [*program.eqns, *b.eqns], outs)


_TYPE_NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex32": "ComplexHalf",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


def type_name(d: dt.dtype) -> str:
    """The name that PyTorch's messages use for a dtype: Float for float32."""
    return _TYPE_NAMES.get(d.name) or d.name.capitalize()


_FORMAT_OF = {"first": 1, "any": 2, "all": 3}  # compiler/plan.py, which is not loaded for nothing


def compile_call(
    program: Program,
    sources: list[tuple[Any, ...]],
    n_tensors: int,
    n_scalars: int,
    active: list[int],
    wrap: Any,
    label: str,
    *,
    views: bool = False,
    overwritten: int | None = None,
    zero_gradient: bool = False,
    keep_results: bool = True,
    memory_format: str = "",
) -> CompiledCall:
    """Differentiate with respect to the `active` inputs, compile, and wrap up for the core."""
    from rushlight import compiler

    call = CompiledCall()
    call.n_outputs, call.wrap = len(program.outputs), wrap
    call.program = program
    forward = program
    if active:
        from rushlight import transforms

        d = transforms.vjp(
            program, active, [i for i, v in enumerate(program.outputs) if v.dtype.kind in "fc"], keep_results
        )
        if (zero_gradient or overwritten in active) and not d.cotangent_outputs:
            d = transforms.zero_vjp(program, active)
        elif overwritten in active:
            # Of what was overwritten the gradient is zero; whoever computed it is told so.
            d = transforms.zero_where_none(d, program, active, overwritten)
        forward = d.forward
        if d.cotangent_outputs:
            own, d = d, differentiable_again(d, program, n_tensors)
            old: dict[int, int] = {}
            residuals: list[tuple[int, int]] = []
            for source, index in d.residuals:
                if source == "input" and index == overwritten:
                    # The destination's old values are needed: the forward program returns a copy of them.
                    forward = Program(
                        forward.env, forward.inputs, forward.eqns, [*forward.outputs, forward.inputs[index]]
                    )
                    if index in active:
                        old[len(residuals)] = active.index(index)
                    source, index = "extra", len(forward.outputs) - 1 - len(program.outputs)
                residuals.append(({"input": 0, "output": 1, "extra": 2}[source], index))
            r = call.derivative = Derivative()
            r.label, r.residuals, r.active, r.backward = label, residuals, list(active), own.backward
            r.cotangent_outputs = list(d.cotangent_outputs)
            r.scalars = [i - n_tensors for i in d.scalars]
            r.n_own, r.own_scalars = own.n_residuals, [i - n_tensors for i in own.scalars]
            r.keeps_number = bool(own.scalars) and label in ("MulBackward0", "DivBackward0")
            r.grads = list(d.grads)
            r.n_syms = len(forward.env.hints)
            r.old = old or None
            r.again = d if any(source == "extra" for source, _ in d.residuals) else None
    compile_count[0] += 1
    plan = compiler.compile_program(forward, views=views)
    if memory_format:
        for a in plan.allocs:
            if a.output is None or a.output >= len(program.outputs):
                continue
            if memory_format == "rows":
                a.like = None
            elif memory_format == "columns":
                a.columns = a.columns or len(a.sizes) >= 2
            # not of an input without a batch
            elif len(a.sizes) in (4, 5) and len(a.sizes) == max(v.ndim for v in program.inputs):
                a.handed = _FORMAT_OF[memory_format]
    # Transforms may have added symbols of their own; they are expressed by the old ones.
    call.executable = Executable(plan, sources, n_tensors, n_scalars)
    return call


def differentiable_again(d: Any, program: Program, n_tensors: int) -> Any:
    """The derivative with what its own derivative needs among its residuals.

    An extra (a reduction's result, say) is a function of the inputs, but to the backward program it is a constant. When
    the backward is differentiated in its turn, extras are computed again from the inputs; so those inputs are residuals
    too.
    """
    extras = list(d.forward.outputs[len(program.outputs) :])
    if not extras:
        return d
    needed: set[Any] = set(extras)
    for e in reversed(d.forward.eqns):
        if any(v in needed for v in e.outputs):
            needed.update(e.inputs)
    have = {index for source, index in d.residuals if source == "input"}
    inputs = d.forward.inputs
    added = [i for i in range(n_tensors) if inputs[i] in needed and i not in have]
    scalars = sorted({*d.scalars, *(i for i in range(n_tensors, len(inputs)) if inputs[i] in needed)})
    n = len(d.residuals)
    b = d.backward
    n_scalars = len(d.scalars)
    old_scalars = dict(zip(d.scalars, b.inputs[len(b.inputs) - n_scalars :], strict=True))
    new_inputs = [
        *b.inputs[:n],
        *(Var(inputs[i].shape, inputs[i].dtype, "tensor") for i in added),
        *b.inputs[n : len(b.inputs) - n_scalars],
        *(old_scalars.get(i) or Var((), inputs[i].dtype, "scalar") for i in scalars),
    ]
    return replace(
        d,
        backward=Program(b.env, new_inputs, b.eqns, b.outputs),
        residuals=(*d.residuals, *(("input", i) for i in added)),
        scalars=tuple(scalars),
    )


def compile_backward(d: Derivative, args: Sequence[Tensor]) -> CompiledCall:
    """The backward program of a derivative, compiled without recording; every symbol is passed as an int."""
    with locks.tracing, locks.no_collections():
        call = compile_sized(d.backward, d.own_scalars)
        call.executable.belongs_to(d.label)
    if d.kin is not None:
        make, d.kin = d.kin, None
        make()
    return call


def compile_sized(program: Program, scalars: list[int]) -> CompiledCall:
    """Compile a program whose symbols are all given as ints; `wrap` of the result lists which of the caller's numbers
    it takes.
    """
    from rushlight import compiler

    compile_count[0] += 1
    call = CompiledCall()
    call.n_outputs, call.wrap, call.program = len(program.outputs), list(scalars), program
    env = program.env.copy()
    env.guards = []
    program = Program(env, program.inputs, program.eqns, program.outputs)
    n_tensors = len([v for v in program.inputs if v.kind != "scalar"])
    plan = compiler.compile_program(program)
    call.executable = Executable(
        plan, [("int", k) for k in range(len(env.hints))], n_tensors, len(program.inputs) - n_tensors
    )
    return call


def backward_operator(d: Derivative, again: bool) -> Operator:
    """The backward program as an operator of (tensors, ints, numbers): how a gradient is itself differentiated or
    batched.

    again: it will be differentiated, so that extras among the residuals are computed from the inputs.
    """
    program = d.backward
    if again:
        program = with_extras_recomputed(d.again)
    return program_operator(program, d.label.replace("Backward0", "BackwardBackward0"))


def with_extras_recomputed(d: Any) -> Program:
    """The backward program of a `transforms.Derivative` with its extras computed from the inputs among its residuals."""
    b, forward = d.backward, d.forward
    n_scalars = len(d.scalars)
    given: dict[int, Var] = {index: v for (source, index), v in zip(d.residuals, b.inputs) if source == "input"}
    given |= dict(zip(d.scalars, b.inputs[len(b.inputs) - n_scalars :], strict=True))
    extras = [(k, index) for k, (source, index) in enumerate(d.residuals) if source == "extra"]
    first = len(forward.outputs) - (1 + max(index for _, index in extras))
    wanted = [forward.outputs[first + index] for _, index in extras]
    with Builder(b.env) as new:
        value = {v: given[i] for i, v in enumerate(forward.inputs) if i in given}

        def emit(eqns: Sequence[Any]) -> None:
            for e in eqns:
                out = new.emit(e.prim, [value[v] for v in e.inputs], e.params)
                value.update(zip(e.outputs, out if e.prim.multiple else (out,), strict=True))

        emit(live(forward.eqns, wanted))
        value.update((v, v) for v in b.inputs)
        for (k, _), v in zip(extras, wanted, strict=True):
            value[b.inputs[k]] = value[v]
        emit(b.eqns)
        new.inputs = list(b.inputs)
        return new.build([value[v] for v in b.outputs])


def program_operator(program: Program, label: str) -> Operator:
    """An operator that runs a program; its symbols are the ints, in order."""
    n_scalars = len([v for v in program.inputs if v.kind == "scalar"])

    def body(tensors: list[Any], ints: tuple[Any, ...], *numbers: Any) -> tuple[Any, ...]:
        from rushlight.operators._tracer import var_of
        from rushlight.transforms.rename import instantiate

        inputs = [var_of(t) for t in tensors] + [var_of(x) for x in numbers]
        if isinstance(ints, (int, Sym)):
            ints = (ints,)
        fitting(label, program, ints, inputs)
        return tuple(tracer(v) for v in instantiate(program, ints, inputs))

    params = [Param("tensors", "tensors", None, True, False, False), Param("ints", "ints", None, True, False, False)]
    params += [Param(f"number{i}", "scalar", None, True, False, False) for i in range(n_scalars)]
    definition = Definition(label, body, namespace="", shape_class="internal")
    definition.label = label
    return Operator(label, params, definition)


def fitting(label: str, program: Program, ints: Sequence[Any], inputs: Sequence[Var]) -> None:
    """RuntimeError for a tensor that is not what a recorded program was made for: what the border of the core says of a
    plan's.
    """
    from rushlight.transforms.rename import substitute

    if len(inputs) != len(program.inputs):
        raise RuntimeError(f"{label}() takes {len(program.inputs)} tensors and numbers; found {len(inputs)}")
    for k, (v, x) in enumerate(zip(program.inputs, inputs, strict=True)):
        expected = [substitute(n, ints) for n in v.shape]
        if v.kind != "scalar" and (
            v.dtype is not x.dtype
            or len(expected) != x.ndim
            or any(a != b for a, b in zip(expected, x.shape, strict=True))
        ):
            raise RuntimeError(
                f"{label}(): operand {k} is {x.dtype} of shape {hints(x.shape)}; expected {v.dtype} of shape "
                f"{hints(expected)}"
            )


def hints(shape: Sequence[Any]) -> list[int]:
    """The sizes of a traced value as they are in this call."""
    return [hint(n) for n in shape]


_core.set_hook("miss", miss)
_core.set_hook("compile_backward", compile_backward)
_core.set_hook("backward_operator", backward_operator)


def operator_named(name: str) -> Operator:
    """The operator of a qualified name, "add" or "nn.functional.gelu": what an operator that an older version pickled
    becomes again.
    """
    return TABLE.get(name) or METHODS[name]


def _reduce_operator(op: Operator | Named) -> Any:
    """How operators are copied and pickled: by their public names, which PyTorch has too; copy.deepcopy of one is the
    one itself (modules keep them as activations).
    """
    if isinstance(op, Method):
        return getattr, (Tensor, op.name)
    return op.name  # in its module; what is not there, pickle refuses, and a copy is the operator itself


_core.set_hook("operator_named", operator_named)
for _kind in (Operator, Named, Method):
    copyreg.pickle(_kind, _reduce_operator)  # type: ignore[arg-type]  # a string is a global's name
