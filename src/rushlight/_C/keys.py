"""Dispatch keys as packages name them: sets of them, and a guard that leaves out what rushlight has of them, autocast
and autograd.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterable
from typing import Any

__all__ = ["DispatchKey", "DispatchKeySet", "_AutoDispatchBelowAutograd", "_ExcludeDispatchKeyGuard"]

_BACKENDS = ("CPU", "CUDA", "XPU", "MPS", "XLA", "HPU", "IPU", "MTIA", "MAIA", "Meta", "PrivateUse1")
_NAMES = (
    "Undefined",
    *_BACKENDS,
    *(f"Autograd{b}" for b in _BACKENDS),
    *(f"Autocast{b}" for b in _BACKENDS[:-2]),
    "AutocastPrivateUse1",
    "Autograd",
    "AutogradOther",
    "AutogradFunctionality",
    "AutogradNestedTensor",
    "ADInplaceOrView",
    "BackendSelect",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CompositeImplicitAutograd",
    "Conjugate",
    "Dense",
    "FuncTorchBatched",
    "FuncTorchDynamicLayerBackMode",
    "FuncTorchDynamicLayerFrontMode",
    "FuncTorchGradWrapper",
    "FuncTorchVmapMode",
    "Functionalize",
    "NestedTensor",
    "Negative",
    "PreDispatch",
    "Python",
    "PythonDispatcher",
    "PythonTLSSnapshot",
    "Quantized",
    "Sparse",
    "SparseCsr",
    "ZeroTensor",
)
DispatchKey = enum.Enum("DispatchKey", _NAMES)  # type: ignore[misc]
DispatchKey.__module__ = "rushlight._C"


class DispatchKeySet:
    """A set of dispatch keys.

    Args:
        keys: one, or several.

    Raises:
        TypeError: for anything else.
    """

    __module__ = "rushlight._C"
    _keys: frozenset[DispatchKey]

    def __init__(self, keys: DispatchKey | DispatchKeySet | Iterable[DispatchKey] = ()) -> None:
        found = (
            (keys,)
            if isinstance(keys, DispatchKey)
            else keys._keys
            if isinstance(keys, DispatchKeySet)
            else tuple(keys)
        )
        for key in found:
            if not isinstance(key, DispatchKey):
                raise TypeError(f"DispatchKeySet(): 'keys' must be DispatchKey; found {type(key).__name__}")
        self._keys = frozenset(found)

    def has(self, key: DispatchKey) -> bool:
        """Whether a key is in the set."""
        return key in self._keys

    def add(self, key: DispatchKey) -> DispatchKeySet:
        """The set with one key more."""
        return DispatchKeySet(self._keys | {key})

    def remove(self, key: DispatchKey) -> DispatchKeySet:
        """The set without a key."""
        return DispatchKeySet(self._keys - {key})

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys | other._keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys & other._keys)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys - other._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self) -> int:
        return hash(self._keys)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(sorted(k.name for k in self._keys))})"


class _ExcludeDispatchKeyGuard:
    """Within it, calls pass by the layers of these keys: autocast, autograd; keys of layers that rushlight lacks
    change nothing.

    Raises:
        NotImplementedError: for a key of a layer that it has, and cannot pass by.
    """

    __module__ = "rushlight._C"
    _stays = frozenset(
        (
            "Python",
            "PythonTLSSnapshot",
            "PythonDispatcher",
            "FuncTorchBatched",
            "FuncTorchGradWrapper",
            "FuncTorchVmapMode",
            *_BACKENDS,
        )
    )

    def __init__(self, keys: DispatchKeySet) -> None:
        self._names = {k.name for k in keys._keys}
        refused = sorted(self._names & self._stays)
        if refused:
            raise NotImplementedError(
                f"_ExcludeDispatchKeyGuard(): autocast and autograd can be passed by; found {', '.join(refused)}"
            )
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> None:
        from rushlight.amp import autocast
        from rushlight.library.operator import below_autograd

        for name in sorted(self._names):
            if name.startswith("Autocast") and name.removeprefix("Autocast") == "CPU":
                self._stack.enter_context(autocast("cpu", enabled=False))
            elif name.startswith("Autograd"):
                self._stack.enter_context(below_autograd())

    def __exit__(self, *error: Any) -> None:
        self._stack.close()


class _AutoDispatchBelowAutograd(_ExcludeDispatchKeyGuard):
    """Within it, calls pass by autograd: nothing is recorded, and what a library has for the key "Autograd" is not
    called.
    """

    def __init__(self) -> None:
        super().__init__(DispatchKeySet(DispatchKey["Autograd"]))
