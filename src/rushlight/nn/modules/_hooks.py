"""The hooks of modules: registering them, and the calling convention once there is one."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from rushlight import Tensor
from rushlight.core.naming import named
from rushlight.core.warning import warn
from rushlight.utils.hooks import BackwardHook, RemovableHandle

Hook = Callable[..., Any]


def _beyond_old_hooks(inputs: Any, output: Any, grad_fn: Any) -> str | None:
    """Why the hook of one node, the output's, does not see the gradients of a module's inputs and outputs."""
    outputs = output if isinstance(output, tuple) else (output,)
    if not all(isinstance(t, Tensor) for t in outputs):
        return "an output that is neither a tensor nor a tuple of tensors"
    if not all(isinstance(t, Tensor) for t in inputs):
        return "inputs that are not all tensors"
    if len({t.grad_fn for t in outputs}) > 1:
        return "outputs of several nodes"
    if len(outputs) == 1 and {t.grad_fn for t in inputs} != {node for node, _ in grad_fn.next_functions}:
        return "a forward of several nodes"
    return None


class _State:
    """Whether any call hook was ever registered in this process."""

    __slots__ = ("hooks_seen",)

    def __init__(self) -> None:
        self.hooks_seen = False


state = _State()


class HookDict(OrderedDict[int, Any]):
    """A dictionary of call hooks that switches the process to the path with hooks when it first gets an entry.

    Most programs never register a hook. Looking at one flag instead of eight dictionaries is what makes a module call
    cheap; raising the flag here means that no way to add a hook (copying, unpickling, direct assignment) escapes it.
    """

    def __setitem__(self, key: int, value: Any) -> None:
        state.hooks_seen = True
        super().__setitem__(key, value)

    def __reduce__(self) -> Any:
        # A pickled module has PyTorch's plain dictionaries; Module.__setstate__ makes these of them.
        return OrderedDict, (), None, None, iter(self.items())


# Printed, a module's dictionaries look like PyTorch's.
HookDict.__name__ = HookDict.__qualname__ = "OrderedDict"
HookDict.__module__ = "collections"

global_forward_pre_hooks = HookDict()
global_forward_hooks = HookDict()
global_forward_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()
global_forward_hooks_always_called: OrderedDict[int, bool] = OrderedDict()
global_backward_pre_hooks = HookDict()
global_backward_hooks = HookDict()
global_is_full_backward_hook: bool | None = None
global_parameter_registration_hooks: OrderedDict[int, Any] = OrderedDict()
global_buffer_registration_hooks: OrderedDict[int, Any] = OrderedDict()
global_module_registration_hooks: OrderedDict[int, Any] = OrderedDict()


def add_hook(table: Any, hook: Callable[..., Any], *extras: tuple[Any, bool], prepend: bool = False) -> RemovableHandle:
    """Put a hook in a table, its handle's id as the key, and that key in the extra tables that are wanted."""
    handle = RemovableHandle(table, extra_dict=[extra for extra, _ in extras])
    table[handle.id] = hook
    for extra, wanted in extras:
        if wanted:
            extra[handle.id] = True
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


def _registers(what: str, table: HookDict | OrderedDict[int, Any], doc: str) -> Callable[[Hook], RemovableHandle]:
    """The function that puts a hook in a table for all modules."""

    def register(hook: Hook) -> RemovableHandle:
        return add_hook(table, hook)

    return named(register, f"register_module_{what}_hook", doc)


register_module_forward_pre_hook = _registers(
    "forward_pre", global_forward_pre_hooks, "Call ``hook(module, args)`` before every forward of every module."
)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` (``(module, args, kwargs, output)`` with kwargs) after every forward."""
    return add_hook(
        global_forward_hooks,
        hook,
        (global_forward_hooks_with_kwargs, with_kwargs),
        (global_forward_hooks_always_called, always_call),
    )


def _one_kind(owner: str, full_so_far: bool | None, full: bool) -> bool:
    """Whether backward hooks are full ones; RuntimeError when some of the other kind were registered."""
    if full_so_far is not None and full_so_far != full:
        raise RuntimeError(
            f"{owner} cannot have backward hooks of both kinds, full and old: register_backward_hook() is the old kind"
        )
    return full


def _register_global_backward(hook: Callable[..., Any], full: bool) -> RemovableHandle:
    global global_is_full_backward_hook
    global_is_full_backward_hook = _one_kind("All modules together", global_is_full_backward_hook, full)
    return add_hook(global_backward_hooks, hook)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Deprecated: use :func:`register_module_full_backward_hook`."""
    return _register_global_backward(hook, False)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` when the gradients of any module's inputs are known."""
    return _register_global_backward(hook, True)


