"""The operator table: the declaration of an operator as one Python function.

`@operator` reads a function's signature and makes the `Operator` handle (function, method, in-place variant, out=). A
call that the core's cache does not know is traced (`trace.py`), differentiated and compiled (`compile.py`).
"""

from __future__ import annotations

import copyreg
import types
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param, shared_parameters
from rushlight.core.named import Form, Method, Named
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.arguments import (
    requires_grad_out,
    unfit_out,
    warn_of_resize,
    wrong_argument,
    wrong_device,
)
from rushlight.operators.table.definition import Definition, Shape
from rushlight.operators.table.types import written

TABLE: dict[str, Operator[Tensor]] = {}  # every operator by its public name ("add", "nn.functional.gelu", ...)
FUNCTIONS: dict[str, Any] = {}  # public functions without tensors to dispatch on, and classes (Generator, finfo, ...)
METHODS: dict[str, Operator[Tensor]] = {}  # what is attached to Tensor
IN_PLACE: dict[Operator, Operator] = {}  # the in-place variants of operators
_PUBLIC: dict[str, Named] = {}  # the objects under those names of TABLE that are not the operator's first

# Operators behind Python's syntax -> slot of the core
SLOTS = {name.removeprefix("SLOT_").lower(): slot for name, slot in vars(_core).items() if name.startswith("SLOT_")}

# The function that `__torch_function__` is handed for Python's syntax, where it is not the method of the operator's
# name.
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

# The operators of SLOTS whose reflected syntax calls them with the number first: then `__torch_function__` is handed
# the reflected method, with the tensor first.
REFLECTED = {
    "remainder": "__rmod__",
    "pow": "__rpow__",
    "matmul": "__rmatmul__",
    "bitwise_left_shift": "__rlshift__",
    "bitwise_right_shift": "__rrshift__",
}
SYNTAX: dict[Any, tuple[Operator, bool]] = {}  # handed function -> its operator, whether the operands change places

# Annotations as they are written in the table -> parameter kind. "Operand" is a tensor or a number; "Number", "float",
# "Int", "Ints", "Sizes" and "Whole" are given at launch (no recompilation for a new value); every other one is static:
# part of the cache key.
_KINDS = {
    "Tensor": Kind.P_TENSOR,
    "Tensors": Kind.P_TENSORS,
    "Operand": Kind.P_OPERAND,
    "Number": Kind.P_SCALAR,
    "Int": Kind.P_INT,
    "Ints": Kind.P_INTS,
    "float": Kind.P_REAL,
    "Real": Kind.P_REAL,
    "Sizes": Kind.P_SIZES,
    "Whole": Kind.P_SIZES,
}
_OPERANDS = (Kind.P_TENSOR, Kind.P_OPERAND)


Spaces = str | tuple[str | None, ...] | None  # the namespaces in which an operator is public
R = TypeVar("R")  # an operator's result
SIGN = object()
# Parameters that bodies do not write out, by name: how they are annotated, and their defaults.
Extra = Mapping[str, tuple[str, Any]]
Specialize = Mapping[str, tuple[Any, ...]]  # by the parameter's name: numbers, or SIGN
Like = Mapping[str, str]


def parameters(
    body: Callable[..., Any],
    *,
    varargs: str | None = None,
    specialize: Specialize = MappingProxyType({}),
    like: Like = MappingProxyType({}),
    options: Extra = MappingProxyType({}),
    before: Mapping[str, Extra] = MappingProxyType({}),
) -> list[Param]:
    """The parameters of a body from its code object and annotations; `options` come after its own, `before` says what
    stands before one of them.
    """
    fn = getattr(body, "__wrapped__", body)
    code, notes, given = fn.__code__, fn.__annotations__, fn.__defaults__ or ()
    notes.update({name: written(note) for name, note in notes.items()})
    n, k = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames[: n + k]
    defaults = dict(zip(names[n - len(given) : n], given, strict=True)) | (fn.__kwdefaults__ or {})
    if options or before:
        extra = dict(options) | {name: row for rows in before.values() for name, row in rows.items()}
        notes.update({name: note for name, (note, _) in extra.items()})
        names = (*[name for last in names for name in (*before.get(last, ()), last)], *options)
        defaults |= {name: default for name, (_, default) in extra.items()}
        n += sum(map(len, before.values()))

    def made(name: str, note: str, default: Any, required: bool, keyword_only: bool) -> Param:
        base, _, none = note.partition(" | ")
        plain = none in ("", "None") or base in ("Sizes", "Real")
        special = specialize.get(name, ())
        return Param(
            name,
            _KINDS.get(base, Kind.P_STATIC) if plain else Kind.P_STATIC,
            default,
            required,
            none == "None" or (not required and default is None),
            keyword_only,
            name == varargs,
            frozenset(v for v in special if v is not SIGN),
            SIGN in special,
            names.index(like[name]) if name in like else -1,
        )

    return shared_parameters(names, notes, defaults, n, {*specialize, *like, varargs}, made)


