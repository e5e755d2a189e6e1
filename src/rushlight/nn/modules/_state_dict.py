"""Saving a module's parameters and buffers in a dictionary, and loading them from one."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import rushlight
from rushlight import Tensor
from rushlight.core.warning import warn
from rushlight.nn.parameter import Parameter, is_lazy
from rushlight.utils.hooks import RemovableHandle

from ._hooks import add_hook

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    def __str__(self) -> str:
        return self.__repr__()


class _PreHook:
    """A load_state_dict pre-hook, with the module in front of its arguments when it asked for that. The module's table
    holds it, and packages call what stands there themselves.
    """

    def __init__(self, hook: Callable[..., Any], module: StateDictMixin | None) -> None:
        self.hook = hook
        self.with_module = module is not None
        self._module = None if module is None else weakref.ref(module)

    def __call__(self, *args: Any) -> Any:
        if self._module is None:
            return self.hook(*args)
        module = self._module()
        if module is None:
            raise RuntimeError("load_state_dict pre-hook: its module is gone")
        return self.hook(module, *args)

    def __getstate__(self) -> dict[str, Any]:
        return {"hook": self.hook, "module": None if self._module is None else self._module()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["hook"], state["module"])  # type: ignore[misc]


class _InPlaceHook:
    """A state_dict post-hook that may change the dictionary, but not replace it."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> None:
        found = self.hook(*args)
        if found is not None:
            raise RuntimeError(
                f"state_dict(): a post-hook must return None, {self.hook!r} returned {type(found).__name__}"
            )


@dataclass
class _Loading:
    """One load_state_dict under way, and what of it did not fit."""

    metadata: Mapping[str, dict[str, Any]]
    assign: bool
    keys: _IncompatibleKeys = field(default_factory=lambda: _IncompatibleKeys([], []))
    errors: list[str] = field(default_factory=list)

    def load(self, module: StateDictMixin, state: Mapping[str, Any], prefix: str = "") -> None:
        """Load a module and what is below it from the entries that begin with its prefix."""
        local_metadata = dict(self.metadata.get(prefix[:-1], {}))
        if self.assign:
            local_metadata["assign_to_params_buffers"] = True
        module._load_from_state_dict(state, prefix, local_metadata, True, *self.keys, self.errors)
        # Only now: the module's pre-hooks may have renamed keys.
        shares: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for key, value in state.items():
            if key.startswith(prefix):
                shares[key[len(prefix) :].partition(".")[0]][key] = value
        for name, child in module._modules.items():
            if child is not None:
                self.load(child, shares[name], f"{prefix}{name}.")
        for hook in module._load_state_dict_post_hooks.values():
            found = hook(module, self.keys)
            if found is not None:
                raise AssertionError(
                    "load_state_dict(): a post-hook must return None and change the lists of keys that it gets; "
                    f"{hook!r} "
                    f"returned {type(found).__name__}"
                )

    def report(self, strict: bool) -> list[str]:
        """What is wrong, a line each."""
        kinds = zip(("Missing", "Unexpected"), self.keys) if strict else ()
        quoted = ((kind, ", ".join(f'"{name}"' for name in names)) for kind, names in kinds)
        return [f"{kind} key(s) in state_dict: {names}. " for kind, names in quoted if names] + self.errors


