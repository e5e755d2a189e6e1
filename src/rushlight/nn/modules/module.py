"""Module, the base class of every neural network part."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import rushlight
from rushlight import Tensor
from rushlight.nn.parameter import Buffer, Parameter

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

T = TypeVar("T", bound="Module")


def _forward_unimplemented(self: Any, *input: Any) -> None:
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


def _indent(text: str, spaces: int) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line for line in rest)])


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
                f"to(): argument {i + 1} must be a device, a dtype, a tensor or non_blocking, got {type(arg).__name__}"
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
    _modules: dict[str, Module | None]  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            if kwargs:
                name = next(iter(kwargs))
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{name}'")
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
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
            return self._call_with_hooks(args, kwargs)
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

    def _check_name(self, kind: str, name: Any, table: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")

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
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' (torch Tensor or None required)"
            )
        tensor = run_registration_hooks(global_buffer_registration_hooks, self, name, tensor)
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

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
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{type(param).__name__}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                    "forward() method."
                )
            param = run_registration_hooks(global_parameter_registration_hooks, self, name, param)
        self._parameters[name] = param

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
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._modules[name] = run_registration_hooks(global_module_registration_hooks, self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as :meth:`add_module`."""
        self.add_module(name, module)

    def __getattr__(self, name: str) -> Any:
        # Reached only when the ordinary look-up failed.
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in own:
                values = own[table]
                if name in values:
                    return values[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in own:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._drop(name, own, self._buffers, self._modules)
            self.register_parameter(name, value)
            return
        if isinstance(value, Module):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._drop(name, own, self._parameters, self._buffers)
            self._modules[name] = run_registration_hooks(global_module_registration_hooks, self, name, value)
            return
        if name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{rushlight.typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
            return
        if name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{rushlight.typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            self._modules[name] = run_registration_hooks(global_module_registration_hooks, self, name, None)
            return
        if isinstance(value, Tensor):
            known = name in own.get("_buffers", ())
            if known or isinstance(value, Buffer):
                persistent = (
                    getattr(value, "persistent", True)
                    if isinstance(value, Buffer)
                    else (name not in self._non_persistent_buffers_set)
                )
                if not known:
                    self._drop(name, own, self._parameters, self._modules)
                self.register_buffer(name, value, persistent)
                return
        elif name in own.get("_buffers", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{rushlight.typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            self._buffers[name] = run_registration_hooks(global_buffer_registration_hooks, self, name, None)
            return
        super().__setattr__(name, value)

    def _drop(self, name: str, *tables: dict[str, Any]) -> None:
        for table in tables:
            table.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[:1].isdigit())

    # Finding parts.

    def _walk_to(self, target: str) -> Module:
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_submodule(self, target: str) -> Module:
        """Return the module at a dotted path.

        Raises:
            AttributeError: the path leads nowhere, or through something that is not a module.
        """
        return self._walk_to(target)

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a dotted path; with ``strict``, only where one stands already.

        Raises:
            ValueError: the path is empty, or the value is not a module.
            AttributeError: the path leads nowhere.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self._walk_to(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a dotted path; AttributeError when there is none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        param = getattr(module, name)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a dotted path; AttributeError when there is none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return getattr(module, name)

    def _named_members(
        self, members: Callable[[Module], Any], prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for module_prefix, module in modules:
            for name, value in members(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{module_prefix}.{name}" if module_prefix else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield ``(name, parameter)``, children's too when ``recurse``, each parameter once unless told otherwise."""
        return self._named_members(lambda m: list(m._parameters.items()), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters, children's too when ``recurse``."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield ``(name, buffer)``, children's too when ``recurse``, each buffer once unless told otherwise."""
        return self._named_members(lambda m: list(m._buffers.items()), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, children's too when ``recurse``."""
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield ``(name, module)`` for each direct child, each module once."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """Yield the direct children."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yield ``(name, module)`` for this module and all below it, each once unless told otherwise."""
        if memo is None:
            memo = set()
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                child_prefix = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, child_prefix, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """Yield this module and all below it."""
        for _, module in self.named_modules():
            yield module

    # Changing all parts.

    def apply(self: T, fn: Callable[[Module], Any]) -> T:
        """Call ``fn`` on every module below, children first, then on this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
        """Replace the values of all parameters, their gradients and all buffers by ``fn`` of them."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            with rushlight.no_grad():
                # The object stays: optimizers hold it.
                param.data = fn(param)
                if param.grad is not None:
                    param.grad.data = fn(param.grad)
        for name, buf in self._buffers.items():
            if buf is not None:
                self._buffers[name] = fn(buf)
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Move the parameters and buffers to a device, and the floating point ones to a dtype, in place.

        Call it as ``to(device=None, dtype=None, non_blocking=False)``, ``to(dtype)``, ``to(tensor)`` or
        ``to(memory_format=...)``.

        Raises:
            TypeError: the dtype is neither floating point nor complex.
        """
        device, dtype, non_blocking, memory_format = _parse_to(args, kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )

        def convert(t: Tensor) -> Tensor:
            target = dtype if t.is_floating_point() or t.is_complex() else None
            options: dict[str, Any] = {"non_blocking": non_blocking}
            if memory_format is not None and t.dim() in (4, 5):
                options["memory_format"] = memory_format
            return t.to(t.device if device is None else device, t.dtype if target is None else target, **options)

        return self._apply(convert)

    def to_empty(self: T, *, device: Any, recurse: bool = True) -> T:
        """Move the parameters and buffers to a device without keeping their values."""
        return self._apply(lambda t: rushlight.empty_like(t, device=device), recurse=recurse)

    def type(self: T, dst_type: Any) -> T:
        """Cast all parameters and buffers to a type."""
        return self._apply(lambda t: t.type(dst_type))

    def _cast_floating(self: T, dtype: Any) -> T:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self: T) -> T:
        """Cast the floating point parameters and buffers to float32."""
        return self._cast_floating(rushlight.float32)

    def double(self: T) -> T:
        """Cast the floating point parameters and buffers to float64."""
        return self._cast_floating(rushlight.float64)

    def half(self: T) -> T:
        """Cast the floating point parameters and buffers to float16."""
        return self._cast_floating(rushlight.float16)

    def bfloat16(self: T) -> T:
        """Cast the floating point parameters and buffers to bfloat16."""
        return self._cast_floating(rushlight.bfloat16)

    def cpu(self: T) -> T:
        """Move the parameters and buffers to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: T, device: Any = None) -> T:
        """Move the parameters and buffers to a CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self: T, device: Any = None) -> T:
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
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
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
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if param.grad.grad_fn is not None:
                    param.grad.detach_()
                else:
                    param.grad.requires_grad_(False)
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
        child_lines = [f"({name}): {_indent(repr(module), 2)}" for name, module in self._modules.items()]
        head = self._get_name() + "("
        if len(extra_lines) == 1 and not child_lines:
            return head + extra_lines[0] + ")"
        lines = extra_lines + child_lines
        return head + "\n  " + "\n  ".join(lines) + "\n)" if lines else head + ")"


# Names by which wrappers call the road with hooks.
Module._call_impl = Module.__call__  # type: ignore[attr-defined]
Module._wrapped_call_impl = Module.__call__  # type: ignore[attr-defined]