def form(
    *required: str,
    convert: Mapping[str, Callable[[str, Any], object]] | None = None,
    none: Mapping[str, Any] | None = None,
    same: Mapping[str, str] | None = None,
    twin: tuple[str, Operator] | None = None,
    **defaults: Any,
) -> Shape:
    """Other parameters of a public name: `form("weight", "indices", padding_idx=-1)`, in that order.

    Each is one of the operator's, by its name (or the one that `same` says), or without effect; `inplace` chooses the
    in-place variant, and the first of `twin` the second.
    none, by the parameter's name: the value that the operator gets for None. convert, likewise: the function that makes
    the operator's value from (the parameter's name, the given value).
    """
    return Shape(required, convert or {}, none or {}, same or {}, twin, defaults)


def operator(
    *,
    name: str | None = None,
    namespace: Spaces = "",
    method: bool = True,
    inplace: bool | str = False,
    inplace_namespace: Spaces = None,
    out: bool = True,
    view: bool = False,
    aliases: Sequence[str] = (),
    forms: Mapping[str, Shape] | None = None,
    keywords: Mapping[str, str] | None = None,
    varargs: str | None = None,
    specialize: Specialize = MappingProxyType({}),
    like: Like = MappingProxyType({}),
    before: Mapping[str, Extra] = MappingProxyType({}),
    shape_class: str = "other",
    register: bool = True,
    node: str = "",
    zero_gradient: bool = False,
    keep_results: bool = True,
    memory_format: str = "",
    out_decides: bool = False,
    of_numbers: bool = True,
    precompile: Any = None,
    doc: str | None = None,
) -> Callable[[Callable[..., R]], Operator[R]]:
    """Make an operator of a Python function over primitives and other operators.

    namespace: where it is public besides the method: "" for the package, "nn.functional", "special", None for internal;
    of several the first is its own.
    method, out: which variants exist. inplace: whether there is `name_`, in the package and as a method. "argument":
    its names in nn.functional take `inplace=False` after the other arguments, and `name_` is in `inplace_namespace`.
    view: the result is a view of the first argument, metadata alone.
    forms: public names whose parameters stand in another order, have other defaults, or are more: see `form`.
    keywords: other names of parameters, for calls by keyword; `from_` is called `from`, which is a keyword of Python.
    varargs: the parameter that collects trailing ints (x.view(2, 3)). specialize: of parameters that are numbers the
    values with a formula of their own, which are static; SIGN: ints of each sign have one.
    like: for sizes that may be left out, the parameter whose value they then have.
    before: for a body that a decorator wraps: parameters to be put before a parameter of the body, by the latter's
    name.
    node: the name of its graph nodes, where it does not follow from the operator's name.
    memory_format: whose channels_last order results of the same rank have: that of the "first" tensor, of "any", or of
    "all";
        "channels_last": they always have it;
        "rows": results lie row by row whatever the order of operands; "columns": as matrices that lie column by column;
        "kept": in the order of the first argument's dimensions where they have its sizes; "base": as operands lie, but
        row by row where the first argument is a number; "indexed": as the operand of the elements that
        are looked up, and then their places; "reversed": as the operands, the last one first.
    out_decides: where `dtype` is not given it is that of `out`, of any dtype, in which the result is computed.
    keep_results: False: the backward computes the results again rather than keep them, so that they may be overwritten.
    zero_gradient: where the derivative vanishes, the result requires grad all the same, and its gradient is zeros
    (floor, sign); so is that of an operand which the result does not depend on (copysign's second, addmm's first where
    beta is 0).
    of_numbers: False: a call must have a tensor among its operands; those within bodies may have numbers alone.
    precompile: lists the calls whose programs are made with the first one's, see precompile.py.
    doc: the docstring of a body that another function made.
    """

    def make(fn: Callable[..., R]) -> Operator[R]:
        op_name, spaces = name or fn.__name__, as_spaces(namespace)
        fn.__doc__ = doc or fn.__doc__
        definition = Definition(
            op_name,
            fn,
            spaces[0],
            "view" if view else shape_class,
            node,
            zero_gradient,
            keep_results,
            memory_format,
            precompile,
            out_decides=out_decides,
            of_numbers=of_numbers,
        )
        params = parameters(fn, varargs=varargs, specialize=specialize, like=like, before=before)
        op: Operator[R] = Operator(op_name, params, definition, is_view=view, takes_out=out and not view)
        twin = Operator(op_name + "_", params, definition, inplace=True, functional=op) if inplace else None
        op.index.update({other: op.index[own] for other, own in (keywords or {}).items()})
        if twin is not None:
            IN_PLACE[op] = twin
            twin.index.update(op.index)
        if register:
            argument = inplace == "argument"
            _register(op, spaces, method, aliases, forms, twin if argument else None)
            if twin is not None:
                places = as_spaces(inplace_namespace) if argument else ("",)
                _register(twin, places, method or not argument, [a + "_" for a in aliases])
        return op

    return make


