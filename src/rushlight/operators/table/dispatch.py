"""The slow path of a call: modes, subclasses, transforms, traces, devices; and the small functions that the core asks
for.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from rushlight.core import dtypes as dt
from rushlight.core import locks, warning
from rushlight.core import raw as _raw
from rushlight.core import storage as _storage
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.arguments import (
    call_body,
    index_error,
    is_int,
    is_plain_number,
    number,
    requires_grad_out,
    warn_of_resize,
    wrong_device,
)
from rushlight.operators.table.define import METHODS, REFLECTED, SYNTAX
from rushlight.operators.table.tracer import Tracer
from rushlight.operators.table.types import Args, Classes, Device, Function, Kwargs
from rushlight.program.sym import Sym

_KEYS = _core.get_keys_flag_mask()
SUBCLASS, TRACE, TRANSFORM, DEVICE, LAYOUT, DTYPE, DISPATCH, META = (
    _KEYS[k] for k in ("SUBCLASS", "TRACE", "TRANSFORM", "DEVICE", "LAYOUT", "DTYPE", "DISPATCH", "META")
)

FUNCTIONS_OFF, OFF = 1, 2  # of subclasses: `__torch_function__`; `__torch_dispatch__` as well

# Handlers of the upper layers, highest first: (mask of keys, handler(op, values, out) -> result or NotImplemented).
handlers: list[tuple[int, Callable[[Operator, list[Any], Any], Any]]] = []


class _Modes(threading.local):
    """The modes in force in each thread, the innermost last; see rushlight.overrides."""

    def __init__(self) -> None:
        self.stack: list[Any] = []


modes = _Modes()


locks.modes_are_in(modes)


def sees_views(t: Tensor) -> bool:
    """Whether a mode is in force that sees the calls of which views of a tensor are made."""
    return _core.modes_in_force() > 0 and not (
        modes.stack and getattr(modes.stack[-1], "notes_calls", False) and modes.stack[-1].lets_go(t)
    )


def notes_parts(t: Tensor) -> bool:
    """Whether a recorder is in force, which takes the parts of a tensor for the results of one call."""
    return bool(modes.stack) and getattr(modes.stack[-1], "notes_parts", False) and sees_views(t)


class CallMode(locks.Mode):
    """A mode that is in force in a block: calls come to it, and so do the calls that functions of Python's make."""

    notes_parts = False  # whether all parts of a tensor are to be the results of one call

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        """A call that is no operator's: of a function of Python's, or of an operator of `torch.ops`, whose own calls
        come here, or of an attribute.
        """
        inner = getattr(func, "__wrapped__", None) or getattr(func, "perform", None)
        if inner is None:
            return func(*args, **(kwargs or {}))
        with self:
            return inner(*args, **(kwargs or {}))


casts: list[Callable[[Operator, list[Any]], list[Any]]] = []  # they change the dtypes of arguments; see rushlight.amp


def special(
    op: Operator,
    values: list[Any],
    out: Any,
    keys: int,
    called: Operator | Named,
    written: tuple[tuple[Any, ...], dict[str, Any]] | None = None,
) -> Any:
    """Handle a call, under the public name `called`, with a mode in force or a tensor that needs more than the plain
    path.

    written: the arguments as the caller spelled them, where a `__torch_function__` may be asked.
    """
    mode = modes.stack[-1] if modes.stack and _core.modes_in_force() else None
    if mode is not None and getattr(mode, "notes_calls", False):  # see rushlight/jit/recording.py
        return mode.record(op, values, out, keys, called, written)
    if mode is not None and getattr(mode, "times_calls", False):  # see rushlight/autograd/profiler.py
        args, kwargs = arguments(op, values, out) if written is None else written
        with locks.left(mode):
            return mode.timed(public_function(called), called.name, args, kwargs)
    # A dispatch mode stands below transforms, as a class with __torch_dispatch__ does; it does not see traces.
    sees = mode is not None and (mode.sees_functions or (keys & TRACE and getattr(mode, "sees_traces", False)))
    if keys & SUBCLASS if mode is None else not keys & (TRANSFORM | TRACE) or sees:
        result = torch_function(op, values, out, called, written)
        if result is not NotImplemented:
            return result
    if keys & SUBCLASS and _core.no_subclass() != OFF:
        result = torch_dispatch(op, values, out)
        if result is not NotImplemented:
            return result
    if casts and out is None and _core.modes_in_force():
        for cast in casts:
            values = cast(op, values)
    for mask, handler in handlers:
        if keys & mask:
            result = handler(op, values, out)
            if result is not NotImplemented:
                return result
    if keys & TRACE:
        return inline(op, values, out)
    if keys & (DEVICE | LAYOUT | DTYPE):
        return device_call(op, values, out)
    return plain_call(op, values, out)


