"""The changes of an inspected call beside those of memory: to the gradients of leaves, and to optimizers.

Each change is made when the call comes to it, as Python would make it. The state before is noted, so that it can be put
back where the inspection ends early, and so is the state after each part of the call, so that a replay leaves the same.
Functions of the library's own whose changes are known, such as an optimizer's step, are called as they are, in a replay
as well (`core.replay.Act`): what they read may have changed meanwhile.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._dynamo.formulas import check_formula
from rushlight._dynamo.reads import Reads, is_ours
from rushlight._dynamo.source import NotKnown
from rushlight.amp.grad_scaler import GradScaler
from rushlight.autograd import running
from rushlight.core import tensor as _core
from rushlight.core.replay import ABSENT, is_plain_leaf
from rushlight.core.tensor import Tensor
from rushlight.nn import Module, Parameter
from rushlight.nn.utils import clip_grad
from rushlight.optim import optimizer as _optimizer
from rushlight.optim.lr_scheduler import LRScheduler
from rushlight.optim.optimizer import Optimizer

PENDING = _core.get_keys_flag_mask()["PENDING"]
RUNS = frozenset((running.backward, running.grad))
CLIPS = frozenset((clip_grad.clip_grad_norm_, clip_grad.clip_grad_value_))
_HOOKS = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")
_GLOBAL_HOOKS = (_optimizer._global_pre_hooks, _optimizer._global_post_hooks)
_REQUIRES = Tensor.requires_grad_
Gradients = dict[int, tuple[Tensor, Any]]  # by the id of a leaf: it, and what its `.grad` is


class Later:
    """A number that Python takes from a tensor. Its value is not known during the inspection: it may only be returned,
    or be given to a function that is known by its changes.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