def as_spaces(namespace: Spaces) -> tuple[str | None, ...]:
    """The namespaces that an operator is in, its own first."""
    return namespace if isinstance(namespace, tuple) else (namespace,)


def eager(
    *,
    name: str | None = None,
    namespace: Spaces = "",
    method: bool = True,
    out: bool = False,
    aliases: Sequence[str] = (),
    forms: Mapping[str, Shape] | None = None,
    keywords: Mapping[str, str] | None = None,
    varargs: str | None = None,
    shape_class: str = "composite",
    options: Extra = MappingProxyType({}),
    before: Mapping[str, Extra] = MappingProxyType({}),
    inplace_of: Operator | None = None,
    moves: bool = False,
    checked: bool = False,
    doc: str | None = None,
) -> Callable[[Callable[..., R]], Operator[R]]:
    """Make an operator of a Python function that runs at every call: for factories, data-dependent results and thin
    compositions.

    It is bound and dispatched (subclasses, devices) like any operator; its derivative is that of the operators it
    calls. options: keywords that it shares with others: the body has them as `*options`, in that
    order. inplace_of: the operator whose in-place variant it is; its forms are that one's, which have an argument
    `inplace`. moves: it copies between devices, and so chooses the
    implementation itself. checked: the types of all arguments are looked at before it runs. The other options are those
    of `operator`.
    """

    def make(f: Callable[..., R]) -> Operator[R]:
        op_name, spaces = name or f.__name__, as_spaces(namespace)
        f.__doc__ = doc or f.__doc__
        definition = Definition(op_name, f, spaces[0], shape_class, moves=moves)
        params = parameters(f, varargs=varargs, options=options, before=before)
        call: Callable[..., Any] = positional(f)
        if out and not any(p.name == "out" for p in params):
            call = copied_to_out(call, op_name)
        if checked:
            call = with_checked_types(call, lambda: op)
        params = [p for p in params if p.name != "out"]
        of = inplace_of
        op: Operator[R] = Operator(
            op_name, params, definition, eager=call, inplace=of is not None, functional=of, takes_out=out
        )
        op.index.update({other: op.index[own] for other, own in (keywords or {}).items()})
        _register(op, spaces, method, aliases, forms)
        return op

    return make


def with_checked_types(body: Callable[..., Any], op: Callable[[], Operator]) -> Callable[..., Any]:
    """`body`, which refuses arguments of other types than its annotations say before it does anything."""

    fitting: set[tuple[type, ...]] = set()  # the types of calls that were right by these alone

    def call(*args: Any) -> Any:
        kinds = tuple(map(type, args))
        if kinds not in fitting:
            wrong = wrong_argument(op(), args, failed=True)
            if wrong is not None:
                raise wrong
            # (What a tensor is where a number is expected, or a sequence, depends on what is in it.)
            wanted = [(Tensor,) if p.kind == Kind.P_TENSOR else (float, int, bool) for p in op().params]
            if all(kind in types for kind, types in zip(kinds, wanted, strict=True)):
                fitting.add(kinds)
        return body(*args)

    return call


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
            if d.is_meta != r.is_meta or not _raw.initialised(d):
                wrong_device(name, d, r.is_meta)
            if d.requires_grad and _core.is_grad_enabled():
                raise requires_grad_out(name)
            if not dt.can_cast(r.dtype, d.dtype):
                raise unfit_out(name, r.dtype, d.dtype)
            if d.shape != r.shape:
                if d.numel() and any(isinstance(a, Tensor) for a in args):
                    warn_of_resize(name, d, list(r.shape))
                _raw.set_storage(d, TABLE["empty_like"](r, dtype=d.dtype))
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


def attach_built_in(name: str, fn: Callable[..., Any]) -> None:
    """Attach a method that presents itself (name, class, type) as PyTorch's built-in ones do."""
    _core.attach(name, named(fn, name, owner="TensorBase", module=None))


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


