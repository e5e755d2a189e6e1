"""Module, the base class of every neural network part."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import rushlight
from rushlight import Tensor
from rushlight.core.warning import warn
from rushlight.nn.parameter import Buffer, Parameter
from rushlight.operators.table.types import Device

from . import _hooks
from ._hooks import (
    HookDict,
    HooksMixin,
    global_buffer_registration_hooks,
    global_module_registration_hooks,
    global_parameter_registration_hooks,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    run_registration_hooks,
    state,
)
from ._state_dict import _EXTRA_STATE_KEY_SUFFIX as _EXTRA_STATE_KEY_SUFFIX
from ._state_dict import StateDictMixin
from ._state_dict import _IncompatibleKeys as _IncompatibleKeys

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

# The names by which packages read the tables of hooks of all modules.
_global_forward_pre_hooks = _hooks.global_forward_pre_hooks
_global_forward_hooks = _hooks.global_forward_hooks
_global_forward_hooks_with_kwargs = _hooks.global_forward_hooks_with_kwargs
_global_forward_hooks_always_called = _hooks.global_forward_hooks_always_called
_global_backward_pre_hooks = _hooks.global_backward_pre_hooks
_global_backward_hooks = _hooks.global_backward_hooks
_global_parameter_registration_hooks = _hooks.global_parameter_registration_hooks
_global_buffer_registration_hooks = _hooks.global_buffer_registration_hooks
_global_module_registration_hooks = _hooks.global_module_registration_hooks

T = TypeVar("T", bound="Module")
_Part = TypeVar("_Part")


def shown(first: str, *options: tuple[str, Any, Any]) -> str:
    """What `extra_repr` says: `first`, and of each option (name, value, default) one that is not at its default."""
    return ", ".join([first, *(f"{name}={value}" for name, value, default in options if value != default)])


def _forward_unimplemented(self: Any, *input: Any) -> None:
    """The module's result for an input; the class that derives from Module defines it."""
    raise NotImplementedError(f"{type(self).__name__} defines no forward()")


