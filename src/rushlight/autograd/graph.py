"""The graph: its nodes, its edges, and hooks on what it saves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from rushlight.autograd.grad_mode import no_grad
from rushlight.autograd.running import GradientEdge, get_gradient_edge
from rushlight.core import engine, locks
from rushlight.core.engine import Node
from rushlight.core.record import SAVED_HOOKS
from rushlight.core.tensor import Tensor, device
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.dispatch import Removable, RemovableHandle

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "region_activation_memory_budget",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_override_stale_capture_stream",
    "set_warn_on_accumulate_grad_stream_mismatch",
]

_disabled: list[str] = []


class without_hooks(locks.Block[None]):
    """A block without hooks for saved tensors."""

    def _before_(self) -> list[Any]:
        """The hooks in force."""
        return list(SAVED_HOOKS)

    def _begin_(self) -> None:
        """Put them out of force."""
        SAVED_HOOKS.clear()

    def _end_(self, before: list[Any]) -> None:
        """Put them back."""
        SAVED_HOOKS[:] = before


class saved_tensors_hooks(locks.Block[None]):
    """Inside, `pack_hook(tensor)` is kept in the graph in the place of a saved tensor, and `unpack_hook` makes a tensor
    of it for the backward.

    Limit: what an operator saves is decided by its derivative's program, so the hooks may see other tensors than
    PyTorch's.
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def _before_(self) -> int:
        """How many hooks are in force."""
        return len(SAVED_HOOKS)

    def _begin_(self) -> None:
        """Put these in force."""
        if _disabled:
            raise RuntimeError(_disabled[-1])
        upcalls.flush("hooks for saved tensors are put in force")  # what was called before saves without them
        SAVED_HOOKS.append((self._pack, self.unpack_hook))

    def _end_(self, before: int) -> None:
        """Put them out of force."""
        del SAVED_HOOKS[before:]

    def _pack(self, t: Tensor) -> Any:
        # Calls within the hook save their tensors without hooks, and are not recorded: they are no part of the
        # function.
        with without_hooks(), no_grad():
            return self.pack_hook(t)


class save_on_cpu(saved_tensors_hooks):
    """Inside, tensors saved for the backward are kept in CPU memory.

    Args:
        pin_memory: accepted.
        device_type: accepted.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(t: Tensor) -> tuple[device, Tensor]:
            return (t.device, t if t.device.type in ("cpu", "meta") else METHODS["to"](t, device="cpu"))

        def unpack(packed: Any) -> Tensor:
            device, t = packed
            return t if t.device == device else METHODS["to"](t, device=device)

        super().__init__(pack, unpack)


class disable_saved_tensors_hooks(locks.Block[None]):
    """Inside, entering `saved_tensors_hooks` is a RuntimeError with this message."""

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message

    def _before_(self) -> int:
        """How many such blocks there are."""
        return len(_disabled)

    def _begin_(self) -> None:
        """Refuse hooks."""
        if SAVED_HOOKS:
            raise RuntimeError(self.error_message)
        _disabled.append(self.error_message)

    def _end_(self, before: int) -> None:
        """Refuse them no longer."""
        del _disabled[before:]


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Inside, saved tensors may be modified in place: the graph keeps copies."""

    def __init__(self) -> None:
        super().__init__(lambda t: TABLE["clone"](t.detach()), lambda t: t)


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Tell autograd that the tensor's memory was written outside of it."""
    for t in [tensor] if isinstance(tensor, Tensor) else tensor:
        t._bump_version()


class _Handles(Removable):
    """Several hooks removed as one."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Remove all of them."""
        for h in self.handles:
            h.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all") -> _Handles:
    """Call `fn` when the gradients of the tensors are there: mode "all": fn(list of gradients) after the last; "any":
    fn(gradient) after the first.

    A run that computes the gradients of only some of them (inputs=) waits for those, and the others are None in the
    list.

    Raises:
        RuntimeError: within autograd.grad() where a leaf is among the tensors: it is not known which gradients are
            computed in addition to those of its inputs.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"register_multi_grad_hook(): 'mode' must be 'all' or 'any'; found {mode!r}")
    lock = threading.Lock()
    got: dict[int, list[Any]] = {}  # by run of the engine: the gradients that have come
    expected: dict[int, int] = {}
    done: set[int] = set()

    def hook_of(i: int) -> Callable[[Tensor], None]:
        def hook(g: Tensor) -> None:
            run = engine.current_run()
            if mode == "any":
                with lock:
                    first = run not in done
                    done.add(run)
                if first:
                    fn(g)
                return
            with lock:
                if run not in got:
                    got[run], expected[run] = [None] * len(tensors), sum(map(engine.will_execute, tensors))
                got[run][i] = g
                expected[run] -= 1
                if expected[run]:
                    return
                grads = got.pop(run)
                del expected[run]
            fn(grads)

        return hook

    return _Handles([t.register_hook(hook_of(i)) for i, t in enumerate(tensors)])


def region_activation_memory_budget(budget: float) -> NoReturn:
    """How much of its activations a compiled region may keep: RuntimeError, as everywhere outside of one, for functions
    run as they are written.
    """
    raise RuntimeError(
        "region_activation_memory_budget(): must be used within a function that torch.compile compiles; use "
        "utils.checkpoint to compute activations again"
    )


def set_override_stale_capture_stream(enabled: bool) -> None:
    """What happens to stale streams when a CUDA graph is captured: there are no streams, so only the argument is
    checked.
    """
    _need_bool("set_override_stale_capture_stream", enabled)


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Whether streams that differ are warned of: there are no streams, so only the argument is checked."""
    _need_bool("set_warn_on_accumulate_grad_stream_mismatch", enabled)


def _need_bool(name: str, enabled: object) -> None:
    if not isinstance(enabled, bool):
        raise TypeError(f"{name}(): 'enabled' must be a bool; found {type(enabled).__name__}")
