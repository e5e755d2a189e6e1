"""Operators that a program defines: `torch.library`.

An operator has a schema and, by device, functions that implement it. Rules that are not registered are derived: its
gradient and its batched form where the function is written in operators, shapes on the device 'meta' by running it
there.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from rushlight.core import raw as _raw
from rushlight.core.dtypes import dtype
from rushlight.core.tensor import Tensor, device
from rushlight.library import aten as _aten  # noqa: F401  # makes the namespace `aten`
from rushlight.library import operator as _operator
from rushlight.library.operator import OpOverload, OpOverloadPacket
from rushlight.library.schema import infer_schema, parse_schema
from rushlight.library.tags import Tag
from rushlight.operators.table import dispatch as _dispatch

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "get_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
    "wrap_triton",
]

_KEYS = (
    "cpu",
    "cuda",
    "meta",
    "autograd",
    "autocastcpu",
    "autocastcuda",
    "autocastxpu",
    "compositeimplicitautograd",
    "compositeexplicitautograd",
    "mps",
    "xpu",
    "hpu",
)


_DEFINED: set[str] = set()  # namespaces of which there is a Library of kind "DEF"


def _tags(tags: Any) -> list[Any]:
    return [] if tags is None else list(tags) if isinstance(tags, (tuple, list, set, frozenset)) else [tags]


class DispatchKeySet:
    """What a function registered with `with_keyset=True` is given: the key that it was registered for."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __repr__(self) -> str:
        return f"DispatchKeySet({self.key})"


def _of(op: Any) -> OpOverload:
    if isinstance(op, OpOverload):
        return op
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, OpOverloadPacket):
        return op.default
    if isinstance(op, str):
        return _operator.find(op)
    raise ValueError(
        f"torch.library: 'op' must be a name 'space::name', an operator or a custom operator; found {type(op).__name__}"
    )


def _later(
    function: Callable[..., Any] | None, register: Callable[[Callable[..., Any]], None]
) -> Callable[[Callable[..., Any]], Callable[..., Any]] | Callable[..., Any]:
    """Register a function, or return the decorator that does."""

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        register(f)
        return f

    return decorate if function is None else decorate(function)


