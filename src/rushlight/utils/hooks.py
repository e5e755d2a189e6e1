"""Handles that take a hook out again, and the pair of graph boundaries behind a module's backward hooks."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.warning import warn

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
        tables = [ref() for ref in (self._hooks_ref, *self._extra_refs)]
        return tables[0], self.id, tuple(tables[1:])

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        global _ids
        hooks_dict, self.id, *rest = state
        # A dead dictionary still needs something to point at.
        self._hooks_ref = weakref.ref(OrderedDict() if hooks_dict is None else hooks_dict)
        self._extra_refs = tuple(weakref.ref(extra) for extra in (rest[0] if rest else ()) if extra is not None)
        # Later ids must not meet the one that is set from outside.
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
            warnings.warn(f"a tensor is saved without its backward hook {hook!r}", stacklevel=2)


_boundary_class: Any = None


def _boundary() -> Any:
    """The identity function that reports the gradients passing through it, made on first use.

    A plain identity node is used rather than hooks on existing nodes: it exists for leaf inputs too, and gathers the
    gradients of all tensors of one side in one call.
    """
    global _boundary_class
    if _boundary_class is None:
        from rushlight.autograd.function import Function

        class BackwardHookFunction(Function):
            @staticmethod
            def forward(ctx: Any, on_grads: Callable[..., Any], zeros: bool, *tensors: Tensor) -> tuple[Tensor, ...]:
                ctx.on_grads = on_grads
                ctx.set_materialize_grads(zeros)
                behind = tuple(t.view_as(t) for t in tensors)
                ctx.mark_non_differentiable(*(y for y, t in zip(behind, tensors, strict=True) if not t.requires_grad))
                return behind

            @staticmethod
            def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
                return (None, None, *ctx.on_grads(grads))

        _boundary_class = BackwardHookFunction
    return _boundary_class


class BackwardHook:
    """Runs a module's full backward hooks when gradients reach its outputs and its inputs.

    Args:
        module: the module, given to each hook.
        user_hooks: called with ``(module, grad_input, grad_output)``; what they return replaces ``grad_input``.
        user_pre_hooks: called with ``(module, grad_output)``; what they return replaces ``grad_output``.
    """

    def __init__(self, module: Any, user_hooks: list[Any], user_pre_hooks: list[Any]) -> None:
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.inputs, self.outputs = _Side(zeros=True), _Side(zeros=False)
        self.grad_outputs: tuple[Any, ...] | None = None

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments with the boundary put after those that are tensors."""
        return self.inputs.watch(args, self._on_grad_inputs, bool(self.user_hooks))

    def setup_output_hook(self, output: Any) -> Any:
        """Return the output (a tensor or a tuple) with the boundary put after its tensors."""
        if not isinstance(output, tuple):
            return self.outputs.watch((output,), self._on_grad_outputs)[0]
        watched = self.outputs.watch(output, self._on_grad_outputs)
        if watched is output:
            return output
        return type(output)(*watched) if hasattr(output, "_fields") else type(output)(watched)

    def _on_grad_outputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        self.grad_outputs = self._through(self.user_pre_hooks, self.outputs.widen(grads))
        pulled = self.outputs.narrow(self.grad_outputs)
        if not self.inputs.places:
            # No input leads further back, so this is the last moment that belongs to the module.
            nothing = (None,) * self.inputs.size
            if self.user_hooks:
                warn(
                    f"{type(self.module).__name__}: the full backward hooks run when the gradients of the outputs "
                    "are known, "
                    "for no input requires grad"
                )
            for hook in self.user_hooks:
                result = hook(self.module, nothing, self.grad_outputs)
                if any(grad is not None for grad in (result if isinstance(result, tuple) else (result,))):
                    raise RuntimeError(
                        f"{type(self.module).__name__}: the backward hook {hook!r} must return None, for no input of "
                        "the "
                        "module requires grad; found a gradient"
                    )
            self.grad_outputs = None
        return pulled

    def _on_grad_inputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.grad_outputs is None:
            return grads  # this gradient does not belong to the module's results, for which hooks are called
        found = self._through(self.user_hooks, self.inputs.widen(grads), self.grad_outputs)
        self.grad_outputs = None
        return self.inputs.narrow(found)

    def _through(self, hooks: Iterable[Any], grads: tuple[Any, ...], *more: Any) -> tuple[Any, ...]:
        """The gradients after hooks each of which may have returned others in their place."""
        count = len(grads)
        for hook in hooks:
            result = hook(self.module, grads, *more)
            if result is not None:
                result = result if isinstance(result, tuple) else (result,)
                if len(result) != count:
                    raise RuntimeError(
                        f"{type(self.module).__name__}: the backward hook {hook!r} must return None or {count} "
                        "gradients; "
                        f"found {len(result)}"
                    )
                for old, new in zip(grads, result, strict=True):
                    _check_exchange(type(self.module).__name__, hook, old, new)
                grads = result
        return grads


def _check_exchange(module: str, hook: Any, old: Any, new: Any) -> None:
    """Errors for what a hook gave for a gradient and is not of its dtype, device and shape."""
    if new is None:
        return
    if not isinstance(new, Tensor):
        raise TypeError(
            f"{module}: the backward hook {hook!r} must return Tensors or None as gradients; found {type(new).__name__}"
        )
    if old is not None and (new.dtype is not old.dtype or new.device != old.device):
        raise RuntimeError(
            f"{module}: the backward hook {hook!r} has changed the type of value: a gradient of dtype {old.dtype} on "
            f"{old.device} "
            f"must stay one; found {new.dtype} on {new.device}"
        )
    if old is not None and new.shape != old.shape:
        raise RuntimeError(
            f"{module}: the backward hook {hook!r} has changed the size of value: a gradient of shape "
            f"{tuple(old.shape)} "
            f"must stay one; found {tuple(new.shape)}"
        )


class _Side:
    """One side of a module, its arguments or its results: which of these are tensors behind the boundary.

    zeros: whether the hooks find zeros, and not None, where a tensor gets no gradient.
    """

    def __init__(self, *, zeros: bool) -> None:
        self.zeros = zeros
        self.size = 0
        self.places: list[int] = []

    def watch(self, values: tuple[Any, ...], on_grads: Callable[..., Any], wanted: bool = True) -> tuple[Any, ...]:
        """The values with their tensors behind a boundary; the same ones where no gradient can come."""
        self.size = len(values)
        places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
        tensors = [values[place] for place in places]
        if not (wanted and rushlight.is_grad_enabled() and any(t.requires_grad for t in tensors)):
            return values
        self.places = places
        behind = dict(zip(places, _boundary().apply(on_grads, self.zeros, *tensors), strict=True))
        return tuple(behind.get(place, value) for place, value in enumerate(values))

    def widen(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """A gradient, or None, for every value, from those of the tensors."""
        known = dict(zip(self.places, grads, strict=True))
        return tuple(known.get(place) for place in range(self.size))

    def narrow(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the tensors, from those of every value."""
        return tuple(grads[place] for place in self.places)