class _Kind(NamedTuple):
    """A kind of part that a module registers: where it is kept, and what it may be."""

    word: str
    table: str
    accepts: type
    wanted: str
    hooks: OrderedDict[int, Any]
    rank: int
    refused: str  # its word in the error for a module that is not made yet

    def refusal(self, module: Module, name: str, value: Any) -> TypeError:
        """The error for a value that this kind of part cannot be."""
        found = rushlight.typename(value)
        return TypeError(
            f"{type(module).__name__}: the {self.word} {name!r} must be {self.wanted} or None; found {found}"
        )


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _each_once(pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Those pairs of name and part whose part did not come before."""
    seen: set[int] = set()
    for name, part in pairs:
        if id(part) not in seen:
            seen.add(id(part))
            yield name, part


def _addindent(s_: str, numSpaces: int) -> str:
    # PyTorch's name, and those of its arguments, which modules outside call in their __repr__.
    first, *rest = s_.split("\n")
    return "\n".join([first, *(" " * numSpaces + line for line in rest)])


def _parse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    """Read the arguments of ``to``: (device, dtype, non_blocking, memory_format)."""
    known = {"device", "dtype", "tensor", "other", "non_blocking", "memory_format", "copy"}
    for name in kwargs:
        if name not in known:
            raise TypeError(f"to() got an unexpected keyword argument {name!r}")
    device, dtype = kwargs.get("device"), kwargs.get("dtype")
    flags: list[Any] = []
    for i, arg in enumerate(args):
        if isinstance(arg, Tensor) and i == 0:
            device, dtype = arg.device, arg.dtype
        elif isinstance(arg, rushlight.dtype) and dtype is None:
            dtype = arg
        elif isinstance(arg, (str, rushlight.device)) and i == 0:
            device = arg
        elif isinstance(arg, int) and not isinstance(arg, bool) and i == 0:
            device = arg
        elif arg is None and i < 2:
            continue
        elif isinstance(arg, bool) and len(flags) < 2:
            flags.append(arg)
        else:
            raise TypeError(
                f"to(): argument {i + 1} must be a device, a dtype, a tensor or non_blocking; "
                f"found {type(arg).__name__}"
            )
    other = kwargs.get("tensor", kwargs.get("other"))
    if other is not None:
        device, dtype = other.device, other.dtype
    if device is not None and not isinstance(device, rushlight.device):
        device = rushlight.device(device)
    non_blocking = kwargs.get("non_blocking", flags[0] if flags else False)
    return device, dtype, non_blocking, kwargs.get("memory_format")


class Module(HooksMixin, StateDictMixin):
    """Base class of all neural network parts.

    A subclass calls ``super().__init__()``, assigns parameters, buffers and other modules to its attributes, and
    defines ``forward``. Assigned parts are found by :meth:`parameters`, :meth:`state_dict`, :meth:`to` and the like.
    """

    dump_patches: bool = False
    _version: int = 1
    training: bool
    call_super_init: bool = False

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args or kwargs) and not self.call_super_init:
            raise TypeError(
                f"{type(self).__name__}: Module's constructor takes no arguments; found {len(args)} positional ones "
                "and the "
                f"keywords {list(kwargs)}"
            )
        # Written to the dictionary at once: going through __setattr__ sixteen times is ten times slower.
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _non_persistent_buffers_set=set(),
            _backward_pre_hooks=HookDict(),
            _backward_hooks=HookDict(),
            _is_full_backward_hook=None,
            _forward_hooks=HookDict(),
            _forward_hooks_with_kwargs=OrderedDict(),
            _forward_hooks_always_called=OrderedDict(),
            _forward_pre_hooks=HookDict(),
            _forward_pre_hooks_with_kwargs=OrderedDict(),
            _state_dict_hooks=OrderedDict(),
            _state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_post_hooks=OrderedDict(),
            _modules={},
        )
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` and the hooks around it."""
        if state.hooks_seen:
            return self._call_with_hooks_(args, kwargs)
        return self.forward(*args, **kwargs)

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        own = self.__dict__
        for name in ("_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks"):
            # A module pickled elsewhere has plain dictionaries, or, from an old version, none.
            if not isinstance(own.get(name), HookDict):
                own[name] = HookDict(own.get(name) or {})
        for name in (
            "_forward_hooks_with_kwargs",
            "_forward_hooks_always_called",
            "_forward_pre_hooks_with_kwargs",
            "_state_dict_hooks",
            "_state_dict_pre_hooks",
            "_load_state_dict_pre_hooks",
            "_load_state_dict_post_hooks",
        ):
            own.setdefault(name, OrderedDict())
        own.setdefault("_non_persistent_buffers_set", set())
        own.setdefault("_is_full_backward_hook", None)

    # Registering parts.

    def _put_(self, kind: _Kind, name: Any, value: Any) -> None:
        """Put a part, or None, where parts of its kind are kept; the value was checked, the name is not yet."""
        if not isinstance(name, str):
            raise TypeError(
                f"{type(self).__name__}: the name of a {kind.word} must be a str; found {type(name).__name__}"
            )
        table = self._table_(kind, name)
        problem = None
        if not name or "." in name:
            problem = "must not contain a dot" if name else "must not be the empty string"
        elif name not in table and hasattr(self, name):
            problem = "already exists as an attribute"
        if problem:
            raise KeyError(f"{type(self).__name__}: {name!r} cannot be the name of a {kind.word}: it {problem}")
        if value is not None or kind is not _PARAMETER:
            value = run_registration_hooks(kind.hooks, self, name, value)
        table[name] = value

    def _table_(self, kind: _Kind, name: str) -> dict[str, Any]:
        """Where parts of a kind are kept; AttributeError before ``Module.__init__``."""
        table: dict[str, Any] | None = self.__dict__.get(kind.table)
        if table is None:
            raise AttributeError(
                f"cannot assign {kind.refused} before Module.__init__() call: {type(self).__name__} must call "
                f"super().__init__() before it has {name!r}"
            )
        return table

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is part of the module's state but not a parameter.

        Args:
            name: the attribute that will hold it.
            tensor: the buffer; None keeps the name and is left out of ``state_dict``.
            persistent: whether it is part of ``state_dict``.

        Raises:
            KeyError: the name is taken, empty, or has a dot.
            TypeError: the name is not a string, or the value not a tensor.
        """
        if tensor is not None and not isinstance(tensor, Tensor):
            raise _BUFFER.refusal(self, name, tensor)
        self._put_(_BUFFER, name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter.

        Args:
            name: the attribute that will hold it.
            param: the parameter; None keeps the name and is left out of ``state_dict``.

        Raises:
            KeyError: the name is taken, empty, or has a dot.
            TypeError: the name is not a string, or the value not a Parameter.
            ValueError: the parameter was computed from others.
        """
        if param is not None:
            if not isinstance(param, Parameter):
                raise _PARAMETER.refusal(self, name, param)
            if param.grad_fn is not None:
                raise ValueError(
                    f"{type(self).__name__}: the parameter {name!r} must be a leaf, found the result of "
                    f"{type(param.grad_fn).__name__}; what is computed from parameters belongs in forward()"
                )
        self._put_(_PARAMETER, name, param)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module.

        Args:
            name: the attribute that will hold it.
            module: the child.

        Raises:
            KeyError: the name is taken, empty, or has a dot.
            TypeError: the name is not a string, or the value not a Module.
        """
        if module is not None and not isinstance(module, Module):
            raise _MODULE.refusal(self, name, module)
        self._put_(_MODULE, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as :meth:`add_module`."""
        self.add_module(name, module)

    def __getattr__(self, name: str) -> Any:
        # Reached only when the ordinary look-up failed.
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in own and name in own[table]:
                return own[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        # A name that stands for a part can be given None, or taken over by a part of the same or a higher rank:
        # parameter before module before buffer. A tensor of no kind replaces a buffer and else is a plain attribute.
        own = self.__dict__
        held = kind = None
        for candidate in _KINDS:
            if name in own.get(candidate.table, ()):
                held = candidate
        if isinstance(value, Tensor):
            if isinstance(value, Parameter):
                kind = _PARAMETER
            elif held is not None or isinstance(value, Buffer):
                kind = _BUFFER
        elif isinstance(value, Module):
            kind = _MODULE
        elif value is None:
            kind = held
        if held is not None and (kind is None or kind.rank < held.rank):
            raise held.refusal(self, name, value)
        if kind is None:
            super().__setattr__(name, value)
            return
        table = self._table_(kind, name)
        persistent = kind is _BUFFER and getattr(value, "persistent", name not in self._non_persistent_buffers_set)
        if held is not kind:
            self._forget_(name)
        if kind is _MODULE:
            # Unlike add_module: a child may hide an attribute of the class.
            table[name] = run_registration_hooks(kind.hooks, self, name, value)
        elif kind is _PARAMETER:
            self.register_parameter(name, value)
        else:
            self.register_buffer(name, value, persistent)

    def _forget_(self, name: str) -> None:
        """Remove whatever the module itself has of that name."""
        own = self.__dict__
        for table in (own, *(own[kind.table] for kind in _KINDS)):
            table.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        if any(name in self.__dict__.get(kind.table, ()) for kind in _KINDS):
            self._forget_(name)
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[:1].isdigit())

    # Finding parts.

    def _at_(self, what: str, target: str, accepts: type[_Part]) -> _Part:
        """The attribute at a dotted path, which is of the given type; all before it are modules."""
        found = self
        *path, last = target.split(".")
        for name, kind in (*((name, Module) for name in path), (last, accepts)):
            if not hasattr(found, name):
                raise AttributeError(f"{what}: {type(found).__name__} has no attribute {name!r} (target {target!r})")
            found = getattr(found, name)
            if not isinstance(found, kind):
                raise AttributeError(
                    f"{what}: {name!r} (target {target!r}) must be a {kind.__name__}, found {type(found).__name__}"
                )
        return cast("_Part", found)

    def get_submodule(self, target: str) -> Module:
        """Return the module at a dotted path; the empty path is the module itself.

        Raises:
            AttributeError: the path leads nowhere, or through something that is not a module.
        """
        return self._at_("get_submodule()", target, Module) if target else self

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a dotted path; with ``strict``, only where one stands already.

        Raises:
            ValueError: the path is empty, or the value is not a module.
            AttributeError: the path leads nowhere.
        """
        if not target:
            raise ValueError("set_submodule(): target must be a dotted path; found the empty string")
        if not isinstance(module, Module):
            raise ValueError(f"set_submodule(): module must be a Module; found {type(module).__name__}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            parent._at_("set_submodule()", name, Module)
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a dotted path; AttributeError when there is none."""
        return self._at_("get_parameter()", target, Parameter)

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a dotted path; AttributeError when there is none."""
        found = self._at_("get_buffer()", target, Tensor)
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if name not in owner._buffers:
            raise AttributeError(f"get_buffer(): {name!r} (target {target!r}) is no buffer of {type(owner).__name__}")
        return found

    def _named_members(
        self, members: Callable[[Module], Any], prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yield what ``members`` gives for this module and those below, with dotted names."""
        owners = self.named_modules(None, prefix, remove_duplicate) if recurse else ((prefix, self),)
        pairs = ((_joined(path, name), t) for path, owner in owners for name, t in members(owner) if t is not None)
        return _each_once(pairs) if remove_duplicate else pairs

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield ``(name, parameter)``, children's too when ``recurse``, each parameter once by default."""
        return self._named_members(lambda m: list(m._parameters.items()), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters, children's too when ``recurse``."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield ``(name, buffer)``, children's too when ``recurse``, each buffer once by default."""
        return self._named_members(lambda m: list(m._buffers.items()), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, children's too when ``recurse``."""
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield ``(name, module)`` for each direct child, each module once."""
        return _each_once((name, child) for name, child in self._modules.items() if child is not None)

    def children(self) -> Iterator[Module]:
        """Yield the direct children."""
        return (module for _, module in self.named_children())

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yield ``(name, module)`` for this module and all below it, each once by default."""
        reached = set() if memo is None else memo
        if self not in reached:
            if remove_duplicate:
                reached.add(self)
            yield prefix, self
            for name, child in self._modules.items():
                if child is not None:
                    yield from child.named_modules(reached, _joined(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """Yield this module and all below it."""
        return (module for _, module in self.named_modules())

    # Changing all parts.

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Let calls of the module run what `torch.compile(self, ...)` makes of them.

        Raises:
            Those of `torch.compile` for arguments out of range.
        """
        made = rushlight.compile(self, *args, **kwargs)
        self.__dict__["_compiled_call_impl"] = None if made is self else made._run_._context_
        state.hooks_seen = True

    def apply(self: T, fn: Callable[[Module], Any]) -> T:
        """Call ``fn`` on every module below, children first, then on this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def _apply(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
        """Replace the values of all parameters, their gradients and all buffers by ``fn`` of them."""
        for child in self.children() if recurse else ():
            child._apply(fn)
        with rushlight.no_grad():
            for name, param in self._parameters.items():
                if param is None:
                    continue
                value = fn(param)
                grad = None if param.grad is None else fn(param.grad)
                if value.device != param.device:
                    param = self._parameters[name] = Tensor._make_subclass(type(param), value, param.requires_grad)
                    param.grad = grad
                    continue
                # The object stays: optimizers hold it.
                param.data = value
                if grad is not None and param.grad is not None:
                    param.grad.data = grad
        self._buffers.update({name: fn(buf) for name, buf in self._buffers.items() if buf is not None})
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Move the parameters and buffers to a device, and the floating point ones to a dtype, in place.

        The arguments are those of ``Tensor.to``: a device, a dtype, both, a tensor that has them, a memory format.

        Raises:
            TypeError: the dtype is neither floating point nor complex.
        """
        device, dtype, non_blocking, memory_format = _parse_to(args, kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"Module.to(): dtype must be floating point or complex; found {dtype}")
        if dtype is not None and dtype.is_complex:
            warn("Module.to(): not every module computes with complex parameters as PyTorch may one day have it")

        def convert(t: Tensor) -> Tensor:
            target = dtype if t.is_floating_point() or t.is_complex() else None
            options: dict[str, Any] = {"non_blocking": non_blocking}
            if memory_format is not None and t.dim() in (4, 5):
                options["memory_format"] = memory_format
            return t.to(t.device if device is None else device, t.dtype if target is None else target, **options)

        return self._apply(convert)

    def to_empty(self: T, *, device: Device, recurse: bool = True) -> T:
        """Move the parameters and buffers to a device without keeping their values."""
        return self._apply(partial(rushlight.empty_like, device=device), recurse)

    def type(self: T, dst_type: Any) -> T:
        """Cast all parameters and buffers to a type."""
        return self._apply(lambda t: t.type(dst_type))

    def _cast_floating_(self: T, dtype: Any) -> T:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self: T) -> T:
        """Make all parameters and buffers that are floating point float32."""
        return self._cast_floating_(rushlight.float32)

    def double(self: T) -> T:
        """Make all parameters and buffers that are floating point float64."""
        return self._cast_floating_(rushlight.float64)

    def half(self: T) -> T:
        """Make all parameters and buffers that are floating point float16."""
        return self._cast_floating_(rushlight.float16)

    def bfloat16(self: T) -> T:
        """Make all parameters and buffers that are floating point bfloat16."""
        return self._cast_floating_(rushlight.bfloat16)

    def cpu(self: T) -> T:
        """Move all parameters and buffers to the processor's memory."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: T, device: Device = None) -> T:
        """Move the parameters and buffers to a CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self: T, device: Device = None) -> T:
        """Move the parameters and buffers to an XPU device."""
        return self._apply(lambda t: t.to("xpu" if device is None else device))

    def share_memory(self: T) -> T:
        """Move the parameters and buffers to shared memory."""
        return self._apply(lambda t: t.share_memory_())

    def train(self: T, mode: bool = True) -> T:
        """Set training mode (or evaluation mode) here and below; dropout and batch norm, among others, heed it.

        Raises:
            ValueError: the mode is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError(f"train(): mode must be a bool; found {type(mode).__name__}")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self: T) -> T:
        """Set evaluation mode: the same as ``train(False)``."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Set whether the parameters record gradients."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters: to None, or to zeros."""
        for param in self.parameters():
            if set_to_none or param.grad is None:
                param.grad = None
                continue
            if param.grad.requires_grad:  # it was computed with create_graph
                param.grad.detach_()
            param.grad.zero_()

    # Printing.

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return what ``repr`` shows of the module itself; override it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()]
        head = self._get_name() + "("
        if len(extra_lines) == 1 and not child_lines:
            return head + extra_lines[0] + ")"
        lines = extra_lines + child_lines
        return head + "\n  " + "\n  ".join(lines) + "\n)" if lines else head + ")"


# In falling order of rank: see __setattr__.
_PARAMETER = _Kind(
    "parameter", "_parameters", Parameter, "an nn.Parameter", global_parameter_registration_hooks, 2, "parameters"
)
_MODULE = _Kind("child module", "_modules", Module, "an nn.Module", global_module_registration_hooks, 1, "module")
_BUFFER = _Kind("buffer", "_buffers", Tensor, "a tensor", global_buffer_registration_hooks, 0, "buffer")
_KINDS = (_PARAMETER, _MODULE, _BUFFER)

# Names by which wrappers call the path with hooks.
Module._call_impl = Module.__call__  # type: ignore[attr-defined]
Module._wrapped_call_impl = Module.__call__  # type: ignore[attr-defined]
