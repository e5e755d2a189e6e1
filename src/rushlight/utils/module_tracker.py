"""`ModuleTracker` says inside which modules a program is, forward and backward."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from rushlight.autograd import running
from rushlight.autograd.graph import register_multi_grad_hook
from rushlight.core.nesting import found_in
from rushlight.core.tensor import Tensor

if TYPE_CHECKING:
    from rushlight.nn import Module
    from rushlight.utils.hooks import RemovableHandle

__all__ = ["ModuleTracker"]


class _Watch:
    """Tells a tracker of the runs of the graph."""

    def __init__(self, tracker: ModuleTracker) -> None:
        self.tracker = tracker

    def begin_backward(self) -> set[str]:
        self.tracker._runs += 1
        return set(self.tracker.parents)

    def end_backward(self, before: set[str]) -> None:
        # (The gradients of a module's inputs, which lead out of it, may not be asked for.)
        self.tracker._runs -= 1
        self.tracker.parents = before

    def begin_range(self, name: str) -> None:
        """Nothing: parts of the program other than modules have no name here."""

    def end_range(self, begun: None) -> None:
        """Nothing."""

    def one_like(self, out: Tensor) -> None:
        """Nothing: a backward begins with the same ones as without a tracker."""


class ModuleTracker:
    """A context manager that keeps the names of the modules whose forward, or backward, is being run.

    parents: the names, and "Global". A module that no other one calls is called by its class; others by their paths
        from there ("Net.body.0").
    """

    parents: set[str]

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._names: weakref.WeakKeyDictionary[Module, str] = weakref.WeakKeyDictionary()
        self._runs = 0
        self._handles: list[RemovableHandle] = []
        self._watch = _Watch(self)

    @property
    def is_bw(self) -> bool:
        """Whether the graph is being run backward."""
        return self._runs > 0

    def __enter__(self) -> ModuleTracker:
        from rushlight.nn.modules import module

        self._handles = [
            module.register_module_forward_pre_hook(self._begin),
            module.register_module_forward_hook(self._end, always_call=True),
        ]
        running.watchers.append(self._watch)
        return self

    def __exit__(self, *exc: object) -> None:
        running.watchers[:] = [w for w in running.watchers if w is not self._watch]
        for handle in self._handles:
            handle.remove()

    def _name(self, module: Module) -> str:
        name = self._names.setdefault(module, type(module).__name__)
        for own, child in module.named_children():
            self._names.setdefault(child, f"{name}.{own}")
        return name

    def _begin(self, module: Module, inputs: Any) -> None:
        name = self._name(module)
        self.parents.add(name)
        leaving = [t for t in found_in(inputs, Tensor) if t.requires_grad]
        if leaving:
            register_multi_grad_hook(leaving, lambda grads: self.parents.discard(name))

    def _end(self, module: Module, inputs: Any, output: Any) -> None:
        name = self._name(module)
        self.parents.discard(name)
        entered = [t for t in found_in(output, Tensor) if t.requires_grad]
        if entered:
            register_multi_grad_hook(entered, lambda grad: self.parents.add(name), mode="any")
