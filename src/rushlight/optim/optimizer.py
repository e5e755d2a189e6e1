"""Optimizer, the base class: groups of parameters, state, hooks, saving and loading."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any, ClassVar

import rushlight
from rushlight import Tensor
from rushlight.autograd.running import in_range
from rushlight.core.checks import check_argument, check_type
from rushlight.utils.hooks import RemovableHandle

from . import _step
from ._options import Range

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()

ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]

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


# Names that optimizers of other packages take from PyTorch's file.
def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """The device types on which a step may be captured as a graph: of these there is none here."""
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]


def _default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Which form of a step is taken where the caller does not say: (fused, foreach)."""
    plain = not differentiable and all(
        type(p) in (Tensor, rushlight.nn.Parameter) and p.is_floating_point() for p in params
    )
    return use_fused and plain, False


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` within which operators are recorded if the optimizer is differentiable, and not if it is not."""

    @functools.wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with rushlight.enable_grad() if self.defaults["differentiable"] else rushlight.no_grad():
            return func(self, *args, **kwargs)

    return step


def rate(group: dict[str, Any]) -> Any:
    """Return a group's learning rate: as a number, unless the step is to be differentiated with respect to it."""
    return group["lr"] if group.get("differentiable") else number(group["lr"])


def number(value: Any) -> float:
    """Return a hyper-parameter, which may be a tensor of one element, as a number."""
    found: float = value.item() if isinstance(value, Tensor) else value
    return found


_NO_HOOKS: Mapping[int, Any] = {}


def _both(first: Mapping[int, Any], second: Mapping[int, Any]) -> tuple[Any, ...]:
    return (*first.values(), *second.values()) if first or second else ()


def _replaced(hook: Any, result: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of a step after a hook that may have returned others."""
    if result is None:
        return args, kwargs
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(f"Optimizer.step: the hook {hook} must return None or (args, kwargs); found {result!r}")
    return result


def _with_names(owner: str, params: Any) -> tuple[list[Any], list[str] | None]:
    """A group's parameters as a list, and their names if they come as (name, parameter) pairs."""
    if isinstance(params, Tensor):
        return [params], None
    if isinstance(params, (set, frozenset)):
        # Its order would be another one in the next process, and state is saved by position.
        raise TypeError(f"{owner}: 'params' must have an order; found a {type(params).__name__}. Give a list")
    entries = list(params)
    pairs = [entry for entry in entries if isinstance(entry, tuple)]
    if not pairs:
        return entries, None
    if len(pairs) < len(entries):
        raise ValueError(
            f"{owner}: all parameters of a group must have names, or none; found {len(pairs)} of {len(entries)}"
        )
    return [p for _, p in pairs], [name for name, _ in pairs]


# A parameter to be stepped, its gradient and its state.
Row = tuple[Tensor, Tensor, dict[str, Any]]


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
        ValueError: ``params`` is empty, holds a non-leaf tensor, a parameter is in two groups, or an option is out of
            its range.
    """

    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]

    # What a subclass's options may be, where that is not said in ``_options.USUAL``.
    _ranges_: ClassVar[Mapping[str, Range]] = {}

    state: defaultdict[Any, Any]
    param_groups: list[dict[str, Any]]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                f"{type(self).__name__}: 'params' must be an iterable of parameters or of dicts; found one Tensor. "
                "Put it into a list"
            )
        entries: list[Any] = list(params)
        check_argument(entries, type(self).__name__, "params", "hold at least one parameter", "none", ValueError)
        self._make_hooks_()
        self.defaults, self.state, self.param_groups = defaults, defaultdict(dict), []
        for group in entries if isinstance(entries[0], dict) else [{"params": entries}]:
            self.add_param_group(group)

    def _make_hooks_(self) -> None:
        for name in Optimizer.__annotations__:
            if name.endswith("_hooks"):
                vars(self).setdefault(name, OrderedDict())

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

        @in_range(lambda self: f"Optimizer.step#{type(self).__name__}.step")
        @functools.wraps(func)
        def step_with_hooks(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            own = vars(self)
            own["_opt_called"] = True  # the learning rate schedules warn about a step of theirs that comes first
            # (A wrapper that has not called __init__ has no hooks of its own.)
            for hook in _both(_global_pre_hooks, own.get("_optimizer_step_pre_hooks", _NO_HOOKS)):
                args, kwargs = _replaced(hook, hook(self, args, kwargs), args, kwargs)
            result = func(*args, **kwargs)
            for hook in _both(own.get("_optimizer_step_post_hooks", _NO_HOOKS), _global_post_hooks):
                hook(self, args, kwargs)
            return result

        step_with_hooks.hooked = True  # type: ignore[attr-defined]
        return step_with_hooks

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("defaults", "state", "param_groups")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make_hooks_()
        # Options that an older pickle does not know.
        for group in self.param_groups:
            group.update({name: value for name, value in self.defaults.items() if name not in group})

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

    def _register_(self, table: str, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
        handle = _add_hook(getattr(self, table), hook)
        if prepend:
            getattr(self, table).move_to_end(handle.id, last=False)
        return handle

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before state_dict."""
        return self._register_("_optimizer_state_dict_pre_hooks", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after state_dict; what it returns replaces the dictionary."""
        return self._register_("_optimizer_state_dict_post_hooks", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before loading; what it returns replaces the dictionary."""
        return self._register_("_optimizer_load_state_dict_pre_hooks", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after loading."""
        return self._register_("_optimizer_load_state_dict_post_hooks", hook, prepend)

    # Saving and loading.

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the groups' options, with parameters named by their position."""
        for pre_hook in self._optimizer_state_dict_pre_hooks.values():
            pre_hook(self)
        position = {id(p): i for i, p in enumerate(self._parameters_())}
        result: dict[str, Any] = {
            "state": {(position[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()},
            "param_groups": [
                # 'params' comes last.
                {key: group[key] for key in group if key != "params"}
                | {"params": [position[id(p)] for p in group["params"]]}
                for group in self.param_groups
            ],
        }
        return self._through_(self._optimizer_state_dict_post_hooks, result)

    def _through_(self, hooks: Mapping[int, Any], state_dict: dict[str, Any]) -> dict[str, Any]:
        """The dictionary after hooks that may each return another."""
        for hook in hooks.values():
            replacement = hook(self, state_dict)
            state_dict = state_dict if replacement is None else replacement
        return state_dict

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the state and options that :meth:`state_dict` gave.

        Raises:
            ValueError: the groups do not match this optimizer's.
        """
        state_dict = self._through_(self._optimizer_load_state_dict_pre_hooks, dict(state_dict))
        groups = deepcopy(state_dict["param_groups"])
        own, found = ([len(group["params"]) for group in side] for side in (self.param_groups, groups))
        if own != found:
            raise ValueError(
                f"{type(self).__name__}.load_state_dict: the optimizer has groups of {own} parameters; "
                f"found groups of {found} in the state_dict"
            )
        owners: dict[Any, Tensor] = {}
        for group, present in zip(groups, self.param_groups, strict=True):
            owners.update(zip(group["params"], present["params"], strict=True))
            group["params"] = present["params"]
            if "param_names" in present:
                group.setdefault("param_names", present["param_names"])
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owners:
                state[owners[key]] = _cast(owners[key], value)
            else:
                state[key] = value
        self.__setstate__({"state": state, "param_groups": groups})
        for post_hook in self._optimizer_load_state_dict_post_hooks.values():
            post_hook(self)

    # Groups and gradients.

    def _parameters_(self) -> Iterator[Any]:
        return chain.from_iterable(group["params"] for group in self.param_groups)

    @in_range(lambda self: f"Optimizer.zero_grad#{type(self).__name__}.zero_grad")
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters: to None, or to zeros."""
        for p in self._parameters_():
            if set_to_none:
                p.grad = None
            elif p.grad is not None:
                if p.grad.requires_grad:
                    p.grad.detach_()
                p.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once; a ``closure`` that computes the loss anew is called first. Returns its loss."""
        raise NotImplementedError

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters with its own options.

        Raises:
            TypeError: the group is not a dictionary, or its parameters are a set or not tensors.
            ValueError: an option is missing, a tensor is not a leaf, or a parameter is in another group.
        """
        owner = type(self).__name__
        check_type(f"{owner}.add_param_group", "param_group", param_group, dict)
        params, names = _with_names(owner, param_group["params"])
        param_group["params"] = params
        if names is not None:
            param_group["param_names"] = names
        self._check_params_(params)
        for name, default in self.defaults.items():
            if name not in param_group:
                if default is required:
                    raise ValueError(f"{owner}: a group of parameters must say its '{name}', which has no default")
                param_group[name] = default
        if any(("param_names" in other) != ("param_names" in param_group) for other in self.param_groups[:1]):
            raise ValueError(f"{owner}: the parameters of all groups must have names, or those of none")
        self.param_groups.append(param_group)

    def _check_params_(self, params: list[Any]) -> None:
        """Refuse what cannot be a parameter, or is one already."""
        owner = type(self).__name__
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"{owner}: a parameter must be a Tensor; found {rushlight.typename(p)}")
            if not (p.is_leaf or p.retains_grad or self.defaults.get("differentiable")):
                raise ValueError(f"{owner}: a parameter must be a leaf of the graph; found the result of an operation")
        new = {id(p) for p in params}
        if len(new) < len(params):
            import warnings

            warnings.warn(f"{owner}: a group holds the same parameter twice", stacklevel=4)
        if not new.isdisjoint(map(id, self._parameters_())):
            raise ValueError(f"{owner}: a parameter may be in one group only; found one in two")

    # What the steps of the subclasses are made of.

    @staticmethod
    def _group_tensors_by_device_and_dtype(
        tensorlistlist: list[list[Any]], with_indices: bool = False
    ) -> dict[Any, tuple[list[list[Any]], list[int]]]:
        """Lists of equal length taken apart by the device and dtype of the first one's tensors; with the places that
        they came from.
        """
        found: dict[Any, tuple[list[list[Any]], list[int]]] = {}
        for i, first in enumerate(tensorlistlist[0]):
            lists, places = found.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
            for into, tensors in zip(lists, tensorlistlist, strict=True):
                if tensors:
                    into.append(tensors[i])
            if with_indices:
                places.append(i)
        return found

    @staticmethod
    def _call_closure_(closure: Callable[[], Any] | None) -> Any:
        if closure is None:
            return None
        with rushlight.enable_grad():
            return closure()

    def _rows_(self, group: dict[str, Any]) -> Iterator[Row]:
        """What a step changes: the parameters of a group that have a gradient."""
        states = self.state
        for p in group["params"]:
            grad = p.grad
            if grad is not None:
                yield p, grad, states[p]

    _layouts_ = "dense"  # of gradients that steps take: "dense", "sparse", or "any"

    def _check_layout_(self, layout: str) -> None:
        """RuntimeError if gradients of this layout are none of `_layouts_`."""
        if self._layouts_ not in ("any", layout):
            raise RuntimeError(
                f"{type(self).__name__}: gradients must be {self._layouts_}, {type(self).__name__} does not support "
                f"{layout} gradients; found one"
            )

    def _buckets_(
        self,
        group: dict[str, Any],
        rows: Iterable[Row],
        init: Callable[[Tensor, dict[str, Any]], None],
        names: Iterable[str],
    ) -> list[Bucket]:
        """Gather parameters by their step, which is advanced by one.

        Mostly all of them are at the same step and share one ``step`` tensor, so that it is read and made once.

        Args:
            group: the group's options.
            rows: the parameters, with their gradients and states.
            init: fills the empty state of a parameter seen for the first time.
            names: the states to gather.

        Raises:
            AssertionError: the group is ``capturable``, which no device here is.
        """
        names = tuple(names)
        read: dict[int, float] = {}
        dense: dict[float, Bucket] = {}
        sparse: dict[float, Bucket] = {}
        takes_dense = self._layouts_ != "sparse"
        zero: Tensor | None = None
        for p, grad, state in rows:
            buckets = dense
            if grad.is_sparse:
                self._check_layout_("sparse")
                buckets = sparse
            elif not takes_dense:
                self._check_layout_("dense")
            if not state:
                if zero is None:
                    zero = rushlight.tensor(0.0, dtype=rushlight.float32)
                begun: dict[str, Any] = {"step": zero}
                init(p, begun)
                state.update(begun)  # in one go: an interrupt amid `init` leaves no half of a state
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
        found = [*dense.values(), *sparse.values()]
        if found and group.get("capturable") and not group.get("fused"):
            devices = _get_capturable_supported_devices()
            raise AssertionError(
                f"{type(self).__name__}.step(): 'capturable' needs parameters and states on one of the devices "
                f"{', '.join(devices)}; found {found[0].params[0].device.type}"
            )
        for bucket in found:
            after = rushlight.tensor(bucket.step, dtype=rushlight.float32)
            for state in bucket.owners:
                state["step"] = after
            bucket.states = tuple([state[name] for state in bucket.owners] for name in names)
        return found

    @staticmethod
    def _apply_(group: dict[str, Any], rule: Any, scalars: dict[str, Any], bucket: Bucket) -> None:
        if bucket.grads[0].is_sparse:
            for i, (p, grad) in enumerate(zip(bucket.params, bucket.grads, strict=True)):
                _step.apply_to_entries(rule, scalars, p, grad, *(states[i] for states in bucket.states))
            return
        _step.apply(
            rule, scalars, bucket.params, bucket.grads, *bucket.states, differentiable=bool(group.get("differentiable"))
        )


class SteppedOptimizer(Optimizer):
    """An optimizer of dense gradients whose parameters have a ``step``.

    A subclass says which states it keeps, how they start, and what rule and scalars one step is made of.
    """

    _states_: ClassVar[tuple[str, ...]]

    def _names_(self, group: dict[str, Any]) -> tuple[str, ...]:
        """The states that the rule takes, in its order: `_states_`, where no option says which."""
        return self._states_

    def _init_(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Fill the states of a parameter seen for the first time: zeros, unless a subclass knows better."""
        for name in self._names_(group):
            state[name] = zeros_for(p)

    def _plan_(self, group: dict[str, Any], step: float) -> tuple[Any, dict[str, Any]]:
        """The rule and its scalars for a step, counted from 1."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once; returns the loss that ``closure``, if given, computes."""
        loss = self._call_closure_(closure)
        for group in self.param_groups:
            self._update_(group, self._rows_(group))
        return loss

    def _update_(self, group: dict[str, Any], rows: Iterable[Row]) -> None:
        """Step parameters of a group; of `self` nothing is read that a constructor sets."""
        init = functools.partial(self._init_, group=group)
        for bucket in self._buckets_(group, rows, init, self._names_(group)):
            rule, scalars = self._plan_(group, bucket.step)
            self._apply_(group, rule, scalars, bucket)
            self._after_(group, bucket)

    def _after_(self, group: dict[str, Any], bucket: Bucket) -> None:
        """Called when a bucket has been stepped; for states that are plain numbers."""


def _cast(param: Tensor, value: Any, key: str | None = None) -> Any:
    """Bring a loaded state to its parameter's dtype and device; ``step`` keeps its own."""
    if isinstance(value, Tensor):
        dtype = param.dtype if param.is_floating_point() else value.dtype
        return value.clone() if key == "step" else value.to(param.device, dtype, copy=True)
    if isinstance(value, dict):
        return {name: _cast(param, part, name) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(param, part) for part in value)
    return value


def zeros_for(p: Tensor) -> Tensor:
    """Return zeros like a parameter: the first value of most states."""
    return rushlight.zeros_like(p, memory_format=rushlight.preserve_format)
