"""Dictionaries that hold their keys weakly and by identity: what is known of a tensor goes with the tensor."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Generic, TypeVar
from weakref import ref

from rushlight.core.tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary", "ref"]

K = TypeVar("K")
V = TypeVar("V")


class WeakIdRef(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that is hashed and compared by the identity of its object, also when that is gone."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine, theirs = self(), other() if isinstance(other, weakref.ref) else None
        return mine is theirs if mine is not None and theirs is not None else self is other

    def __ne__(self, other: object) -> bool:
        return not self == other


class WeakIdKeyDictionary(MutableMapping[K, V], Generic[K, V]):
    """A mapping whose keys are held weakly and told apart by identity: an entry goes when its key does.

    Args:
        dict: entries to begin with.
        ref_type: the class of the references.
    """

    def __init__(self, dict: Mapping[K, V] | None = None, ref_type: type[Any] = WeakIdRef) -> None:
        self.data: Any = {}
        self.ref_type = ref_type
        if dict is not None:
            self.update(dict)

    def _reference(self, key: K, data: Any = None) -> Any:
        return self.ref_type(key) if data is None else self.ref_type(key, lambda gone: data.pop(gone, None))

    def __getitem__(self, key: K) -> V:
        return self.data[self._reference(key)]

    def __setitem__(self, key: K, value: V) -> None:
        self.data[self._reference(key, self.data)] = value

    def __delitem__(self, key: K) -> None:
        del self.data[self._reference(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self._reference(key) in self.data  # type: ignore[arg-type]
        except TypeError:  # what cannot be referred to weakly is no key
            return False

    def __iter__(self) -> Iterator[K]:
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def keyrefs(self) -> list[Any]:
        """The weak references; their objects may be gone when they are asked for."""
        return list(self.data)

    def copy(self) -> WeakIdKeyDictionary[K, V]:
        """Another dictionary of the same entries."""
        return WeakIdKeyDictionary(self, self.ref_type)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> WeakIdKeyDictionary[K, V]:
        from copy import deepcopy

        new = type(self)(ref_type=self.ref_type)
        for key, value in self.items():
            new[key] = deepcopy(value, memo)
        return new

    def __or__(self, other: Mapping[K, V]) -> WeakIdKeyDictionary[K, V]:
        new = self.copy()
        new.update(other)
        return new


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor, called to get it: None when it is gone."""

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"TensorWeakRef(): 'tensor' must be a Tensor; found {type(tensor).__name__}")
        self.ref = ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()
