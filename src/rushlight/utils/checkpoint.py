"""Activation checkpointing: what a function would keep for the backward is computed again there (Chen et al. 2016,
arXiv:1604.06174).

During the forward every tensor that the graph would save is replaced by its number. The first number that the backward
asks for runs the function once more, and this time the tensors are collected in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.amp import autocast_mode
from rushlight.autograd.graph import saved_tensors_hooks
from rushlight.core.checks import check_argument
from rushlight.core.held import held
from rushlight.core.warning import warn
from rushlight.utils.selective import CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts

__all__ = [
    "CheckpointError",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


class CheckpointError(RuntimeError):
    """The function did not do the same when it was run again."""


class _Settings:
    early_stop = True
    debug: bool | None = None


class _Stop(Exception):
    """Ends a recomputation that has reached all tensors that are needed."""


def set_checkpoint_early_stop(enable: bool) -> AbstractContextManager[None]:
    """Inside, checkpointed functions are run again only as far as needed (True), or to their end."""
    return held(_Settings, "early_stop", enable)


def set_checkpoint_debug_enabled(enabled: bool | None) -> AbstractContextManager[None]:
    """Inside, errors of checkpointed functions list every tensor saved (True); None: as each call says."""
    return held(_Settings, "debug", enabled)


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Two contexts that do nothing: the default of ``context_fn``."""
    return nullcontext(), nullcontext()


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The devices of the tensors among the arguments and their random generators' states; of the CPU none is kept, as
    in PyTorch.
    """
    return [], []


def set_device_states(devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None) -> None:
    """Give devices' random generators their states back.

    Raises:
        RuntimeError: there are devices; rushlight has none with a generator of its own.
    """
    check_argument(not devices, "set_device_states", "devices", "be empty", lambda: repr(devices))


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs with their tensors detached, requiring grad as before.

    Raises:
        RuntimeError: the argument is not a tuple.
    """
    check_argument(isinstance(inputs, tuple), "detach_variable", "inputs", "be a tuple", lambda: repr(inputs))
    return tuple(x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs)


def _kind(t: Tensor) -> tuple[Any, ...]:
    return tuple(t.shape), t.dtype, t.device


class _Frame:
    """One checkpointed call: how to run it again, and what it saved."""

    def __init__(self, run: Callable[[], Any], check: bool, early_stop: bool, debug: bool) -> None:
        self.run, self.check, self.early_stop, self.debug = run, check, early_stop, debug
        self.kinds: list[tuple[Any, ...]] = []  # of the tensors saved by the forward, in order
        self.values: dict[int, Tensor] = {}  # computed again, each until it is asked for

    def pack(self, t: Tensor) -> int:
        """Called in the forward: only the number is kept."""
        self.kinds.append(_kind(t))
        return len(self.kinds) - 1

    def unpack(self, number: int) -> Tensor:
        """Called in the backward."""
        if number not in self.values:
            self._again()
        return self.values.pop(number)

    def _again(self) -> None:
        found: list[tuple[Any, ...]] = []
        self.values = {}

        def collect(t: Tensor) -> Tensor:
            number = len(found)
            found.append(_kind(t))
            self.values[number] = t.detach()
            if self.early_stop and len(found) >= len(self.kinds):
                raise _Stop
            return t

        with saved_tensors_hooks(collect, lambda t: t), rushlight.enable_grad():
            try:
                self.run()
            except _Stop:
                pass  # everything is there
        if len(found) != len(self.kinds):
            raise CheckpointError(
                "checkpoint: the function must save the same number of tensors when it is run again, "
                f"{len(self.kinds)}; "
                f"found {len(found)}" + self._list(found)
            )
        if self.check and found != self.kinds:
            lines = [
                f"tensor {i} was {_show(first)}, then {_show(again)}"
                for i, (first, again) in enumerate(zip(self.kinds, found, strict=True))
                if first != again
            ]
            raise CheckpointError(
                "checkpoint: the function must save tensors of the same shapes, dtypes and devices when it is run "
                "again; "
                f"found others:\n{chr(10).join(lines)}{self._list(found)}"
            )

    def _list(self, found: list[tuple[Any, ...]]) -> str:
        if not self.debug:
            return ""
        return (
            "\nsaved in the forward: "
            + ", ".join(map(_show, self.kinds))
            + "\nrecomputed: "
            + ", ".join(map(_show, found))
        )