def _register(
    op: Operator,
    spaces: tuple[str | None, ...],
    method: bool,
    aliases: Sequence[str],
    forms: Mapping[str, Shape] | None = None,
    twin: Operator | None = None,
) -> None:
    """Put an operator under its public names; twin: what their argument `inplace` calls in nn.functional."""
    if op.params and op.params[0].kind in _OPERANDS and "input" not in op.index:
        op.index["input"] = 0  # linalg.det(A) and its family are documented with one name, and take both
    plain = op if op.functional is None else op.functional
    formed = {key: shape.of(plain, None if plain is op else op) for key, shape in (forms or {}).items()}
    for n in (op.name, *aliases):
        for space in spaces:
            if space is not None:
                TABLE[f"{space}.{n}" if space else n] = op
        if twin is not None and _WITH_INPLACE in spaces:
            formed[f"{_WITH_INPLACE}.{n}"] = Form(op, [*op.params, Param("inplace", Kind.P_STATIC, False, False)], twin)
        if method:
            add_method(n, op)
        if n in SLOTS:
            handle = Method(op, n, "")
            handle.shown = vars(Tensor)[SHOWN[n]] if n in SHOWN else vars(Tensor).get(n)
            SYNTAX[handle.shown] = op, False
            if n in REFLECTED:
                SYNTAX[vars(Tensor)[REFLECTED[n]]] = op, True
            _core.set_slot(SLOTS[n], handle)
    for key, shaped in formed.items():
        space, _, last = key.rpartition(".")
        TABLE[key] = plain
        _PUBLIC[key] = Named(plain, last, space, shaped)


_WITH_INPLACE = "nn.functional"  # the namespace whose functions have an argument `inplace`


def add_method(name: str, op: Operator) -> None:
    """Make an operator a method of Tensor."""
    METHODS[name] = op
    _core.attach(name, Method(op, name, ""))


# Namespaces whose functions are named with them: torch.linalg.inv.__name__ is "linalg_inv".
_NAMED_WITH_SPACE = ("fft", "linalg", "special")
ROOT = ["rushlight"]  # the name that the package is known by; compat makes it "torch"


def public(key: str) -> Operator | Named:
    """The object that stands under a public name of the table: the operator, or a handle of its own where the name is
    not the operator's first, or takes other parameters.
    """
    if key in _PUBLIC:
        return _PUBLIC[key]
    op = TABLE[key]
    space, _, last = key.rpartition(".")
    own = op.definition.namespace or ""
    if last == op.name and (space == own or not (space in _NAMED_WITH_SPACE or own in _NAMED_WITH_SPACE)):
        return op
    return _PUBLIC.setdefault(key, Named(op, last, space))


def operator_of(key: str) -> Operator | None:
    """The operator under a public name that takes its arguments as they are; None under one of another form."""
    found = public(key)
    if isinstance(found, Operator):
        return found
    return found.op if found.form is None or found.form.twin is not None else None


def public_names(namespace: str) -> dict[str, Any]:
    """The public objects of a namespace ("" is the package itself), by name."""
    names = [(key, last) for key in TABLE for space, _, last in (key.rpartition("."),) if space == namespace]
    return {last: public(key) for key, last in names}


def _namespace_of(op: Operator | Named) -> str | None:
    return op.namespace if isinstance(op, Named) else getattr(op.definition, "namespace", None)


def _public_name(op: Operator | Named) -> str:
    space = _namespace_of(op)
    return f"{space}_{op.name}" if space in _NAMED_WITH_SPACE else op.name


def _public_module(op: Operator | Named) -> str:
    space = _namespace_of(op)
    return ROOT[0] if space == "" else "rushlight.operators" if space is None else f"{ROOT[0]}.{space}"


def _operator_repr(op: Operator | Named) -> str:
    """As PyTorch's functions print, where the package is known as torch."""
    if ROOT[0] != "torch":
        return f"<operator {op.name}>"
    space = _namespace_of(op)
    if space == "":
        return f"<built-in method {op.name} of type object at {id(type(op)):#x}>"
    return (
        f"<function {op.name} at {id(op):#x}>"
        if space == "nn.functional"
        else f"<built-in function {_public_name(op)}>"
    )


def _reduce_operator(op: Operator | Named) -> Any:
    """How operators are copied and pickled: by their public names, which PyTorch has too; copy.deepcopy of one is the
    one itself (modules keep them as activations).
    """
    if isinstance(op, Method):
        return getattr, (Tensor, op.name)
    return op.name  # in its module; pickle refuses names that are not there; a copy is the operator itself


for _kind in (Operator, Named, Method):
    copyreg.pickle(_kind, _reduce_operator)  # type: ignore[arg-type]  # a string is a global's name


upcalls.operator_repr = _operator_repr
upcalls.public_name = _public_name
upcalls.public_module = _public_module