def plain_call(op: Operator, values: list[Any], out: Any) -> Any:
    """The call below modes and subclasses."""
    args, kwargs = arguments(op, values, out)
    with locks.below(OFF):
        return op(*args, **kwargs)


def arguments(op: Operator, values: Sequence[Any], out: Any = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Bound values as positional and keyword arguments, defaults left out."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {} if out is None else {"out": out}
    for p, v in zip(op.params, values, strict=True):
        if not p.required and v is p.default:
            continue
        if p.keyword_only or len(args) < op.params.index(p):
            kwargs[p.name] = v
        else:
            args.append(v)
    return tuple(args), kwargs


def leaves_of(values: Iterable[Any]) -> list[Any]:
    """The values, and those in lists among them."""
    found: list[Any] = []
    for v in values:
        if isinstance(v, (tuple, list)):
            found += leaves_of(v)
        else:
            found.append(v)
    return found


def tensors_in(values: Iterable[Any]) -> list[Tensor]:
    """The tensors among values, and in lists among them."""
    return [v for v in leaves_of(values) if isinstance(v, Tensor)]


def overrides(cls: type) -> bool:
    """Whether a class's `__torch_function__` is to be asked: not for plain tensors, internal wrappers and layouts, or
    mere `__torch_dispatch__` classes.
    """
    if not issubclass(cls, Tensor):
        return (
            getattr(cls, "__torch_function__", _core._disabled_torch_function_impl)
            is not _core._disabled_torch_function_impl
        )
    if (
        cls is Tensor
        or not getattr(cls, "_dispatch_keys", SUBCLASS) & SUBCLASS
        or cls.__torch_function__ is _core._disabled_torch_function_impl
    ):
        return False
    inherited = getattr(cls.__torch_function__, "__func__", None) is Tensor.__torch_function__.__func__
    return not (inherited and hasattr(cls, "__torch_dispatch__"))


# Functions that PyTorch has in Python, which pass on all their arguments, also those that were not given; see
# nn/functional.py.
handed_whole: set[Any] = set()
_WITH_OUT = frozenset(("normalize", "norm", "tensordot"))  # those that have an `out` among them


@functools.cache
def _signature(func: Callable[..., Any]) -> Any:
    import inspect  # which takes as long to import as a twentieth of the package

    return inspect.signature(func)


def whole(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as PyTorch's Python functions hand them to `__torch_function__`: those without a default by
    position, all others by name.
    """
    bound = _signature(func).bind(*args, **kwargs)
    bound.apply_defaults()
    parameters = _signature(func).parameters
    needed = [name for name, p in parameters.items() if p.default is p.empty]
    if func.__name__ in _WITH_OUT:
        dtype = bound.arguments.pop("dtype", ...)
        bound.arguments.setdefault("out", None)
        if dtype is not ...:  # which comes last
            bound.arguments["dtype"] = dtype
    elif bound.arguments.get("out", ...) is None:
        del bound.arguments["out"]
    return tuple(bound.arguments[name] for name in needed), {
        name: v for name, v in bound.arguments.items() if name not in needed
    }


def torch_function(
    op: Operator,
    values: list[Any],
    out: Any,
    called: Operator | Named,
    written: tuple[tuple[Any, ...], dict[str, Any]] | None = None,
) -> Any:
    """Let modes and subclasses' `__torch_function__` handle the call; NotImplemented if none does."""
    # an operator of our own without a public name
    if modes.stack and _core.modes_in_force() and hasattr(modes.stack[-1], "of_operator"):
        with locks.left() as watch:
            return watch.of_operator(op, values, out)
    func = public_function(called)
    args, kwargs = arguments(op, values, out) if written is None else written
    if func in handed_whole:
        args, kwargs = whole(func, args, kwargs)
    if len(args) == 2 and func in SYNTAX and not isinstance(args[0], Tensor) and called.name in REFLECTED:
        func, args = vars(Tensor)[REFLECTED[called.name]], args[::-1]
    if op.name in _TAKES_OBJECTS:  # modes alone see it
        return ask(func, op.name, [], args, kwargs, (op, values, out))
    return ask(
        func, op.name, [*values, *(out if isinstance(out, (tuple, list)) else [out])], args, kwargs, (op, values, out)
    )


_TAKES_OBJECTS = frozenset(("tensor", "as_tensor"))  # whatever the class of a tensor that they are given

# classes that no one can give a `__torch_function__`
_NEVER = frozenset((type(None), bool, int, float, complex, str, Tensor))


def ask(
    func: Callable[..., Any],
    name: str,
    operands: list[Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    call: tuple[Operator, list[Any], Any] | None = None,
) -> Any:
    """Let the innermost mode, else the first class among the operands that does not decline, do func(*args, **kwargs);
    NotImplemented where there is none.

    call: what the call is in the table, for modes that see it below what was written.
    """
    asked: dict[type, Any] = {}  # the classes to ask, each with the first argument of it
    for x in () if _core.no_subclass() else leaves_of(operands):
        cls = type(x)
        if cls not in _NEVER and cls not in asked and overrides(cls):
            asked[cls] = x
    types = tuple(sorted(asked, key=lambda c: -len(c.__mro__)) if asked else ())  # subclasses before their bases
    if modes.stack and _core.modes_in_force():
        with locks.left() as mode:
            if call is not None and not mode.sees_functions:
                return mode.take(*call, types)
            return mode.__torch_function__(func, types, args, kwargs)
    for cls in types:
        # of the object: it may be no class method
        result = asked[cls].__torch_function__(func, types, args, kwargs)
        if result is not NotImplemented:
            return result
    if types:
        raise TypeError(
            f"{name}(): every __torch_function__ of the arguments' classes returned NotImplemented: "
            f"{[c.__name__ for c in types]}"
        )
    return NotImplemented


# Names for which PyTorch's `__torch_function__` sees another name.
_STANDS_FOR = {"_grad": "grad", "nelement": "numel", "ndimension": "dim"}


def overridden(guarded: Any, how: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Offer the reading or setting of an attribute of Tensor (how: "__get__", "__set__", "__delete__"), or the call of
    a method (None), to the `__torch_function__` of the instance.
    """
    guarded = vars(Tensor).get(_STANDS_FOR.get(getattr(guarded, "__name__", ""), ""), guarded)
    func = guarded if how is None else getattr(guarded, how)
    if not overrides(type(args[0])) and not _core.add_readers(0):
        return below(func, args, kwargs)
    found = ask(func, getattr(guarded, "__name__", "attribute"), list(args), args, kwargs)
    return below(func, args, kwargs) if found is NotImplemented else found


def asked(func: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The result of the `__torch_function__` of a subclass for a piece of Python's syntax on its instance;
    NotImplemented where it has none.
    """
    return (
        ask(func, func.__name__, list(args), args, {})
        if overrides(type(args[0])) or _core.add_readers(0)
        else NotImplemented
    )


def below(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call with `__torch_function__` of subclasses switched off."""
    with locks.below(FUNCTIONS_OFF, modes=True):
        return func(*args, **kwargs)


def torch_dispatch(op: Operator, values: list[Any], out: Any) -> Any:
    """A call with an instance of a class that has `__torch_dispatch__`: the first class that does not return
    NotImplemented does it, as overloads of aten's.
    """
    if _dispatched(op, values, out) == ():
        return NotImplemented

    def hand(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        types = _dispatched(op, (*args, *kwargs.values()), None)
        if not types:  # an intermediate result of plain tensors
            return func(*args, **kwargs)
        for cls in types:
            result = cls.__torch_dispatch__(func, types, args, kwargs)  # type: ignore[attr-defined]
            if result is not NotImplemented:
                return result
        raise TypeError(
            f"{op.name}(): every __torch_dispatch__ of the arguments' classes returned NotImplemented: "
            f"{[c.__name__ for c in types]}"
        )

    return overloads[0](op, values, out, hand, lambda f: f())


# Set by `library`: turns a call of the table into one of torch.ops.aten.
overloads: list[Callable[..., Any]] = []


def _dispatched(op: Operator, values: Any, out: Any) -> tuple[type, ...]:
    """The classes among the arguments that have `__torch_dispatch__`, subclasses before their bases."""
    types: list[type] = []
    for t in tensors_in([*values, *(out if isinstance(out, (tuple, list)) else [out])]):
        if type(t) not in types and getattr(type(t), "__torch_dispatch__", None) not in (
            None,
            _core._disabled_torch_function_impl,
        ):
            types.append(type(t))
    return tuple(sorted(types, key=lambda c: -len(c.__mro__)))


def below_special(op: Operator, values: Sequence[Any]) -> Any:
    """A call of an operator by its bound values."""
    args, kwargs = arguments(op, values)
    return op(*args, **kwargs)


def public_function(called: Operator | Named) -> Any:
    """The function that a subclass sees as `func`."""
    shown = getattr(called, "shown", None)
    return called if shown is None else shown


def default_torch_function(
    cls: type,
    func: Callable[..., Any],
    types: Sequence[type],
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Run the call on plain tensors and give results the subclass, as PyTorch's default does."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    result = below(func, args, kwargs or {})
    return result if func in kept_plain() else _as_class(result, cls)


@functools.cache
def kept_plain() -> frozenset[Any]:
    """The attributes whose value a subclass's default `__torch_function__` returns as it is: they hold a tensor of a
    class of its own.
    """
    return frozenset(vars(Tensor)[name].__get__ for name in ("_base", "grad", "_grad"))


def _as_class(x: Any, cls: type[Tensor]) -> Any:
    if type(x) is Tensor and cls is not Tensor:
        return upcalls.as_subclass(x, cls)
    if type(x) in (tuple, list):
        return type(x)(_as_class(v, cls) for v in x)
    if isinstance(x, tuple) and hasattr(type(x), "_make"):  # x.max(0): its fields are the subclass's
        return type(x)._make(_as_class(v, cls) for v in x)  # type: ignore[attr-defined]
    return x


def inline(op: Operator, values: list[Any], out: Any) -> Any:
    """A call inside a trace: the body emits into the trace; an in-place call gives its destination a new value."""
    if op.eager is not None:
        return op.eager(*values) if out is None else op.eager(*values, out=out)
    if out is not None:
        raise RuntimeError(f"{op.name}(): out= is not supported inside a traced operator")
    result = call_body(op, values)
    if op.inplace:
        dest = values[0]
        if not isinstance(dest, Tracer):
            raise RuntimeError(f"{op.name}(): the destination is not a value of the trace")
        dest.var = result.to(dest.dtype).var if result.dtype is not dest.dtype else result.var
        return dest
    return result


def device_call(op: Operator, values: list[Any], out: Any) -> Any:
    """An implementation registered for the device type, layout or dtype of a tensor argument."""
    if op.eager is not None and op.definition.moves:  # copies between devices choose the implementation by both
        return op.eager(*values)
    for t in tensors_in(values):
        for key in (t.device.type, t.layout.name, t.dtype.name):
            fn = op.implementations.get(key)
            if fn is not None:
                args, kwargs = arguments(op, values, out)
                return fn(*args, **kwargs)
    where = next((str(t.device) for t in tensors_in(values) if t.device.type not in ("cpu", "meta")), None)
    how = next((str(t.layout) for t in tensors_in(values) if t.layout.name != "strided"), None)
    what = (
        f"device '{where}'"
        if where
        else f"layout {how}"
        if how
        else f"dtypes {', '.join(str(t.dtype) for t in tensors_in(values))}"
    )
    raise NotImplementedError(
        f"{op.name}(): no implementation for {what}; register one with rushlight.{op.name}.register(...)"
    )


# ----------------------------------------------------------------------------------------------- what the core asks for
def check_out(op: Operator, out: Any) -> list[Tensor]:
    """The destinations of out= as a list; they must not require grad while grad mode is on."""
    dests = [out] if isinstance(out, Tensor) else list(out)
    for t in dests:
        if t.requires_grad and _core.is_grad_enabled():
            raise requires_grad_out(op.name)
    return dests


# They give every element the same value, so writing an element twice does no harm. PyTorch allows them, too.
_IDEMPOTENT = frozenset({"fill", "zero"})


def check_overlap(op: Operator, dest: Tensor) -> None:
    """RuntimeError where a result would be written to a tensor with a dimension of stride 0, as expand() gives it."""
    if not op.is_view and op.name.rstrip("_") not in _IDEMPOTENT:
        raise RuntimeError(
            f"{op.name}(): the destination must keep every element in a place of its own; found several in one (size "
            f"{list(dest.shape)}, stride "
            f"{list(dest.stride())}); write to a clone() of it"
        )


def refit(op: Operator, error: Exception, inputs: Sequence[Tensor]) -> bool:
    """Whether the call may be made again: `error` was about an out= tensor, which has the result's shape now; no
    operand may lie on its memory.
    """
    found = vars(error).get("misfit")
    if found is None or any(_raw.same_memory(found[0], t) for t in inputs):
        return False
    dest, sizes, strides = found
    warn_of_resize(op.name, dest, sizes)
    try:
        METHODS["resize_"](dest, sizes)
        if strides is not None:
            METHODS["as_strided_"](dest, sizes, strides)
    except RuntimeError as why:
        raise RuntimeError(
            f"{op.name}(): argument 'out' has the shape {list(dest.shape)}, the result {sizes}, and its memory "
            f"cannot be resized: {why}"
        ) from None
    return True


def fit_dest(dest: Tensor, sizes: list[int], strides: list[int] | None) -> None:
    """Make an empty out= tensor fit the result's shape and strides (None: row by row). RuntimeError, with all three as
    its `misfit`: it has elements.
    """
    if dest.numel() and tuple(dest.shape) != tuple(sizes):
        error: Any = RuntimeError(
            f"the destination has the shape {list(dest.shape)}, which a result of the shape {sizes} does not fit"
        )
        error.misfit = dest, sizes, strides
        raise error
    new = _raw.empty_strided_raw(dest.dtype, sizes, strides)
    _raw.set_storage(dest, new)


# Part of the message of a refused view, by which reshape() recognises it: then it copies.
NO_VIEW = "cannot be a view"


def view_message(t: Tensor, size: list[int]) -> str:
    """Why a view cannot be made."""
    return (
        f"view(): sizes {size} {NO_VIEW}: no strides lead through the elements of a tensor of sizes {list(t.shape)} "
        f"and strides {list(t.stride())}; use reshape(), "
        "which copies"
    )


class Removable:
    """An object that is removed by `remove()`, or on leaving a with block."""

    def remove(self) -> None:
        """Remove it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class RemovableHandle(Removable):
    """Removes a hook again: `handle.remove()`, or leaving a with block."""

    next_id = 0

    def __init__(self, hooks: dict[int, Any], fn: Any = None) -> None:
        self.hooks, self.id = hooks, RemovableHandle.next_id
        RemovableHandle.next_id += 1
        if fn is not None:
            hooks[self.id] = fn

    def remove(self) -> None:
        """Remove the hook; removing it twice is harmless."""
        self.hooks.pop(self.id, None)


def deepcopy(t: Tensor, memo: dict[int, Any]) -> Tensor:
    """copy.deepcopy of a leaf tensor; tensors that share a storage go on sharing."""
    if id(t) in memo:
        known: Tensor = memo[id(t)]
        return known
    if not t.is_leaf:
        raise RuntimeError(
            "deepcopy(): only graph leaves can be deep-copied; found the result of an operation (a module under "
            "nn.utils.weight_norm holds such "
            "a tensor); copy detach() of it"
        )
    if t._keys_ & LAYOUT or t._keys_ & DISPATCH and _raw.no_storage(t):
        return _deepcopy_by_clone(t, memo)
    if t.is_meta:
        plain = _raw.empty_meta(t.dtype, t.shape, t.stride())
    else:
        storage = t.untyped_storage()
        new = memo.get(id(storage))
        if new is None:
            new = _storage._storage_from_bytes(_storage.contents(storage))
            memo[id(storage)] = new
            memo.setdefault(id(memo), []).append(storage)
        plain = _raw.tensor_from_storage(new, t.dtype, t.storage_offset(), t.shape, t.stride())
    if type(t) is Tensor:
        result = plain
    else:
        result = Tensor.__new__(type(t))
        _raw.set_storage(result, plain)
    return _with_copied_attributes(result, t, memo)


def _with_copied_attributes(result: Tensor, t: Tensor, memo: dict[int, Any]) -> Tensor:
    """The copy of a tensor's values as the copy of the tensor."""
    import copy

    if t.requires_grad:
        result.requires_grad = True
    memo[id(t)] = result  # before objects that may lead back to it are copied
    if t.grad is not None:
        result.grad = copy.deepcopy(t.grad, memo)
    for k, v in t.__dict__.items():
        result.__dict__[k] = copy.deepcopy(v, memo)
    return result


def _deepcopy_by_clone(t: Tensor, memo: dict[int, Any]) -> Tensor:
    """The deep copy of a tensor that has no memory of its own: its class's clone(), with copies of the attributes."""
    with locks.below(grad=False, modes=True):
        new = METHODS["clone"](t)
    if t._keys_ & LAYOUT and type(new) is not type(t):
        plain, new = new, Tensor.__new__(type(t))
        _raw.set_storage(new, plain)
    if type(new) is not type(t):
        raise RuntimeError(
            "deepcopy(): a wrapper is copied by its clone(), which must be of the wrapper's class "
            f"{type(t).__name__}; found {type(new).__name__}. Give "
            f"{type(t).__name__}.__torch_dispatch__ an answer to aten.clone, or the class a __deepcopy__"
        )
    return _with_copied_attributes(new, t, memo)


def reduce(t: Tensor, protocol: int) -> tuple[Any, ...]:
    """Pickling: the storage, the metadata and the Python attributes; a result is a leaf that requires grad."""
    needs_grad = t.requires_grad
    if not t.is_leaf:
        t = t.detach()
    if t._keys_ & LAYOUT:
        own = t._meta_.parts
        if t.layout.name != "sparse_coo":
            parts = (own.ends, own.others, own.values, tuple(t.shape))
            return rebuild_compressed, (type(t), t.layout, parts, dict(t.__dict__))
        state = (own.indices, own.values, tuple(t.shape), own.coalesced, dict(t.__dict__))
        return rebuild_sparse, (type(t), *state)
    if t._keys_ & META and not t.is_meta:  # a wrapper: the tensors that it holds are among its attributes
        held = {k: v for k, v in t.__dict__.items() if k != "_device"}
        return rebuild_wrapper, (type(t), t.dtype, tuple(t.shape), tuple(t.stride()), t.device, t.requires_grad, held)
    args = (
        type(t),
        None if t.is_meta else t.untyped_storage(),
        t.dtype,
        t.storage_offset(),
        tuple(t.shape),
        tuple(t.stride()),
        needs_grad,
        dict(t.__dict__),
    )
    return rebuild, args


def rebuild_sparse(
    cls: type[Tensor], indices: Tensor, values: Tensor, size: tuple[int, ...], coalesced: bool, state: dict[str, Any]
) -> Tensor:
    """The sparse tensor that `reduce` took apart; whether it required grad is not kept, as in PyTorch."""
    from rushlight.operators.table.define import FUNCTIONS

    t: Tensor = FUNCTIONS["sparse_coo_tensor"](indices, values, size, is_coalesced=coalesced or None)
    return _of_class(cls, t, state)


def rebuild_compressed(cls: type[Tensor], layout: dt.layout, parts: tuple[Any, ...], state: dict[str, Any]) -> Tensor:
    """The compressed sparse tensor that `reduce` took apart; its indices are looked at."""
    from rushlight.operators.table.define import FUNCTIONS

    return _of_class(cls, FUNCTIONS["sparse_compressed_tensor"](*parts, layout=layout), state)


def _of_class(cls: type[Tensor], t: Tensor, state: dict[str, Any]) -> Tensor:
    if cls is not Tensor:
        new = Tensor.__new__(cls)
        _raw.set_storage(new, t)
        t = new
    t.__dict__.update(state)
    return t


def rebuild_wrapper(
    cls: type[Tensor],
    dtype: dt.dtype,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    device: Device,
    requires_grad: bool,
    state: dict[str, Any],
) -> Tensor:
    """The instance of a wrapper subclass that `reduce` took apart."""
    made: Any = Tensor
    t: Tensor = made._make_wrapper_subclass(
        cls, size, strides=stride, dtype=dtype, device=device, requires_grad=requires_grad
    )
    t.__dict__.update(state)
    return t


def rebuild(
    cls: type[Tensor],
    storage: Any,
    dtype: dt.dtype,
    offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool,
    state: dict[str, Any],
) -> Tensor:
    """The tensor that `reduce` took apart."""
    t = (
        _raw.empty_meta(dtype, size, stride)
        if storage is None
        else _raw.tensor_from_storage(storage, dtype, offset, size, stride)
    )
    t = _of_class(cls, t, state)
    if requires_grad:
        t.requires_grad = True
    return t


def _nothing_waits(_: Any = None) -> None:
    """Until a function is compiled (rushlight/jit/recording.py)."""


upcalls.special = special
upcalls.say = warning.say
upcalls.warn = warning.warn
upcalls.settle = upcalls.grad_read = upcalls.flush = _nothing_waits
upcalls.is_plain_number = is_plain_number
upcalls.number = number
upcalls.is_int = is_int
upcalls.is_sym = lambda x: isinstance(x, Sym)
upcalls.check_out = check_out
upcalls.index_error = index_error
upcalls.check_overlap = check_overlap
upcalls.wrong_device = lambda op, dest, meta: wrong_device(op.name, dest, meta)
upcalls.fit_dest = fit_dest
upcalls.refit = refit
upcalls.view_message = view_message
upcalls.removable_handle = RemovableHandle
upcalls.deepcopy = deepcopy
upcalls.reduce = reduce
upcalls.default_torch_function = default_torch_function
upcalls.overridden = overridden
upcalls.asked = asked
