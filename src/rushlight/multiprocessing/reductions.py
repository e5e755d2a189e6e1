"""How tensors and storages travel to other processes, by the names that PyTorch has for it (core/sharing.py)."""

from __future__ import annotations

import weakref
from multiprocessing.reduction import ForkingPickler

from rushlight.core.sharing import rebuild_storage, rebuild_tensor, reduce_storage, reduce_tensor, register_reductions
from rushlight.core.storage import Storage

__all__ = [
    "ForkingPickler",
    "StorageWeakRef",
    "init_reductions",
    "rebuild_storage",
    "rebuild_tensor",
    "reduce_storage",
    "reduce_tensor",
]


def init_reductions() -> None:
    """Have tensors shared, not copied, when multiprocessing sends them; importing torch.multiprocessing does it."""
    register_reductions()


class StorageWeakRef:
    """A reference to a storage that does not keep it alive; equal for one storage, and good as a key.

    Args:
        storage: an UntypedStorage or TypedStorage.
    """

    __slots__ = ("_ref", "cdata")

    def __init__(self, storage: Storage) -> None:
        self._ref = weakref.ref(getattr(storage, "_untyped_storage", storage))
        self.cdata = storage._cdata

    def expired(self) -> bool:
        """Whether the storage is gone."""
        return self._ref() is None

    def __hash__(self) -> int:
        return self.cdata

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, StorageWeakRef) and self.cdata == other.cdata
