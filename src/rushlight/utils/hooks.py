"""Handles that take a hook out again, and the pair of graph boundaries behind a module's backward hooks."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import rushlight
from rushlight import Tensor

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]

_ids = count()


class RemovableHandle:
    """Takes a hook out of the dictionary (and its side tables) that it was put in.

    Args:
        hooks_dict: the dictionary of hooks; the handle's ``id`` is the key.
        extra_dict: one dictionary, or several, that hold the same key for their own purpose.
    """

    __slots__ = ("_extra_refs", "_hooks_ref", "id", "__weakref__")

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        # Weak, so that a handle kept by the user does not keep the module alive.
        self._hooks_ref = weakref.ref(hooks_dict)
        self.id = next(_ids)
        if extra_dict is None:
            extras: Iterable[Any] = ()
        elif isinstance(extra_dict, dict):
            extras = (extra_dict,)
        else:
            extras = extra_dict
        self._extra_refs = tuple(weakref.ref(extra) for extra in extras)

    def remove(self) -> None:
        """Take the hook out; a second call does nothing."""
        for ref in (self._hooks_ref, *self._extra_refs):
            table = ref()
            if table is not None:
                table.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, ...]:
        return (self._hooks_ref(), self.id, tuple(ref() for ref in self._extra_refs))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        global _ids
        hooks_dict, self.id, *rest = state
        # A dead dictionary still needs something to point at.
        self._hooks_ref = weakref.ref(OrderedDict() if hooks_dict is None else hooks_dict)
        self._extra_refs = tuple(weakref.ref(extra) for extra in (rest[0] if rest else ()) if extra is not None)
        # Keep later ids clear of the one that came from outside.
        _ids = count(max(next(_ids), self.id + 1))

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self.remove()


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a hook so that saving the tensor that carries it warns the user."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: Tensor) -> None:
    """Warn for every backward hook of the tensor that a saved copy would lose."""
    import warnings

    hooks = getattr(tensor, "_backward_hooks", None) or {}
    for hook in hooks.values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(f"backward hook {hook!r} on tensor will not be serialized", stacklevel=2)


_boundary_class: Any = None


def _boundary() -> Any:
    """The identity function that reports the gradients passing through it, made on first use.

    A plain identity node is used rather than hooks on existing nodes: it exists for leaf inputs too, and gathers the
    gradients of all tensors of one side in one call.
    """
    global _boundary_class
    if _boundary_class is None:

        class ModuleBoundary(rushlight.autograd.Function):
            @staticmethod
            def forward(ctx: Any, on_grads: Callable[..., Any], *tensors: Tensor) -> tuple[Tensor, ...]:
                ctx.on_grads = on_grads
                ctx.set_materialize_grads(False)
                return tuple(t.view_as(t) for t in tensors)

            @staticmethod
            def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
                return (None, *ctx.on_grads(grads))

        _boundary_class = ModuleBoundary
    return _boundary_class


class BackwardHook:
    """Runs a module's full backward hooks when gradients reach its outputs and its inputs.

    Args:
        module: the module, given to each hook.
        user_hooks: called with ``(module, grad_input, grad_output)``; what they return replaces ``grad_input``.
        user_pre_hooks: called with ``(module, grad_output)``; what they return replaces ``grad_output``.
    """

    def __init__(self, module: Any, user_hooks: list[Any], user_pre_hooks: list[Any]) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.input_places: list[int] | None = None
        self.n_inputs = -1
        self.output_places: list[int] = []
        self.n_outputs = -1

    @staticmethod
    def _spread(places: list[int], values: Iterable[Any], size: int) -> tuple[Any, ...]:
        out: list[Any] = [None] * size
        for place, value in zip(places, values, strict=True):
            out[place] = value
        return tuple(out)

    def _insert(self, args: tuple[Any, ...], on_grads: Callable[..., Any]) -> tuple[tuple[Any, ...], list[int]] | None:
        places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        if not (rushlight.is_grad_enabled() and any(args[i].requires_grad for i in places)):
            return None
        new_args = list(args)
        for place, tensor in zip(places, _boundary().apply(on_grads, *(args[i] for i in places)), strict=True):
            new_args[place] = tensor
        return tuple(new_args), places

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments with the boundary put after those that are tensors."""
        self.n_inputs = len(args)
        inserted = self._insert(args, self._on_grad_inputs) if self.user_hooks else None
        if inserted is None:
            return args
        args, self.input_places = inserted
        return args

    def setup_output_hook(self, output: Any) -> Any:
        """Return the output (a tensor or a tuple) with the boundary put after its tensors."""
        is_tuple = isinstance(output, tuple)
        outputs = output if is_tuple else (output,)
        self.n_outputs = len(outputs)
        inserted = self._insert(outputs, self._on_grad_outputs)
        if inserted is None:
            return output
        outputs, self.output_places = inserted
        if not is_tuple:
            return outputs[0]
        return type(output)(*outputs) if hasattr(output, "_fields") else type(output)(outputs)

    def _on_grad_outputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        grad_outputs = self._spread(self.output_places, grads, self.n_outputs)
        for hook in self.user_pre_hooks:
            result = hook(self.module, grad_outputs)
            if result is None:
                continue
            result = result if isinstance(result, tuple) else (result,)
            if len(result) != len(grad_outputs):
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(result)}, but expected {len(grad_outputs)}"
                )
            grad_outputs = result
        self.grad_outputs = grad_outputs
        if self.input_places is None:
            # No input leads further back, so this is the last moment that belongs to the module.
            self._call_user_hooks((None,) * self.n_inputs, may_replace=False)
        return tuple(grad_outputs[i] for i in self.output_places)

    def _on_grad_inputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.grad_outputs is None:
            raise RuntimeError(
                "Module backward hook for grad_input is called before the grad_output one. This happens when the "
                "gradient is not propagated through the module's outputs: check that the module returns a Tensor or "
                "a tuple of Tensors (not a list or a dict)."
            )
        assert self.input_places is not None
        grad_inputs = self._call_user_hooks(self._spread(self.input_places, grads, self.n_inputs), may_replace=True)
        return tuple(grad_inputs[i] for i in self.input_places)

    def _call_user_hooks(self, grad_inputs: tuple[Any, ...], may_replace: bool) -> tuple[Any, ...]:
        for hook in self.user_hooks:
            result = hook(self.module, grad_inputs, self.grad_outputs)
            if result is None:
                continue
            if not may_replace:
                if isinstance(result, tuple) and all(item is None for item in result):
                    continue
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None "
                    "for all gradients."
                )
            result = result if isinstance(result, tuple) else (result,)
            if len(result) != len(grad_inputs):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(result)}, but expected {len(grad_inputs)}"
                )
            grad_inputs = result
        self.grad_outputs = None
        return grad_inputs