def _show(kind: tuple[Any, ...]) -> str:
    shape, dtype, device = kind
    return f"{dtype} {list(shape)} on {device}"


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Run a function without keeping its activations; the backward runs it again.

    Args:
        function: it must do the same when called again.
        args: its arguments.
        use_reentrant: accepted: there is one way, which does what both of PyTorch's do. True (and None, with a warning)
        refuses the keyword arguments and the contexts that PyTorch refuses with it.
        context_fn: returns the contexts for the first run and for the second.
        determinism_check: ``"default"`` compares shapes, dtypes and devices of what both runs save; ``"none"`` does
        not.
        debug: whether errors list all tensors saved.
        early_stop: whether the second run ends when all that is needed is there.
        kwargs: its keyword arguments, and ``preserve_rng_state`` (True): whether both runs draw the same random
        numbers.

    Returns:
        What the function returns.

    Raises:
        CheckpointError: at backward, when the second run saves other tensors than the first.
        ValueError: ``determinism_check`` is unknown; ``context_fn`` or keyword arguments of the function are given
        without ``use_reentrant=False``.
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant is None:
        _warn_of_reentrant("checkpoint")
    if use_reentrant is not False:  # None is True, as yet
        _refuse_keywords("checkpoint", kwargs)
        if context_fn is not noop_context_fn:
            raise ValueError("checkpoint(): 'context_fn' is for use_reentrant=False; found it with use_reentrant=True")
        if rushlight.is_grad_enabled():
            check_backward_validity(args)
    known = determinism_check in ("default", "none")
    check_argument(
        known, "checkpoint", "determinism_check", "be 'default' or 'none'", lambda: repr(determinism_check), ValueError
    )
    first, second = context_fn()
    if not rushlight.is_grad_enabled():
        with first:
            return function(*args, **kwargs)
    state = rushlight.get_rng_state() if preserve else None
    casting = autocast_mode.snapshot()

    def again() -> Any:
        with rushlight.random.fork_rng() if state is not None else nullcontext(), casting(), second:
            if state is not None:
                rushlight.set_rng_state(state)
            return function(*args, **kwargs)

    debug = debug if _Settings.debug is None else _Settings.debug
    frame = _Frame(again, determinism_check == "default", early_stop and _Settings.early_stop, debug)
    with saved_tensors_hooks(frame.pack, frame.unpack), first:
        return function(*args, **kwargs)


def _warn_of_reentrant(owner: str) -> None:
    warn(f"{owner}: give 'use_reentrant', whose default will change")


def _refuse_keywords(owner: str, keywords: dict[str, Any]) -> None:
    if keywords:
        raise ValueError(f"{owner}: found keywords that it does not take: {', '.join(sorted(keywords))}")


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run functions one after the other in checkpointed segments; the last segment keeps its activations.

    Args:
        functions: a Sequential, or an iterable of functions.
        segments: into how many parts they are divided.
        input: the first one's argument.
        use_reentrant: accepted, as in :func:`checkpoint`.
        kwargs: ``preserve_rng_state``, as there.

    Raises:
        ValueError: another keyword.
    """
    preserve = bool(kwargs.pop("preserve_rng_state", True))
    _refuse_keywords("checkpoint_sequential", kwargs)
    if use_reentrant is None:
        _warn_of_reentrant("checkpoint_sequential")
        use_reentrant = True
    parts: Sequence[Any] = list(functions.children() if isinstance(functions, rushlight.nn.Sequential) else functions)

    def run(start: int, end: int) -> Callable[[Any], Any]:
        def forward(x: Any) -> Any:
            for part in parts[start:end]:
                x = part(x)
            return x

        return forward

    size = len(parts) // segments
    end = 0
    for start in range(0, size * (segments - 1), size) if size else ():
        end = start + size
        input = checkpoint(run(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(end, len(parts))(input)


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn when no input requires grad."""
    if not any(isinstance(x, Tensor) and x.requires_grad for x in inputs):
        warn("checkpoint: no input requires grad, so none will get a gradient")
