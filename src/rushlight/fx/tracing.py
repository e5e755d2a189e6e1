"""`symbolic_trace`: run a module or function on proxies, and keep what it does to them as a graph."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from rushlight.core.tensor import Tensor
from rushlight.func.tree import Spec, flatten
from rushlight.fx.graph import Graph, _PyTreeCodeGen, _PyTreeInfo
from rushlight.fx.node import Argument
from rushlight.fx.proxy import ParameterProxy, Proxy, TracerBase
from rushlight.nn import Module, Parameter
from rushlight.operators.table.dispatch import handed_whole, whole
from rushlight.operators.tensors.checking import _assert

if TYPE_CHECKING:
    from rushlight.fx.node import Node

__all__ = ["PH", "PHBase", "PHWithMeta", "Tracer", "is_fx_tracing", "wrap"]

# A trace replaces attributes of Module and names of modules, which all threads see. So one thread traces at a time, and
# the replacements let calls of other threads pass.
_lock = threading.RLock()


class _Depth(threading.local):
    traces = 0


_depth = _Depth()


def is_fx_tracing() -> bool:
    """Whether this thread makes a symbolic trace."""
    return _depth.traces > 0


class PHBase:
    """The class of `PH`, which says in `concrete_args` that a leaf of a container is an input of the graph."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """A placeholder whose attributes become the meta of its node. ph_key: a name for it, for the caller."""

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key


# Functions that `wrap` made leaves: (id of the module's globals, name) -> the globals.
_wrapped: dict[tuple[int, str], dict[str, Any]] = {}
_wrapped_methods: list[tuple[type, str]] = []


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Make a function of the calling module, or a builtin by its name, a leaf: traces hold the call of it. Also a
    decorator.

    To be called at the top of a module.

    Raises:
        RuntimeError: for what is neither.
        NotImplementedError: elsewhere.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "wrap(): 'fn_or_name' must be a function, or the name of one of this module or of builtins; "
            f"found {type(fn_or_name).__name__}"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    if callable(fn_or_name):
        assert not isinstance(fn_or_name, str)
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


def _record_call(
    name: str, original: Callable[..., Any], arrange: Callable[..., Any] | None = None, wrapped: bool = True
) -> Callable[..., Any]:
    """The function, which is recorded as a node when a proxy is among its arguments; `arrange` says which of them by
    name. wrapped: it is a leaf because the program, not the library, says so.
    """

    @functools.wraps(original)
    def leaf(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return original(*args, **kwargs)
        if arrange is not None:
            args, kwargs = arrange(original, args, kwargs)
        made = proxy.tracer.create_proxy("call_function", original, args, kwargs)
        if wrapped:
            made.node.meta["is_wrapped"] = True  # its code wraps the name again, so that a trace of it has the call
        return made

    return leaf


def _find_proxy(*values: Any) -> Proxy | None:
    for v in values:
        if isinstance(v, Proxy):
            return v
        found = None
        if isinstance(v, (tuple, list)):
            found = _find_proxy(*v)
        elif isinstance(v, dict):
            found = _find_proxy(*v.values())
        elif isinstance(v, slice):
            found = _find_proxy(v.start, v.stop, v.step)
        if found is not None:
            return found
    return None


class _Patches:
    """Attributes and names that are replaced while a trace is made."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        own = name in vars(owner)
        old = getattr(owner, name)
        setattr(owner, name, value)
        self.undo.append(lambda: setattr(owner, name, old) if own else delattr(owner, name))

    def item(self, namespace: dict[str, Any], name: str, value: Any) -> None:
        if name in namespace:
            old = namespace[name]
            self.undo.append(lambda: namespace.__setitem__(name, old))
        else:
            self.undo.append(lambda: namespace.pop(name))
        namespace[name] = value

    def __enter__(self) -> _Patches:
        return self

    def __exit__(self, *exc: object) -> None:
        while self.undo:
            self.undo.pop()()


