"""What tensors' memory is used for while a profile is in force: storages with their times and categories."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rushlight.core.tensor import Tensor

if TYPE_CHECKING:
    from rushlight.optim.optimizer import Optimizer

# The categories, in the order of the columns of a memory timeline behind the first column, which is empty.
CATEGORIES = (
    "parameter",
    "optimizer state",
    "input",
    "temporary",
    "activation",
    "gradient",
    "autograd detail",
    "unknown",
)
PARAMETER, STATE, INPUT, TEMPORARY, ACTIVATION, GRADIENT, DETAIL, UNKNOWN = range(len(CATEGORIES))


class _Held:
    """A storage: its bytes, its category, and from when to when it existed, in microseconds."""

    __slots__ = ("category", "end", "nbytes", "start", "storage")

    def __init__(self, nbytes: int, category: int, start: float) -> None:
        self.nbytes, self.category, self.start = nbytes, category, start
        self.end = float("inf")
        self.storage: weakref.ref[Any] | None = None


class Memory:
    """The storages of the tensors in the calls that a profile has seen.

    Parameters are leaves that require gradients. Inputs are tensors that a call is given and that no call has made.
    Results of calls outside of a backward are temporary, and become activations if they still exist when a backward
    begins. Results of nodes are details of autograd, except for the gradients of parameters. The state of an optimizer
    is known from its first step on.
    """

    def __init__(self) -> None:
        self.held: list[_Held] = []
        self.by_storage: dict[int, _Held] = {}
        self.parameters: dict[int, weakref.ref[Tensor]] = {}
        self.time = 0.0  # the time of the current event, in microseconds
        self.in_backward = False
        self._hook: Any = None

    # -- storages
    def note(self, t: Tensor, category: int, start: float) -> _Held | None:
        """Record the storage of a tensor, in the given category unless it has one already; None if the tensor has no
        memory.
        """
        if t.is_meta or t.layout.name != "strided":
            return None
        storage = t.untyped_storage()
        key = id(storage)
        found = self.by_storage.get(key)
        if found is None or found.storage is None or found.storage() is not storage:
            found = _Held(storage.nbytes(), category, start)

            def gone(_: Any, found: _Held = found, key: int = key) -> None:
                found.end = self.time
                if self.by_storage.get(key) is found:
                    del self.by_storage[key]

            found.storage = weakref.ref(storage, gone)
            self.by_storage[key] = found
            self.held.append(found)
        return found

    def call(self, args: Iterable[Tensor], results: Iterable[Tensor], now: float) -> None:
        """Record the arguments and results of an event."""
        for t in args:
            if t.is_leaf and t.requires_grad:
                self.parameters.setdefault(id(t), weakref.ref(t))
                self._becomes(t, PARAMETER)
            else:
                self.note(t, INPUT, 0.0)
        for t in results:
            self.note(t, DETAIL if self.in_backward else TEMPORARY, now)
        self.time = now

    def _becomes(self, t: Tensor, category: int) -> None:
        found = self.note(t, category, 0.0)
        if found is not None:
            found.category = category

    # -- categories
    def begin_backward(self) -> None:
        """Make temporary values of the forward that still exist activations: the backward needs them."""
        self.in_backward = True
        for found in self.by_storage.values():
            if found.category == TEMPORARY:
                found.category = ACTIVATION

    def end_backward(self) -> None:
        """Mark the gradients that parameters have now."""
        self.in_backward = False
        for p in [p for ref in self.parameters.values() if (p := ref()) is not None]:
            if isinstance(p.grad, Tensor):
                self._becomes(p.grad, GRADIENT)

    def after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        """Record the parameters and the state of an optimizer."""
        for group in optimizer.param_groups:
            for p in group["params"]:
                self._becomes(p, PARAMETER)
        for state in optimizer.state.values():
            for value in state.values() if isinstance(state, dict) else ():
                if isinstance(value, Tensor):
                    self._becomes(value, STATE)

    def start(self) -> None:
        """Watch the steps of optimizers from now on, if the program has loaded any."""
        optimizers = sys.modules.get("rushlight.optim.optimizer")
        if optimizers is not None:
            self._hook = optimizers.register_optimizer_step_post_hook(self.after_step)

    def stop(self) -> None:
        """Stop watching."""
        if self._hook is not None:
            self._hook.remove()
            self._hook = None

    # -- result
    def timeline(self, allocated: Sequence[tuple[float, int]]) -> list[list[int]]:
        """For each time in `allocated`, the bytes of each category; their sum is what tensors held then."""
        changes = sorted(
            [(h.start, h.category, h.nbytes) for h in self.held]
            + [(h.end, h.category, -h.nbytes) for h in self.held if h.end != float("inf")]
        )
        rows, now, i = [], [0] * len(CATEGORIES), 0
        for at, total in allocated:
            while i < len(changes) and changes[i][0] <= at:
                now[changes[i][1]] += changes[i][2]
                i += 1
            rows.append([*now[:UNKNOWN], max(total - sum(now[:UNKNOWN]), 0)])
        return rows