class Place:
    """The `.grad` of a leaf.

    Attributes:
        leaf: the leaf.
        before: what was there before the call.
        known: whether `before` counts: it was read before another gradient replaced it.
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
        is_own: whether the call has made a tensor.
        saves: keeps the values of tensors, to put them back.
    """

    def __init__(
        self,
        reads: Reads,
        waits: Callable[[Tensor], bool],
        acts: Callable[..., Any],
        is_own: Callable[[Tensor], bool],
        saves: Callable[[Sequence[Tensor]], None],
    ) -> None:
        self.reads, self.waits, self.acts, self.is_own, self.saves = reads, waits, acts, is_own, saves
        self.given: set[int] = set()  # ids of the tensors that a backward under way was given
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
        """The gradients that have been replaced, as they are now."""
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

    def run(self, f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of `autograd.backward` or `autograd.grad`, or of a tensor's `backward`."""
        if kwargs.get("is_grads_batched"):
            raise NotKnown(f"{f.__name__}() with is_grads_batched")
        before, self.given = self.given, {id(x) for x in _tensors_in([*args, *kwargs.values()])}
        try:
            return f(*args, **kwargs)
        finally:
            self.given = before

    def number(self, f: Callable[..., Any], t: Tensor) -> Later:
        """t.item(), float(t) or int(t)"""
        found: Later = self.acts(f, (t,), False, True)
        return found

    def requires_grad(self, t: Tensor, requires: Any = True) -> Tensor:
        """t.requires_grad_(), of what the call has made."""
        if type(requires) is not bool:
            raise NotKnown(f"requires_grad_() is given a {type(requires).__name__}")
        if not self.is_own(t):
            raise NotKnown("requires_grad_() of what was there before the call")
        self.acts(_REQUIRES, (t, requires), False)
        return t

    def cleared(self, leaves: Sequence[Tensor]) -> None:
        """What `zero_grad()` does."""
        for p in leaves:
            self.set_grad(p, None)

    # ------------------------------------------------------------------------------------------------ the functions
    def method(self, owner: Any, f: Callable[..., Any]) -> Callable[..., Any] | None:
        """The function that is called instead of a method of an optimizer, a schedule, a scaler or a module whose
        changes are known; None for other methods.
        """
        if isinstance(owner, Module):
            return functools.partial(self.zero_grad, owner, f) if f is vars(Module)["zero_grad"] else None
        name = getattr(f, "__name__", "")
        if not isinstance(owner, (Optimizer, LRScheduler, GradScaler)) or not is_ours(type(owner)) or not is_ours(f):
            return None
        if isinstance(owner, Optimizer):
            if f is vars(Optimizer)["zero_grad"]:
                return functools.partial(self.zero_grad, owner, f)
            return functools.partial(self.step, owner) if name == "step" else None
        if isinstance(owner, LRScheduler):
            return functools.partial(self.schedule, owner, f) if name == "step" else None
        if f is vars(GradScaler).get(name) and name in ("scale", "unscale_", "step", "update"):
            return functools.partial(getattr(self, f"scaler_{name.rstrip('_')}"), owner)
        return None

    def zero_grad(self, owner: Any, f: Callable[..., Any], set_to_none: Any = True) -> None:
        """A call of `zero_grad()` of an optimizer or a module."""
        if type(set_to_none) is not bool:
            raise NotKnown(f"zero_grad() is given a {type(set_to_none).__name__}")
        if not set_to_none:
            own = owner.parameters() if isinstance(owner, Module) else _parameters_of(owner)
            self.written_gradients("zero_grad", list(own))
            self.acts(f, (owner, False))
            return
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

    def written_gradients(self, name: str, parameters: Sequence[Any]) -> None:
        """A function is about to write to the gradients of these."""
        for p in parameters:
            if type(p) not in (Tensor, Parameter):
                raise NotKnown(f"{name}() of what is no plain tensor")
            self.place(p, False)
        found = [p.grad for p in parameters if p.grad is not None]
        if any(type(g) is not Tensor or g._keys_ & ~PENDING or g.requires_grad for g in found):
            raise NotKnown(f"{name}() of gradients that are no plain tensors")
        self.saves([g for g in found if not g._keys_])  # (what waits has been made by this call)

    def step(self, optimizer: Optimizer, closure: Any = None) -> Any:
        """A call of `step()` of an optimizer."""
        if closure is not None:
            raise NotKnown("an optimizer's step has a closure")
        self.stepped(optimizer)
        return self.acts(type(optimizer).step, (optimizer,))

    def stepped(self, optimizer: Optimizer) -> None:
        """An optimizer's step is about to be made."""
        own, name = vars(optimizer), type(optimizer).__name__
        for table in (*[self.reads.of(own, hooks) for hooks in _HOOKS], *_GLOBAL_HOOKS):
            if not isinstance(table, dict) or table:
                raise NotKnown(f"{name} has hooks")
            self.reads.empty[id(table)] = table
        if any(group.get("differentiable") for group in optimizer.param_groups):
            raise NotKnown(f"{name} is differentiable")
        tensors: dict[int, Tensor] = {}
        for group in optimizer.param_groups:
            tensors.update((id(p), p) for p in group["params"] if p.grad is not None)
        for state in optimizer.state.values():
            if not isinstance(state, dict):
                raise NotKnown(f"{name} has a state that is no dict")
            tensors.update((id(t), t) for t in state.values() if isinstance(t, Tensor))
        if any(p._keys_ & PENDING for p in tensors.values()):
            raise NotKnown(f"{name} steps what waits")
        self.saves(list(tensors.values()))
        self.put_back([own, optimizer.state, *optimizer.param_groups, *optimizer.state.values()])

    def schedule(self, scheduler: Any, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A call of `step()` of a schedule of rates."""
        parts = [scheduler]
        for s in parts:
            own, cls, name = vars(s), type(s), type(s).__name__
            if not isinstance(s, LRScheduler) or not is_ours(cls) or not isinstance(s.optimizer, Optimizer):
                raise NotKnown(f"{name} is a schedule of the program's")
            for method in ("step", "get_lr"):  # (each asks itself for these)
                if self.reads.of(own, method) is not ABSENT:
                    raise NotKnown(f"{name}: its {method}() was replaced")
                self.reads.of_class(cls, method)
            if own.get("_step_count") == 1 and not vars(s.optimizer).get("_opt_called", False):
                raise NotKnown(f"{name} warns that its step comes before the optimizer's")
            for value in (*own.get("lr_lambdas", ()), own.get("_scale_fn_custom")):
                if value is not None:
                    check_formula(value, self.reads)
            parts += own.get("_schedulers", ())
        given = [x for x in args if isinstance(x, Tensor)]
        if any(isinstance(x, (Tensor, Later)) for x in kwargs.values()) or any(
            x._keys_ & ~PENDING or x.numel() != 1 for x in given
        ):
            raise NotKnown(f"{type(scheduler).__name__} is given what is no number")
        groups = [group for s in parts for group in s.optimizer.param_groups]
        self.saves([x for x in _each_once([x for group in groups for x in group.values()]) if isinstance(x, Tensor)])
        self.put_back([*[vars(s) for s in parts], *groups])
        return self.acts(functools.partial(f, **kwargs) if kwargs else f, (scheduler, *args))

    # --------------------------------------------------------------------------------------------- a scaler of losses
    def scaler_scale(self, scaler: Any, outputs: Any) -> Any:
        """A call of `scale()`."""
        if type(outputs) is not Tensor:
            raise NotKnown(f"a loss that is to be scaled is a {type(outputs).__name__}")
        if not self.reads.of(vars(scaler), "_enabled"):
            return outputs
        factor = self.reads.of(vars(scaler), "_scale")
        if type(factor) is not Tensor:
            raise NotKnown("a scaler has no factor yet")
        return outputs * factor

    def scaler_unscale(self, scaler: Any, optimizer: Optimizer) -> Any:
        """A call of `unscale_()`."""
        self.scaled(scaler, optimizer)
        return self.acts(GradScaler.unscale_, (scaler, optimizer))

    def scaler_step(self, scaler: Any, optimizer: Optimizer) -> Any:
        """A call of `step()` of a scaler, which steps the optimizer or does not."""
        self.scaled(scaler, optimizer)
        f = self.reads.of_class(type(optimizer), "step")
        if self.reads.of(vars(optimizer), "step") is not ABSENT or not is_ours(f):
            raise NotKnown(f"{type(optimizer).__name__}: its step() is the program's")
        self.stepped(optimizer)
        return self.acts(GradScaler.step, (scaler, optimizer))

    def scaler_update(self, scaler: Any, new_scale: Any = None) -> Any:
        """A call of `update()`."""
        if new_scale is not None and type(new_scale) is not float:
            raise NotKnown(f"a scaler's new factor is a {type(new_scale).__name__}")
        own = vars(scaler)
        self.saves([own[name] for name in ("_scale", "_growth_tracker") if isinstance(own.get(name), Tensor)])
        self.put_back([own, *own.get("_per_optimizer_states", {}).values()])
        return self.acts(GradScaler.update, (scaler, new_scale))

    def scaled(self, scaler: Any, optimizer: Optimizer) -> None:
        """A scaler is about to divide the gradients of an optimizer's parameters by its factor."""
        if not isinstance(optimizer, Optimizer) or not is_ours(type(optimizer)):
            raise NotKnown("a scaler has an optimizer of the program's")
        states = vars(scaler).get("_per_optimizer_states", {})
        self.put_back([vars(scaler), states, *states.values()])
        self.written_gradients("unscale_", _parameters_of(optimizer))

    def clip(self, f: Callable[..., Any], parameters: Sequence[Any], args: Sequence[Any], more: dict[str, Any]) -> Any:
        """A call of a function that bounds gradients."""
        if not parameters:  # (of a generator with nothing left it warns)
            raise NotKnown(f"{f.__name__}() of no parameters")
        self.written_gradients(f.__name__, parameters)
        return self.acts(functools.partial(f, **more), (tuple(parameters), *args))

    def put_back(self, dicts: Sequence[dict[Any, Any]]) -> None:
        """Note what is in dicts that are about to change."""
        self.undone.append(functools.partial(_put_back, [(d, dict(d)) for d in _each_once(dicts)]))

    def undo(self) -> None:
        """Put back what was there."""
        for place in self.places.values():
            place.leaf.grad = place.before
        for put_back in reversed(self.undone):
            put_back()


def _tensors_in(values: Sequence[Any]) -> list[Tensor]:
    return [x for v in values for x in (v if isinstance(v, (list, tuple)) else (v,)) if isinstance(x, Tensor)]


def _parameters_of(optimizer: Optimizer) -> list[Any]:
    return [p for group in optimizer.param_groups for p in group["params"]]


def _each_once(values: Sequence[Any]) -> list[Any]:
    return list({id(x): x for x in values}.values())


def _put_back(dicts: list[tuple[dict[Any, Any], dict[Any, Any]]]) -> None:
    for d, was in dicts:
        d.clear()
        d.update(was)