def _assert_is_none(value: Any, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


_wrapped[id(globals()), "_assert_is_none"] = globals()


class Tracer(TracerBase):
    """Traces a module or function; override methods of it to change what becomes a leaf and what is recorded.

    autowrap_modules: modules whose functions become leaves. autowrap_functions: further functions that do.
    param_shapes_constant: sizes of parameters are numbers in the trace, not values of it.
    """

    _done: set[int]

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        self._autowrap_search = list(autowrap_modules)
        self._autowrap_ids_ = {
            id(f) for m in autowrap_modules for n, f in vars(m).items() if not n.startswith("_") and callable(f)
        } | {id(f) for f in autowrap_functions}
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.root: Module = Module()
        self.tensor_attrs: dict[int, str] = {}
        self.module_stack: OrderedDict[str, tuple[str, Any]] = OrderedDict()

    # ---- what a subclass may override
    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a call of the module is one node; so for the modules of torch.nn but Sequential."""
        return (
            type(m).__module__.startswith(("rushlight.nn", "torch.nn", "rushlight.ao.nn"))
            and type(m).__name__ != "Sequential"
        )

    def path_of_module(self, mod: Module) -> str:
        """The path of a submodule of the root. NameError: it is none."""
        if self.submodule_paths:
            found = self.submodule_paths.get(mod)
            if found is None:
                raise NameError("module is not installed as a submodule")
            return found
        for name, m in self.root.named_modules():
            if m is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call of a submodule does: a node for a leaf, else its `forward` runs on the proxies."""
        path = self.path_of_module(m)
        self.module_stack[path] = path, type(m)
        try:
            return (
                forward(*args, **kwargs)
                if not self.is_leaf_module(m, path)
                else self.create_proxy("call_module", path, args, kwargs)
            )
        finally:
            self.module_stack.popitem()

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """What reading an attribute of a module gives: a proxy for a parameter (and a buffer, with
        `proxy_buffer_attributes`).
        """
        return self._module_getattr_(attr, attr_val, parameter_proxy_cache)

    def _module_getattr_(self, attr: str, attr_val: Any, cache: dict[str, Any]) -> Any:
        found = None
        if isinstance(attr_val, Parameter):
            found = next((n for n, p in self.root.named_parameters() if p is attr_val), None)
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            found = next((n for n, b in self.root.named_buffers() if b is attr_val), None)
        if found is None:
            return attr_val
        if found not in cache:
            more: dict[str, Any] = {}  # (a program's `create_proxy` may not know the argument)
            if self.param_shapes_constant and isinstance(attr_val, Parameter):
                more["proxy_factory_fn"] = lambda node: ParameterProxy(self, node, found, attr_val)
            cache[found] = self.create_proxy("get_attr", found, (), {}, **more)
        return cache[found]

    def create_arg(self, a: Any) -> Argument:
        """A value as an argument of a node; parameters, buffers, other tensors and submodules become attributes of the
        root.
        """
        if isinstance(a, Parameter):
            for name, p in self.root.named_parameters():
                if p is a:
                    return self.create_node("get_attr", name, (), {})
            return self._constant_(a, "_param_constant")
        if isinstance(a, Tensor):
            for name, b in self.root.named_buffers():
                if b is a:
                    return self.create_node("get_attr", name, (), {})
            return self._constant_(a, "_tensor_constant")
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(self.create_arg(x) for x in a), {})
        return super().create_arg(a)

    def _constant_(self, value: Tensor, base: str) -> Argument:
        name = self.tensor_attrs.get(id(value))
        if name is None:
            name = self.get_fresh_qualname(base)
            self.tensor_attrs[id(value)] = name
            setattr(self.root, name, value)
        return self.create_node("get_attr", name, (), {})

    def get_fresh_qualname(self, prefix: str) -> str:
        """An attribute's name that the root does not have yet: the prefix and a number."""
        i = 0
        while hasattr(self.root, f"{prefix}{i}"):
            i += 1
        return f"{prefix}{i}"

    def create_node(
        self,
        kind: str,
        target: Any,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node of the graph, with the stack of the modules that it was made in as meta["nn_module_stack"]."""
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        if self.module_stack and kind not in ("placeholder", "output"):
            node.meta["nn_module_stack"] = self.module_stack.copy()
        return node

    # ---- inputs
    def create_args_for_root(
        self,
        root_fn: Callable[..., Any],
        is_module: bool,
        concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    ) -> tuple[Callable[..., Any], list[Any]]:
        """The function to run and its arguments: a proxy for each parameter, or its value in `concrete_args`."""
        fn = inspect.unwrap(root_fn)
        code: CodeType = fn.__code__
        total = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:total])
        args: list[Any] = []
        if is_module:
            if not names:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            names.pop(0)
            args.append(self.root)
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names, concrete_args, strict=True))
        signature = inspect.signature(fn)
        positional = [n for n in names if signature.parameters[n].kind is not inspect.Parameter.KEYWORD_ONLY]
        keyword = [n for n in names if n not in positional]
        args += [self._input_(name, signature, concrete_args or {}) for name in positional]
        flags = code.co_flags
        star = (
            [self.create_proxy("placeholder", "*" + code.co_varnames[total], (), {})]
            if flags & inspect.CO_VARARGS
            else []
        )
        values = {name: self._input_(name, signature, concrete_args or {}) for name in keyword}
        at = total + (1 if flags & inspect.CO_VARARGS else 0)
        stars = (
            [self.create_proxy("placeholder", "**" + code.co_varnames[at], (), {})]
            if flags & inspect.CO_VARKEYWORDS
            else []
        )
        run = (
            _with_variable_arguments(fn, len(args), keyword, bool(star), bool(stars))
            if keyword or star or stars
            else fn
        )
        args += [values[n] for n in keyword]
        if concrete_args is not None:
            leaves, in_spec = flatten((*args, *star, *stars))
            if any(not child.is_leaf() for child in in_spec.children()):
                return self._flattened_(run, leaves, in_spec, code.co_varnames[:total])
        return run, [*args, *star, *stars]

    def _flattened_(
        self, run: Callable[..., Any], leaves: list[Any], in_spec: Spec, names: tuple[str, ...]
    ) -> tuple[Callable[..., Any], list[Any]]:
        """The function as one of the leaves of its arguments that returns leaves; the graph's code has the
        containers.
        """
        self.graph._codegen = codegen = _PyTreeCodeGen(_PyTreeInfo(list(names), in_spec, None))

        def flat(*values: Any) -> list[Any]:
            found, out_spec = flatten(run(*in_spec.unflatten(values)))
            codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
            return found

        return flat, leaves

    def _input_(self, name: str, signature: inspect.Signature, concrete: dict[str, Any]) -> Any:
        default = signature.parameters[name].default
        given = () if default is inspect.Parameter.empty else (default,)
        annotation = signature.parameters[name].annotation
        kind = None if annotation is inspect.Parameter.empty or isinstance(annotation, str) else annotation
        if name not in concrete:
            return self.create_proxy("placeholder", name, given, {}, type_expr=kind)
        leaves, spec = flatten(concrete[name])
        return spec.rebuild([self._leaf_(name, i, value, given) for i, value in enumerate(leaves, 1)])

    def _leaf_(self, name: str, i: int, value: Any, given: tuple[Any, ...]) -> Any:
        """Leaf `i` of an argument in `concrete_args`: a placeholder for it, or its value, which the graph checks."""
        proxy = self.create_proxy("placeholder", f"{name}_{i}", given, {})
        if isinstance(value, PHBase):
            if isinstance(value, PHWithMeta):
                proxy.node.meta.update({k: v for k, v in vars(value).items() if k != "ph_key"})
            return proxy
        message = f"{name} has been specialized to have value {value} but got another value"
        if isinstance(value, (bool, int, float, str)):
            same = proxy == value  # type: ignore[comparison-overlap]
            self.create_proxy("call_function", _assert, (same, message), {})
        elif value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, message), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to "
                "the user to make sure that your inputs match the inputs you specialized the function with.",
                stacklevel=2,
            )
        return value

    # ---- the trace
    def trace(self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """The graph of a module or function.

        Args:
            concrete_args: values of parameters that the trace is made for; the graph checks numbers and None when it
                runs.

        Raises:
            TraceError: the program needs a value that is known only when it runs.
        """
        is_module = isinstance(root, Module)
        if is_module:
            assert isinstance(root, Module)
            self.root = root
            # the class's forward, also where the instance has its own
            fn: Callable[..., Any] = getattr(type(root), self.traced_func_name)
            self.root_module_name = type(root).__name__
            self.submodule_paths = {m: n for n, m in root.named_modules()}
        else:
            self.root = Module()
            fn = root
        self.graph = Graph(tracer_cls=getattr(self, "__class__", None))
        self.tensor_attrs = {}
        for prefix, m in self.root.named_modules():
            for k, v in vars(m).items():
                if isinstance(v, Tensor):
                    self.tensor_attrs[id(v)] = f"{prefix}.{k}" if prefix else k
        if not isinstance(inspect.unwrap(fn), FunctionType) and not inspect.ismethod(fn):
            raise TypeError(
                f"trace(): 'root' must be a module or a function written in Python; found {type(root).__name__}"
            )
        if inspect.ismethod(fn):
            bound = fn
            fn = _unbound(bound)
        globals_of = inspect.unwrap(fn).__globals__
        run, args = self.create_args_for_root(fn, is_module, concrete_args)
        cache: dict[str, Any] = {}
        _depth.traces += 1
        try:
            with _lock, _Patches() as patches:
                self._patch_(patches, globals_of, cache)
                result = run(*args)
            returns = inspect.signature(run).return_annotation
            kind = None if returns is inspect.Signature.empty or isinstance(returns, str) else returns
            self.create_node("output", "output", (self.create_arg(result),), {}, type_expr=kind)
        finally:
            _depth.traces -= 1
            self.submodule_paths = None
        return self.graph

    def _patch_(self, patches: _Patches, globals_of: dict[str, Any], cache: dict[str, Any]) -> None:
        original_call, original_getattr = Module.__call__, Module.__getattr__
        thread = threading.get_ident()

        def module_getattr(mod: Module, attr: str) -> Any:
            if threading.get_ident() != thread:
                return original_getattr(mod, attr)
            return self.getattr(attr, original_getattr(mod, attr), cache)

        def module_call(mod: Module, *args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != thread:
                return original_call(mod, *args, **kwargs)

            def forward(*args: Any, **kwargs: Any) -> Any:
                return original_call(mod, *args, **kwargs)

            self._autowrap_(patches, getattr(getattr(mod, "forward", mod), "__globals__", {}))
            return self.call_module(mod, forward, args, kwargs)

        patches.attribute(Module, "__getattr__", module_getattr)
        patches.attribute(Module, "__call__", module_call)
        self._done = set()
        from rushlight.nn import functional

        # Functions in Python look at their arguments; as nodes they are one step, as operators are by themselves.
        for name, f in list(vars(functional).items()):
            if isinstance(f, FunctionType) and not name.startswith("_"):
                patches.item(vars(functional), name, _record_call(name, f, whole if f in handed_whole else None, False))
        for (_, name), space in list(_wrapped.items()):
            f = space.get(name, getattr(builtins, name, None))
            if f is not None:
                patches.item(space, name, _record_call(name, f))
        self._autowrap_(patches, globals_of)
        for m in self._autowrap_search:
            self._autowrap_(patches, vars(m))

    def _autowrap_(self, patches: _Patches, space: dict[str, Any]) -> None:
        if id(space) in self._done or not self._autowrap_ids_:
            return
        self._done.add(id(space))
        for name, f in list(space.items()):
            if not name.startswith("_") and callable(f) and id(f) in self._autowrap_ids_:
                patches.item(space, name, _record_call(name, f))

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        import copy

        new = type(self).__new__(type(self))
        for k, v in self.__dict__.items():
            new.__dict__[k] = v if k in ("_autowrap_search", "_done") else copy.deepcopy(v, memo)
        return new


def _unbound(method: Any) -> Callable[..., Any]:
    """A bound method as a function of its other arguments, with their names."""
    owner, fn = method.__self__, method.__func__
    code = fn.__code__
    names = code.co_varnames[1 : code.co_argcount]
    space: dict[str, Any] = {"_method": fn, "_owner": owner}
    exec(f"def {fn.__name__}({', '.join(names)}):\n    return _method(_owner, {', '.join(names)})", space)
    made: FunctionType = space[fn.__name__]
    made.__defaults__ = fn.__defaults__
    return made


def _with_variable_arguments(
    fn: Callable[..., Any], n: int, keyword: list[str], star: bool, stars: bool
) -> Callable[..., Any]:
    """`fn` as a function of positional arguments alone: the proxies of *args and **kwargs are handed over as one value
    each.
    """

    def call(*values: Any) -> Any:
        rest = list(values[n:])
        given = {k: rest.pop(0) for k in keyword}
        tail = rest.pop(0) if star else ()
        more = rest.pop(0) if stars else {}
        if not star and not stars:
            return fn(*values[:n], **given)
        # Inside of `fn` the names of *args and **kwargs mean the proxies: its code is run with both as plain
        # parameters.
        return _plain_parameters(fn)(
            *values[:n], *[given[k] for k in keyword], *([tail] if star else []), *([more] if stars else [])
        )

    return call


def _plain_parameters(fn: Any) -> Callable[..., Any]:
    """The function with keyword-only, *args and **kwargs parameters turned into positional ones, in the order in which
    code lists them.
    """
    code: CodeType = fn.__code__
    count = (
        code.co_argcount
        + code.co_kwonlyargcount
        + bool(code.co_flags & inspect.CO_VARARGS)
        + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    )
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return FunctionType(
        code.replace(co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=flags),
        fn.__globals__,
        fn.__name__,
        None,
        fn.__closure__,
    )