register_module_full_backward_pre_hook = _registers(
    "full_backward_pre",
    global_backward_pre_hooks,
    "Call ``hook(module, grad_output)`` when the gradients of any module's outputs are known.",
)

_REGISTRATION = "Call ``hook(module, name, {value})`` at every ``{method}``; what it returns is registered instead."

register_module_parameter_registration_hook = _registers(
    "parameter_registration",
    global_parameter_registration_hooks,
    _REGISTRATION.format(value="param", method="register_parameter"),
)
register_module_buffer_registration_hook = _registers(
    "buffer_registration",
    global_buffer_registration_hooks,
    _REGISTRATION.format(value="buffer", method="register_buffer"),
)
register_module_module_registration_hook = _registers(
    "module_registration",
    global_module_registration_hooks,
    _REGISTRATION.format(value="submodule", method="add_module"),
)


def run_registration_hooks(table: Any, module: Any, name: str, value: Any) -> Any:
    """Pass a value about to be registered through the global hooks of its kind."""
    for hook in table.values():
        replacement = hook(module, name, value)
        if replacement is not None:
            value = replacement
    return value


class HooksMixin:
    """The part of Module that registers call hooks and runs a call that has some."""

    _forward_hooks: HookDict
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _forward_pre_hooks: HookDict
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _backward_hooks: HookDict
    _backward_pre_hooks: HookDict
    _is_full_backward_hook: bool | None

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call the hook before each forward.

        Args:
            hook: ``hook(module, args)`` returning None or new args; with ``with_kwargs``,
                ``hook(module, args, kwargs)`` returning None or ``(new_args, new_kwargs)``.
            prepend: run it before the hooks registered so far.
            with_kwargs: give the hook the keyword arguments.

        Returns:
            A handle whose ``remove()`` takes the hook out.
        """
        extra = (self._forward_pre_hooks_with_kwargs, with_kwargs)
        return add_hook(self._forward_pre_hooks, hook, extra, prepend=prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call the hook after each forward.

        Args:
            hook: ``hook(module, args, output)`` (``hook(module, args, kwargs, output)`` with ``with_kwargs``); what it
                returns, unless None, replaces the output.
            prepend: run it before the hooks registered so far.
            with_kwargs: give the hook the keyword arguments.
            always_call: run it even when the forward raises.

        Returns:
            A handle whose ``remove()`` takes the hook out.
        """
        return add_hook(
            self._forward_hooks,
            hook,
            (self._forward_hooks_with_kwargs, with_kwargs),
            (self._forward_hooks_always_called, always_call),
            prepend=prepend,
        )

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are known; it may replace them."""
        return add_hook(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are known.

        What it returns, unless None, replaces ``grad_input``.
        """
        self._is_full_backward_hook = _one_kind(type(self).__name__, self._is_full_backward_hook, True)
        return add_hook(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Deprecated: use :meth:`register_full_backward_hook`. The hook sees the last graph node of the forward."""
        self._is_full_backward_hook = _one_kind(type(self).__name__, self._is_full_backward_hook, False)
        return add_hook(self._backward_hooks, hook)

    def _get_backward_hooks(self) -> tuple[list[Any], list[Any]]:
        """The full backward hooks and the old ones, global hooks first."""
        found: tuple[list[Any], list[Any]] = ([], [])
        for table, are_full in (
            (global_backward_hooks, global_is_full_backward_hook),
            (self._backward_hooks, self._is_full_backward_hook),
        ):
            found[0 if are_full else 1].extend(table.values())
        return found

    def _run_pre_hooks_(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, as the hooks before the forward leave them."""
        for key, hook in [*global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()]:
            takes_both = key in self._forward_pre_hooks_with_kwargs
            new = hook(self, args, kwargs) if takes_both else hook(self, args)
            if new is None:
                continue
            if not takes_both:
                args = new if isinstance(new, tuple) else (new,)
            elif isinstance(new, tuple) and len(new) == 2:
                args, kwargs = new
            else:
                raise RuntimeError(
                    f"{type(self).__name__}: a forward pre-hook with_kwargs must return None or a pair (args, kwargs), "
                    f"found {new!r}"
                )
        return args, kwargs

    def _run_forward_hook_(self, hook_id: int, hook: Any, args: Any, kwargs: Any, output: Any) -> Any:
        if hook_id in self._forward_hooks_with_kwargs or hook_id in global_forward_hooks_with_kwargs:
            replacement = hook(self, args, kwargs, output)
        else:
            replacement = hook(self, args, output)
        return output if replacement is None else replacement

    def _call_with_hooks_(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        context = self.__dict__.get("_compiled_call_impl")
        if context is not None:
            return context.call(lambda *args, **kwargs: self._run_with_hooks_(args, kwargs), args, kwargs)
        return self._run_with_hooks_(args, kwargs)

    def _run_with_hooks_(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        full_hooks, old_hooks = self._get_backward_hooks()
        pre_hooks = [*global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
        output = None
        done: set[int] = set()
        try:
            args, kwargs = self._run_pre_hooks_(args, kwargs)
            boundary = BackwardHook(self, full_hooks, pre_hooks) if full_hooks or pre_hooks else None
            if boundary is not None:
                args = boundary.setup_input_hook(args)
            output = self.forward(*args, **kwargs)
            for hook_id, hook in (*global_forward_hooks.items(), *self._forward_hooks.items()):
                # Marked before the call: a hook that raises is not run a second time below.
                done.add(hook_id)
                output = self._run_forward_hook_(hook_id, hook, args, kwargs, output)
            if boundary is not None:
                if not isinstance(output, (Tensor, tuple)):
                    warnings.warn(
                        f"{type(self).__name__}: backward hooks run only for an output that is a tensor or a tuple of "
                        f"tensors, found {type(output).__name__}",
                        stacklevel=3,
                    )
                output = boundary.setup_output_hook(output)
            if old_hooks:
                self._attach_old_backward_hooks_(old_hooks, args, output)
        except Exception:
            self._run_always_called_(done, args, kwargs, output)
            raise
        return output

    def _run_always_called_(self, done: set[int], args: Any, kwargs: Any, output: Any) -> None:
        always = (
            (global_forward_hooks, global_forward_hooks_always_called),
            (self._forward_hooks, self._forward_hooks_always_called),
        )
        for hooks, wanted in always:
            for hook_id, hook in hooks.items():
                if hook_id in wanted and hook_id not in done:
                    try:
                        output = self._run_forward_hook_(hook_id, hook, args, kwargs, output)
                    except Exception as error:  # the forward's own error must reach the user
                        warnings.warn(
                            f"{type(self).__name__}: a forward hook with always_call, run after an error, failed "
                            "itself: "
                            f"{type(error).__name__}: {error}",
                            stacklevel=4,
                        )

    def _attach_old_backward_hooks_(self, hooks: list[Any], inputs: Any, output: Any) -> None:
        tensor = output
        while not isinstance(tensor, Tensor):
            tensor = next(iter(tensor.values())) if isinstance(tensor, dict) else tensor[0]
        grad_fn = tensor.grad_fn
        if grad_fn is not None:
            if (why := _beyond_old_hooks(inputs, output, grad_fn)) is not None:
                warn(
                    f"{type(self).__name__}: a hook of register_backward_hook() sees the gradients of one node, and is "
                    f"deprecated for {why}; register_full_backward_hook() sees those of the module",
                    FutureWarning,
                )
            for hook in hooks:
                grad_fn.register_hook(functools.partial(hook, self))
