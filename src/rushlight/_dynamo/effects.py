"""What a call that is looked into changes beside memory: the gradients of leaves, and optimizers.

Each change is made when the call comes to it, as Python would make it, and noted: what was there before, so that it can
be put back where the call is not known to its end, and what is there after each part of it, so that a replay leaves the
same. Functions of the library's own whose changes are known, such as an optimizer's step, are called as they are, in a
replay as well (`core.replay.Act`): what they read need not be as it was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._dynamo.reads import Reads, is_ours
from rushlight._dynamo.source import NotKnown
from rushlight.autograd import running
from rushlight.core import tensor as _core
from rushlight.core.replay import is_plain_leaf
from rushlight.core.tensor import Tensor
from rushlight.nn import Module, Parameter
from rushlight.nn.utils import clip_grad
from rushlight.optim import optimizer as _optimizer
from rushlight.optim.optimizer import Optimizer

PENDING = _core.get_keys_flag_mask()["PENDING"]
RUNS = frozenset((running.backward, running.grad))
CLIPS = frozenset((clip_grad.clip_grad_norm_, clip_grad.clip_grad_value_))
_HOOKS = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")
_GLOBAL_HOOKS = (_optimizer._global_pre_hooks, _optimizer._global_post_hooks)
Gradients = dict[int, tuple[Tensor, Any]]  # by the id of a leaf: it, and what its `.grad` is


class Place:
    """The `.grad` of a leaf.

    Attributes:
        leaf: the leaf.
        before: what was there before the call.
        known: whether that counts: it was looked at before another took its place.
        changed: whether another has taken its place.
        gets: whether a backward has given it a gradient.
    """

    def __init__(self, leaf: Tensor) -> None:
        self.leaf, self.before = leaf, leaf.grad
        self.known = self.changed = self.gets = False


class Effects:
    """The changes of one call.

    Args:
        reads: gets what is read.
        waits: whether a tensor is the result of a call that waits.
        acts: flushes what waits, and calls a function.
        saves: keeps the values of a tensor, to put them back.
    """

    def __init__(
        self,
        reads: Reads,
        waits: Callable[[Tensor], bool],
        acts: Callable[[Callable[..., Any], Sequence[Any]], Any],
        saves: Callable[[Tensor], None],
    ) -> None:
        self.reads, self.waits, self.acts, self.saves = reads, waits, acts, saves
        self.places: dict[int, Place] = {}
        self.undone: list[Callable[[], None]] = []

    # ------------------------------------------------------------------------------------------------- the gradients
    def place(self, leaf: Tensor, known: bool) -> Place:
        """The place of a leaf's gradient. known: it is looked at."""
        found = self.places.get(id(leaf))
        if found is None:
            if type(leaf) not in (Tensor, Parameter) or leaf._keys_ & ~PENDING or self.waits(leaf):
                raise NotKnown("the gradient of what is no plain tensor in memory")
            if not leaf.is_leaf or leaf.retains_grad:
                raise NotKnown("the gradient of a result is kept")
            found = self.places[id(leaf)] = Place(leaf)
        if known and not found.changed:
            g = found.before
            if g is not None and (type(g) is not Tensor or g._keys_):
                raise NotKnown("a gradient is no plain tensor in memory")
            found.known = True
        return found

    def gradients(self) -> Gradients:
        """What the gradients are now, where another took the place of one."""
        return {k: (place.leaf, place.leaf.grad) for k, place in self.places.items() if place.changed}

    def grad(self, leaf: Tensor) -> Any:
        """leaf.grad"""
        self.place(leaf, True)
        return leaf.grad

    def set_grad(self, leaf: Tensor, value: Any) -> None:
        """leaf.grad = value"""
        if value is not None and type(value) is not Tensor:
            raise NotKnown(f"a gradient is set to a {type(value).__name__}")
        self.place(leaf, False).changed = True
        leaf.grad = value

    def reached(self, tensors: Sequence[Tensor], accumulate: bool) -> None:
        """A backward is about to give these a gradient. accumulate: to their `.grad`."""
        for t in tensors:
            if not is_plain_leaf(t):
                raise NotKnown("a backward comes to hooks, or to a graph that was there before the call")
            place = self.place(t, accumulate)
            place.gets, place.changed = True, place.changed or accumulate

    def backward(self, outputs: Sequence[Any]) -> None:
        """A backward is about to begin at these; NotKnown where more than what waits would be run."""
        for t in outputs:
            if type(t) is not Tensor or not t._keys_ & PENDING or not self.waits(t):
                raise NotKnown("a backward through calls that were made before")

    def run(self, f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of `autograd.backward` or `autograd.grad`."""
        if kwargs.get("is_grads_batched") or kwargs.get("materialize_grads"):
            raise NotKnown(f"{f.__name__}() with is_grads_batched or materialize_grads")
        outputs: Any = args[0] if args else kwargs.get("tensors" if f is running.backward else "outputs")
        self.backward(outputs if type(outputs) is list else [outputs])
        return f(*args, **kwargs)

    def cleared(self, leaves: Sequence[Tensor]) -> None:
        """What `zero_grad()` does."""
        for p in leaves:
            self.set_grad(p, None)

    # ------------------------------------------------------------------------------------------------ the functions
    def method(self, owner: Any, f: Callable[..., Any]) -> Callable[..., Any] | None:
        """What is called in the place of a method of an optimizer or a module that is known by its changes; None for
        others.
        """
        if isinstance(owner, Module):
            if f is vars(Module)["zero_grad"]:
                return functools.partial(self.zero_grad, owner)
            return None
        if not isinstance(owner, Optimizer) or not is_ours(type(owner)) or not is_ours(f):
            return None
        if f is vars(Optimizer)["zero_grad"]:
            return functools.partial(self.zero_grad, owner)
        return functools.partial(self.step, owner) if getattr(f, "__name__", "") == "step" else None

    def zero_grad(self, owner: Any, set_to_none: Any = True) -> None:
        """A call of `zero_grad()` of an optimizer or a module."""
        if set_to_none is not True:
            raise NotKnown("zero_grad() writes zeros")
        reads = self.reads
        if isinstance(owner, Module):
            for m in owner.modules():
                reads.objects[id(m)] = m
                reads.tables_of(m)
            self.cleared(list(owner.parameters()))
            return
        groups = vars(owner)["param_groups"]
        if type(groups) is not list:
            raise NotKnown("an optimizer's groups are no list")
        reads.stands[id(vars(owner)), "param_groups"] = vars(owner), "param_groups", groups
        reads.items[id(groups)] = groups, tuple(groups)
        for group in groups:
            params = group["params"] if type(group) is dict else None
            if type(params) is not list:
                raise NotKnown("an optimizer's group has no list of parameters")
            reads.stands[id(group), "params"] = group, "params", params
            reads.items[id(params)] = params, tuple(params)
            self.reads.tensors.update((id(p), p) for p in params if isinstance(p, Tensor))
            self.cleared(params)

    def step(self, optimizer: Any, closure: Any = None) -> Any:
        """A call of `step()` of an optimizer."""
        if closure is not None:
            raise NotKnown("an optimizer's step has a closure")
        own, name = vars(optimizer), type(optimizer).__name__
        for table in (*[self.reads.of(own, hooks) for hooks in _HOOKS], *_GLOBAL_HOOKS):
            if not isinstance(table, dict) or table:
                raise NotKnown(f"{name} has hooks")
            self.reads.empty[id(table)] = table
        if any(group.get("differentiable") for group in optimizer.param_groups):
            raise NotKnown(f"{name} is differentiable")
        tensors: dict[int, Tensor] = {}
        dicts: list[dict[Any, Any]] = [own, optimizer.state, *optimizer.param_groups, *optimizer.state.values()]
        for group in optimizer.param_groups:
            tensors.update((id(p), p) for p in group["params"] if p.grad is not None)
        for state in optimizer.state.values():
            if not isinstance(state, dict):
                raise NotKnown(f"{name} has a state that is no dict")
            tensors.update((id(t), t) for t in state.values() if isinstance(t, Tensor))
        for p in tensors.values():
            if p._keys_ & PENDING:
                raise NotKnown(f"{name} steps what waits")
            self.saves(p)
        self.undone.append(functools.partial(_put_back, [(d, dict(d)) for d in dicts]))
        return self.acts(type(optimizer).step, (optimizer,))

    def clip(self, f: Callable[..., Any], parameters: Sequence[Any], args: Sequence[Any], more: dict[str, Any]) -> Any:
        """A call of a function that bounds gradients."""
        if not parameters:  # (of a generator with nothing left it warns)
            raise NotKnown(f"{f.__name__}() of no parameters")
        for p in parameters:
            if type(p) not in (Tensor, Parameter):
                raise NotKnown(f"{f.__name__}() of what is no plain tensor")
            self.place(p, False)
        for p in parameters:
            g = p.grad
            if g is not None and not g._keys_:  # (what waits has been made by this call)
                self.saves(g)
        return self.acts(functools.partial(f, **more), (tuple(parameters), *args))

    def undo(self) -> None:
        """Put back what was there."""
        for place in self.places.values():
            place.leaf.grad = place.before
        for put_back in reversed(self.undone):
            put_back()


def _put_back(dicts: list[tuple[dict[Any, Any], dict[Any, Any]]]) -> None:
    for d, was in dicts:
        d.clear()
        d.update(was)