class StateDictMixin:
    """The part of Module that saves and loads its state."""

    _version: int
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: OrderedDict[int, Any]
    _state_dict_pre_hooks: OrderedDict[int, Any]
    _load_state_dict_pre_hooks: OrderedDict[int, Any]
    _load_state_dict_post_hooks: OrderedDict[int, Any]

    def get_extra_state(self) -> Any:
        """Return what else belongs in the state_dict; override it together with :meth:`set_extra_state`."""
        raise RuntimeError(f"get_extra_state(): {type(self).__name__} defines none")

    def set_extra_state(self, state: Any) -> None:
        """Take back what :meth:`get_extra_state` returned."""
        raise RuntimeError(f"set_extra_state(): {type(self).__name__} defines none")

    def _overrides_(self, name: str) -> bool:
        return getattr(type(self), name) is not getattr(StateDictMixin, name)

    # Saving.

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after state_dict; what it returns takes its
        place.
        """
        return add_hook(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after state_dict; it may change it in place."""
        return add_hook(self._state_dict_hooks, _InPlaceHook(hook))

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before state_dict collects anything."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def _persistent_(self, prefix: str) -> dict[str, tuple[str, Any]]:
        """This module's own tensors in the state, their names with and without prefix."""
        kept = ((n, t) for n, t in self._buffers.items() if n not in self._non_persistent_buffers_set)
        return {prefix + name: (name, t) for name, t in chain(self._parameters.items(), kept) if t is not None}

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Put this module's own tensors, not its children's, in ``destination``."""
        for key, (_, tensor) in self._persistent_(prefix).items():
            destination[key] = tensor if keep_vars else tensor.detach()
        if self._overrides_("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Return an ordered dictionary of the module's parameters and persistent buffers.

        Args:
            destination: a dictionary to fill instead of a new one.
            prefix: put in front of every key.
            keep_vars: give the tensors themselves instead of detached ones.

        Returns:
            The dictionary; its ``_metadata`` attribute holds each module's version.
        """
        if args:
            warn("state_dict(): its arguments are to be given by their names", FutureWarning)
        given = (*args, *(destination, prefix, keep_vars)[len(args) :])
        destination, prefix, keep_vars = given
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        # A plain dictionary has no place for versions.
        getattr(destination, "_metadata", {})[prefix[:-1]] = local_metadata
        for before in self._state_dict_pre_hooks.values():
            before(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for after in self._state_dict_hooks.values():
            replacement = after(self, destination, prefix, local_metadata)
            if replacement is not None:
                destination = replacement
        return destination

    # Loading.

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        return add_hook(self._load_state_dict_pre_hooks, _PreHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call the hook before this module loads its tensors.

        Its arguments are ``(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)``.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading; it may change the two lists in place."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    def _load_tensor_(self, name: str, key: str, current: Any, value: Any, assign: bool) -> str | None:
        """Load one tensor; returns why it does not fit, if so."""
        if not isinstance(value, Tensor):
            return f"{key}: the checkpoint must hold a tensor, found {type(value).__name__}."
        if is_lazy(current) and is_lazy(value):
            return None  # neither has values
        if current.dim() == 0 and value.shape == (1,):
            value = value[0]  # very old checkpoints keep scalars as vectors of one element
        if value.shape != current.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in "
                f"current model is {current.shape}."
            )
        try:
            if assign:
                self._replace_(name, current, value)
            else:
                if current.device.type == "meta" and value.device.type != "meta":
                    warnings.warn(
                        f"load_state_dict(): {key}: nothing is copied to a parameter on the device 'meta', which "
                        "holds no data; assign=True puts the "
                        "checkpoint's tensors in its place",
                        stacklevel=2,
                    )
                with rushlight.no_grad():
                    current.copy_(value)
        except Exception as error:
            # Gathered with the others: one report for the whole checkpoint beats the first failure alone.
            return f"{key}: loading {value.dtype} {tuple(value.shape)} failed with {type(error).__name__}: {error}."
        return None

    def _replace_(self, name: str, current: Any, value: Tensor) -> None:
        """Put a tensor in the place of one of the module's; a parameter is followed by a parameter."""
        if isinstance(current, Parameter):
            if not isinstance(value, Parameter):
                value = Parameter(value, current.requires_grad)
            value.requires_grad_(current.requires_grad)
        setattr(self, name, value)

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load this module's own tensors, not its children's; problems are added to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        expected: dict[str, Any] = self._persistent_(prefix)
        for key, (name, current) in expected.items():
            if key in state_dict:
                problem = self._load_tensor_(name, key, current, state_dict[key], assign)
                error_msgs += [problem] if problem else []
        if self._overrides_("set_extra_state"):
            key = prefix + _EXTRA_STATE_KEY_SUFFIX
            expected[key] = None
            if key in state_dict:
                self.set_extra_state(state_dict[key])
        if not strict:
            return
        missing_keys += [key for key in expected if key not in state_dict]
        for key in state_dict:
            if key.startswith(prefix) and key not in expected:
                child, dot, _ = key[len(prefix) :].partition(".")
                if not dot or child not in self._modules:
                    unexpected_keys.append(key)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy the tensors of ``state_dict`` into this module and its children.

        Args:
            state_dict: names and tensors, as :meth:`state_dict` gives them.
            strict: raise when the names do not match exactly.
            assign: put the given tensors themselves in the module instead of copying their values.

        Returns:
            A pair ``(missing_keys, unexpected_keys)``.

        Raises:
            TypeError: ``state_dict`` is not a mapping.
            RuntimeError: names (when strict) or shapes do not match.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"load_state_dict(): state_dict must be a mapping; found {type(state_dict).__name__}")
        metadata = getattr(state_dict, "_metadata", None)
        # A copy: the pre-hooks of modules may rename keys in it.
        state: Any = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata
        loading = _Loading(metadata or {}, assign)
        loading.load(self, state)
        if lines := loading.report(strict):
            raise RuntimeError("\n\t".join([f"Error(s) in loading state_dict for {type(self).__name__}:", *lines]))
        return loading.keys