class CustomOpDef:
    """An operator of the program: it is callable, and further functions may be registered for it."""

    def __init__(self, op: OpOverload, function: Callable[..., Any]) -> None:
        self._opoverload, self._init_fn = op, function
        self._qualname, self._name = op._schema.name, op.overloadpacket.__name__
        self._namespace = op.namespace
        self.__name__, self.__doc__, self.__wrapped__ = (
            getattr(function, "__name__", self._name),
            function.__doc__,
            function,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types: str | Sequence[str] | None, fn: Callable[..., Any] | None = None, /) -> Any:
        """Register the function for devices of these types (None: for all)."""
        return register_kernel(self, device_types, fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Register the function that makes results of the right shape and dtype for tensors without data."""
        register_fake(self, fn)
        return fn

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Register the gradient: backward(ctx, *grads), with what setup_context(ctx, inputs, output) keeps."""
        register_autograd(self, backward, setup_context=setup_context)

    def register_autocast(self, device_type: str, cast_inputs: dtype) -> Any:
        """Register that under autocast floating point arguments are cast to a dtype."""
        return register_autocast(self, device_type, cast_inputs)

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """In the block, the function that `register_kernel` was given for a device type serves, or the one that the
        operator was made of.
        """
        kernels = self._opoverload.kernels
        before = kernels.get(device_type)
        if not enabled and before is not None:
            kernels[device_type] = _apart(self._opoverload, self._init_fn)
        elif enabled and before is None and "" not in kernels:
            raise RuntimeError(
                f"set_kernel_enabled(): {self._qualname} has no function for '{device_type}'; register one with "
                "register_kernel"
            )
        try:
            yield
        finally:
            if not enabled and before is not None:
                kernels[device_type] = before

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """Register the batched form: func(info, in_dims, *args) gives the result and its out_dims."""
        return register_vmap(self, func)

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """Register what is done for tensors of a class: fn(func, types, args, kwargs)."""
        return register_torch_dispatch(self, torch_dispatch_class, fn)


def _apart(op: OpOverload, function: Callable[..., Any]) -> Callable[..., Any]:
    """A custom operator's function with its results checked: none of them may be an argument, or share memory with one
    or with another.
    """

    def checked(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        seen = {id(t.untyped_storage()) for t in _dispatch.tensors_in([*args, *kwargs.values()]) if _has_memory(t)}
        for t in _dispatch.tensors_in(result if isinstance(result, (tuple, list)) else [result]):
            if _has_memory(t):
                if id(t.untyped_storage()) in seen:
                    raise RuntimeError(
                        f"{op.name()}(): a result of a custom operator must share no memory with an argument or "
                        "another result; found one that does, in what "
                        f"{getattr(function, '__qualname__', function)} returned; return a clone() of it"
                    )
                seen.add(id(t.untyped_storage()))
        return result

    return functools.wraps(function)(checked)


def _has_memory(t: Tensor) -> bool:
    return not _raw.no_storage(t) and not t._keys_ & (_dispatch.TRANSFORM | _dispatch.TRACE) and t.numel() > 0


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Sequence[Any] | None = None,
) -> Any:
    """Make an operator of a function; it is `torch.ops.space.name` too.

    Args:
        name: "space::name".
        mutates_args: names of the arguments that it writes to, or "unknown".
        device_types: for which devices the function is ("cpu", ...; default: all).
        schema: in the place of the one inferred from annotations.

    Raises:
        ValueError: for a name without a namespace or a signature that no schema says.
        RuntimeError: for a name that is taken.
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        if not isinstance(mutates_args, str) and not isinstance(mutates_args, Iterable):
            raise TypeError(
                "custom_op(): 'mutates_args' must be a sequence of names or 'unknown'; found "
                f"{type(mutates_args).__name__}"
            )
        space, sep, short = name.partition("::")
        if not sep or not space.isidentifier() or not short.isidentifier():
            raise ValueError(f"custom_op(): 'name' must be 'space::name', two identifiers; found {name!r}")
        text = schema if schema is not None else infer_schema(function, mutates_args=mutates_args)
        parsed = parse_schema(name + text)
        if _operator.defined(name) and _operator.find(name).made_by_custom_op:  # a cell of a notebook that is run again
            _operator.remove(_operator.find(name))
        op = _operator.define(parsed)
        op.tags, op.made_by_custom_op = [Tag["pt2_compliant_tag"], *_tags(tags)], True
        made = CustomOpDef(op, function)
        register_kernel(made, device_types, function)
        return made

    return make if fn is None else make(fn)


def triton_op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: str | Iterable[str], schema: str | None = None
) -> NoReturn:
    """Refused: NotImplementedError, since Triton's kernels are for GPUs."""
    raise NotImplementedError(
        f"triton_op(): {name!r} needs Triton, which compiles for GPUs; rushlight runs on the CPU; use "
        "torch.library.custom_op"
    )


def wrap_triton(triton_kernel: Any, /) -> NoReturn:
    """Refused: NotImplementedError, as `triton_op`."""
    raise NotImplementedError("wrap_triton(): Triton compiles for GPUs; rushlight runs on the CPU")


def fallthrough_kernel(*args: Any, **kwargs: Any) -> NoReturn:
    """Stands for "no function of its own" in `Library.impl`; it is never called."""
    raise NotImplementedError("fallthrough_kernel(): it stands for a key that is passed over, and is not to be called")


class Library:
    """A namespace's operators, defined and implemented one by one.

    Args:
        ns: the namespace.
        kind: "DEF", "FRAGMENT" or "IMPL".
        dispatch_key: what `impl` registers for where it names none.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "FRAGMENT", "IMPL"):
            raise ValueError(f"Library(): 'kind' must be 'DEF', 'FRAGMENT' or 'IMPL'; found {kind!r}")
        if ns in ("aten", "prim", "prims") and kind == "DEF":
            raise ValueError(f"Library(): the namespace '{ns}' is PyTorch's own; use kind 'FRAGMENT' to add to it")
        if kind == "DEF" and ns in _DEFINED:
            raise RuntimeError(
                f"Library(): there is a library of kind 'DEF' of the namespace '{ns}' already; use kind 'FRAGMENT' "
                "to add to it"
            )
        if kind == "DEF":
            _DEFINED.add(ns)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._defined: list[OpOverload] = []

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Define an operator by its schema, "name(Tensor x) -> Tensor"; returns its name."""
        if self.kind == "IMPL":
            raise RuntimeError(f"Library.define(): a library of kind 'IMPL' defines no operators; found {schema!r}")
        parsed = parse_schema(f"{self.ns}::{schema.strip()}")
        made = _operator.define(parsed)
        made.tags = _tags(tags)
        self._defined.append(made)
        return parsed.name.partition("::")[2]

    def impl(
        self,
        op_name: Any,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Register a function for an operator of the namespace and a dispatch key ("CPU", "Meta",
        "CompositeImplicitAutograd", ...).
        """
        if not callable(fn):
            raise TypeError(f"Library.impl(): 'fn' must be a function; found {type(fn).__name__}")
        name = (
            op_name.name()
            if isinstance(op_name, OpOverload)
            else f"{self.ns}::{str(op_name).partition('::')[2] or op_name}".removesuffix(".default")
        )
        key = (dispatch_key or self.dispatch_key or "CompositeImplicitAutograd").lower().removeprefix(
            "autogradcpu"
        ) or "autograd"
        if key not in _KEYS:
            raise RuntimeError(
                "Library.impl(): 'dispatch_key' must be one of CPU, Meta, Autograd, CompositeImplicitAutograd and "
                f"their like; found {dispatch_key!r}"
            )
        kernels = (
            op_name.kernels
            if isinstance(op_name, OpOverload)
            else _operator.find(name).kernels
            if _operator.defined(name)
            else _operator.KERNELS.setdefault(name, {})
        )
        if key in kernels and not allow_override:
            raise RuntimeError(
                f"Library.impl(): {name} has a function for '{dispatch_key}' already; use allow_override=True"
            )
        if fn is not fallthrough_kernel:
            kernels[key] = functools.partial(fn, DispatchKeySet(key)) if with_keyset else fn

    def _destroy(self) -> None:
        for op in self._defined:
            _operator.remove(op)
        self._defined.clear()
        if self.kind == "DEF":
            _DEFINED.discard(self.ns)


@contextlib.contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A library whose operators go at the end of the block."""
    made = Library(*args, **kwargs)
    try:
        yield made
    finally:
        made._destroy()


def define(
    qualname: Any,
    schema: str | Callable[..., Any] | None = None,
    alias_analysis: str = "",
    *,
    lib: Library | None = None,
    tags: Any = (),
) -> Any:
    """Define an operator: define("space::name", "(Tensor x) -> Tensor").

    Its older form is a decorator, `define(library, "name(Tensor x) -> Tensor")`: the function is what the operator
    does.
    """
    if not isinstance(schema, str):
        raise ValueError(
            f"define(): 'schema' must be a text such as '(Tensor x) -> Tensor'; found {type(schema).__name__}"
        )
    if isinstance(qualname, Library):
        name = qualname.define(schema, alias_analysis)

        def register(f: Callable[..., Any]) -> Callable[..., Any]:
            qualname.impl(name, f)
            return f

        return register
    op = _operator.define(parse_schema(qualname + schema))
    op.tags = _tags(tags)
    if lib is not None:
        lib._defined.append(op)


def impl(
    qualname: Any, types: str | Sequence[str], func: Any = None, dispatch_key: str = "", *, lib: Library | None = None
) -> Any:
    """Register a function for an operator and device types ("cpu", "default" for all), or decorate it.

    Its older form is a decorator, `impl(library, name, dispatch_key)`: what `library.impl` does with the function.
    """
    if isinstance(qualname, Library):
        library, name, key = qualname, types, dispatch_key if func is None else func

        def register(f: Callable[..., Any]) -> Callable[..., Any]:
            library.impl(name, f, key)
            return f

        return register
    names = (types,) if isinstance(types, str) else tuple(types)
    return register_kernel(qualname, None if "default" in names else names, func)


def register_kernel(
    op: Any,
    device_types: str | Sequence[str] | None,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Register the function that does an operator on devices of these types (None: on all)."""
    names = ("",) if device_types is None else (device_types,) if isinstance(device_types, str) else tuple(device_types)
    for name in names:
        if name:
            device(name)  # RuntimeError for a type of device that there is none of
    target = _of(op)
    wrap = (lambda f: _apart(target, f)) if target.made_by_custom_op else (lambda f: f)
    return _later(func, lambda f: target.kernels.update({name.lower(): wrap(f) for name in names}))


def register_fake(
    op: Any,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = False,
) -> Any:
    """Register the function that makes results of the right shape and dtype for tensors without data; the operator may
    be defined later.
    """

    def register(f: Callable[..., Any]) -> None:
        if isinstance(op, str) and op.partition("::")[2] and not _operator.defined(op):
            _operator.FAKES[op.removesuffix(".default")] = f
        else:
            _of(op).fake = f

    return _later(func, register)


def get_ctx() -> NoReturn:
    """What makes sizes that depend on data, within a function of register_fake: NotImplementedError, for tensors
    without data have known sizes here.
    """
    raise NotImplementedError(
        "get_ctx(): a size that depends on data cannot stand in a shape; rushlight's tensors without data have known "
        "sizes"
    )


impl_abstract = register_fake


def register_autograd(
    op: Any,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Library | None = None,
) -> None:
    """Register an operator's gradient: backward(ctx, *grads), with what setup_context(ctx, inputs, output) keeps."""
    target = _of(op)
    if target._schema.is_mutable:
        raise RuntimeError(
            f"register_autograd(): {target.name()} writes to its arguments, and a gradient can be registered for "
            "functional operators only"
        )
    target.rule = (backward, setup_context)


def register_autocast(op: Any, device_type: str, cast_inputs: dtype, /, *, lib: Library | None = None) -> Any:
    """Register that under autocast an operator's floating point arguments are cast to a dtype, but for those of
    float64, and that autocast is off within.

    Raises:
        RuntimeError: for a device type that autocast does not know.
    """
    if device_type not in ("cpu", "cuda"):
        raise RuntimeError(f"register_autocast(): 'device_type' must be 'cpu' or 'cuda'; found {device_type!r}")
    if not isinstance(cast_inputs, dtype):
        raise TypeError(f"register_autocast(): 'cast_inputs' must be a torch.dtype, not {type(cast_inputs).__name__}")
    _of(op).autocasts[device_type] = cast_inputs


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """Register an operator's batched form: func(info, in_dims, *args) gives the result and its out_dims."""
    target = _of(op)
    return _later(func, lambda f: setattr(target, "vmap", f))


def register_torch_dispatch(
    op: Any, torch_dispatch_class: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None
) -> Any:
    """Register what an operator does for tensors of a class: func(op, types, args, kwargs)."""
    target = _of(op)
    return _later(func, lambda f: target.for_classes.__setitem__(torch_dispatch_class, f))


def get_kernel(op: Any, dispatch_key: str) -> Callable[..., Any]:
    """The function registered for an operator and a dispatch key; RuntimeError where there is none."""
    target = _of(op)
    found = target.kernels.get(dispatch_key.lower()) or target.kernels.get("")
    if found is None:
        raise RuntimeError(
            f"get_kernel(): {target.name()} has no function for '{dispatch_key}'; found {sorted(target.kernels)}"
        )
    return found


def opcheck(
    op: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = (
        "test_schema",
        "test_autograd_registration",
        "test_faketensor",
        "test_aot_dispatch_dynamic",
    ),
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, str]:
    """Check an operator on a call: what it writes to against its schema, its results on 'meta' against the real ones,
    its gradient, and the graph of both that `make_fx` writes, run again.

    Returns:
        "SUCCESS", or what went wrong, by the name of the check.
    """
    from rushlight.library.checking import check

    return check(
        _of(op),
        args,
        kwargs or {},
        (test_utils,) if isinstance(test_utils, str) else tuple(test_utils),
        raise_exception,
        atol,
        rtol,
    )
