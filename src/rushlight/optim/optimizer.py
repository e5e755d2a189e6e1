"""Optimizer, the base class: groups of parameters, state, hooks, saving and loading."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.utils.hooks import RemovableHandle

from . import _step

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()

_global_pre_hooks: OrderedDict[int, Any] = OrderedDict()
_global_post_hooks: OrderedDict[int, Any] = OrderedDict()


def _add_hook(table: OrderedDict[int, Any], hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(table)
    table[handle.id] = hook
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before every step of every optimizer."""
    return _add_hook(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after every step of every optimizer."""
    return _add_hook(_global_post_hooks, hook)


def check_hyper(name: str, value: Any, ok: bool | Tensor) -> None:
    """Raise ValueError for a hyper-parameter out of its range."""
    if not ok:
        raise ValueError(f"Invalid {name}: {value}")


def check_lr(lr: Any) -> None:
    """Raise ValueError for a learning rate that is negative, or a tensor of more than one element."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_hyper("learning rate", lr, 0.0 <= lr)


def rate(group: dict[str, Any]) -> Any:
    """Return a group's learning rate: as a number, unless the step is to be differentiated with respect to it."""
    return group["lr"] if group.get("differentiable") else number(group["lr"])


def number(value: Any) -> float:
    """Return a hyper-parameter, which may be a tensor of one element, as a number."""
    return value.item() if isinstance(value, Tensor) else value


class Bucket:
    """Parameters that are at the same step, with their gradients and states."""

    __slots__ = ("grads", "owners", "params", "states", "step")

    def __init__(self, step: float) -> None:
        self.step = step
        self.params: list[Tensor] = []
        self.grads: list[Tensor] = []
        self.owners: list[dict[str, Any]] = []
        self.states: tuple[list[Tensor], ...] = ()


class Optimizer:
    """Base class of optimizers.

    Args:
        params: parameters, (name, parameter) pairs, or dictionaries of a group's parameters and options.
        defaults: the options of groups that do not say otherwise.

    Raises:
        TypeError: ``params`` is a single tensor, or holds something that is not a tensor.
        ValueError: ``params`` is empty, holds a non-leaf tensor, or a parameter is in two groups.
    """

    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {rushlight.typename(params)}"
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        for name in (
            "_optimizer_step_pre_hooks",
            "_optimizer_step_post_hooks",
            "_optimizer_state_dict_pre_hooks",
            "_optimizer_state_dict_post_hooks",
            "_optimizer_load_state_dict_pre_hooks",
            "_optimizer_load_state_dict_post_hooks",
        ):
            self.__dict__.setdefault(name, OrderedDict())

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # A subclass's own ``step`` gets the hooks around it, as users of the base class expect.
        if "step" in cls.__dict__:
            cls.step = cls.profile_hook_step(cls.__dict__["step"])  # type: ignore[method-assign]

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``step`` with the hooks of the optimizer run before and after it."""
        if getattr(func, "hooked", False):
            return func

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            own = self.__dict__
            own["_opt_called"] = True  # the learning rate schedules warn about a step of theirs that comes first
            if _global_pre_hooks or own["_optimizer_step_pre_hooks"]:
                for hook in chain(_global_pre_hooks.values(), own["_optimizer_step_pre_hooks"].values()):
                    result = hook(self, args, kwargs)
                    if result is not None:
                        if not (isinstance(result, tuple) and len(result) == 2):
                            raise RuntimeError(
                                f"{func} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                            )
                        args, kwargs = result
            out = func(*args, **kwargs)
            if _global_post_hooks or own["_optimizer_step_post_hooks"]:
                for hook in chain(own["_optimizer_step_post_hooks"].values(), _global_post_hooks.values()):
                    hook(self, args, kwargs)
            return out

        wrapper.hooked = True  # type: ignore[attr-defined]
        return wrapper

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])

    # Hooks.

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return new ``(args, kwargs)``."""
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def _register(self, table: str, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
        handle = _add_hook(getattr(self, table), hook)
        if prepend:
            getattr(self, table).move_to_end(handle.id, last=False)
        return handle

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before state_dict."""
        return self._register("_optimizer_state_dict_pre_hooks", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after state_dict; what it returns replaces the dictionary."""
        return self._register("_optimizer_state_dict_post_hooks", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before loading; what it returns replaces the dictionary."""
        return self._register("_optimizer_load_state_dict_pre_hooks", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after loading."""
        return self._register("_optimizer_load_state_dict_post_hooks", hook, prepend)

    # Saving and loading.

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the groups' options, with parameters named by their position."""
        for pre_hook in self._optimizer_state_dict_pre_hooks.values():
            pre_hook(self)
        order = {id(p): i for i, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = []
        for group in self.param_groups:
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [order[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {(order[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for post_hook in self._optimizer_state_dict_post_hooks.values():
            replacement = post_hook(self, result)
            if replacement is not None:
                result = replacement
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the state and options that :meth:`state_dict` gave.

        Raises:
            ValueError: the groups do not match this optimizer's.
        """
        state_dict = dict(state_dict)
        for pre_hook in self._optimizer_load_state_dict_pre_hooks.values():
            replacement = pre_hook(self, state_dict)
            if replacement is not None:
                state_dict = replacement
        saved_groups = deepcopy(state_dict["param_groups"])
        groups = self.param_groups
        if len(groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved_groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        by_id = {
            i: p
            for saved, group in zip(saved_groups, groups, strict=True)
            for i, p in zip(saved["params"], group["params"], strict=True)
        }
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_id:
                state[by_id[key]] = _cast(by_id[key], value)
            else:
                state[key] = value
        new_groups = []
        for group, saved in zip(groups, saved_groups, strict=True):
            saved["params"] = group["params"]
            if "param_names" in group and "param_names" not in saved:
                saved["param_names"] = group["param_names"]
            new_groups.append(saved)
        self.__setstate__({"state": state, "param_groups": new_groups})
        for post_hook in self._optimizer_load_state_dict_post_hooks.values():
            post_hook(self)

    # Groups and gradients.

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters: to None, or to zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    if grad.grad_fn is not None:
                        grad.detach_()
                    else:
                        grad.requires_grad_(False)
                    grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once; a ``closure`` that computes the loss anew is called first."""
        raise NotImplementedError

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters with its own options.

        Raises:
            TypeError: the group is not a dictionary, or its parameters are a set or not tensors.
            ValueError: an option is missing, a tensor is not a leaf, or a parameter is in another group.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        params = list(params)
        named = [isinstance(p, tuple) for p in params]
        if any(named):
            if not all(named):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = [name for name, _ in params]
            params = [p for _, p in params]
        param_group["params"] = params
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is " + rushlight.typename(p)
                )
            if not self.defaults.get("differentiable", None) and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len({id(p) for p in params}) != len(params):
            import warnings

            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                stacklevel=3,
            )
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            raise ValueError("all optimizer param groups should be with/without names.")
        taken = {id(p) for group in self.param_groups for p in group["params"]}
        if not taken.isdisjoint(id(p) for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    # What the steps of the subclasses are made of.

    @staticmethod
    def _call_closure(closure: Callable[[], Any] | None) -> Any:
        if closure is None:
            return None
        with rushlight.enable_grad():
            return closure()

    def _check_fused(self) -> None:
        """Refuse the options that PyTorch's optimizers refuse together."""
        options = self.defaults
        if options.get("fused"):
            if options.get("differentiable"):
                raise RuntimeError("`fused` does not support `differentiable`")
            if options.get("foreach"):
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def _dense(self, p: Tensor) -> Tensor | None:
        """The gradient of a parameter, None if it has none; RuntimeError if it is sparse."""
        grad = p.grad
        if grad is not None and grad.is_sparse:
            raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")
        return grad

    def _buckets(
        self, group: dict[str, Any], init: Callable[[Tensor, dict[str, Any]], None], names: Iterable[str]
    ) -> list[Bucket]:
        """Gather the parameters that have a gradient by their step, which is advanced by one.

        Mostly all of them are at the same step and share one ``step`` tensor, so that it is read and made once.

        Args:
            group: the group.
            init: fills the empty state of a parameter seen for the first time.
            names: the states to gather.
        """
        names = tuple(names)
        read: dict[int, float] = {}
        buckets: dict[float, Bucket] = {}
        zero: Tensor | None = None
        for p in group["params"]:
            grad = self._dense(p)
            if grad is None:
                continue
            state = self.state[p]
            if not state:
                if zero is None:
                    zero = rushlight.tensor(0.0, dtype=rushlight.float32)
                state["step"] = zero
                init(p, state)
            step = state["step"]
            value = read.get(id(step))
            if value is None:
                value = read[id(step)] = float(step)
            bucket = buckets.get(value)
            if bucket is None:
                bucket = buckets[value] = Bucket(value + 1)
            bucket.params.append(p)
            bucket.grads.append(grad)
            bucket.owners.append(state)
        for bucket in buckets.values():
            after = rushlight.tensor(bucket.step, dtype=rushlight.float32)
            for state in bucket.owners:
                state["step"] = after
            bucket.states = tuple([state[name] for state in bucket.owners] for name in names)
        return list(buckets.values())

    @staticmethod
    def _apply(group: dict[str, Any], rule: Any, scalars: dict[str, Any], bucket: Bucket) -> None:
        _step.apply(
            rule,
            scalars,
            bucket.params,
            bucket.grads,
            *bucket.states,
            differentiable=bool(group.get("differentiable")),
        )


class SteppedOptimizer(Optimizer):
    """An optimizer of dense gradients whose parameters have a ``step``.

    A subclass says which states it keeps, how they start, and what rule and scalars one step is made of.
    """

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        """The states that the rule takes, in its order."""
        raise NotImplementedError

    def _init(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Fill the states of a parameter seen for the first time: zeros, unless a subclass knows better."""
        for name in self._names(group):
            state[name] = zeros_for(p)

    def _plan(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        """The rule and its scalars for a step, counted from 1."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once; return the loss that ``closure``, if given, computes."""
        loss = self._call_closure(closure)
        for group in self.param_groups:
            init = functools.partial(self._init, group=group)
            for bucket in self._buckets(group, init, self._names(group)):
                rule, scalars = self._plan(group, bucket.step)
                self._apply(group, rule, scalars, bucket)
                self._after(group, bucket)
        return loss

    def _after(self, group: dict[str, Any], bucket: Bucket) -> None:
        """Called when a bucket has been stepped; for states that are plain numbers."""


def _cast(param: Tensor, value: Any, key: str | None = None) -> Any:
    """Bring a loaded state to its parameter's dtype and device; ``step`` keeps its own."""
    if isinstance(value, Tensor):
        if key == "step":
            return value.clone()
        if param.is_floating_point():
            return value.to(dtype=param.dtype, device=param.device, copy=True)
        return value.to(device=param.device, copy=True)
    if isinstance(value, dict):
        return {k: _cast(param, v, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(param, v) for v in value)
    return value


def zeros_for(p: Tensor) -> Tensor:
    """Return zeros like a parameter: the first value of most states."""
    return rushlight.zeros_like(p, memory_format=rushlight.preserve_format)
