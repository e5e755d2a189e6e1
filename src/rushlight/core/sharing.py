"""Memory that processes share: a storage moves to a file in memory, whose descriptor travels to processes that do not
inherit it.

multiprocessing's pickler is given such a descriptor for a tensor, so that sender and receiver see one memory, as with
PyTorch.
"""

from __future__ import annotations

import errno
import os
import weakref
from typing import Any

from rushlight.core import raw as _raw
from rushlight.core import storage as _storage
from rushlight.core.dtypes import dtype, uint8
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor

_READ_WRITE, _SHARED, _PRIVATE = 3, 1, 2  # of mmap(2)

_memory: weakref.WeakKeyDictionary[Storage, FileMemory] = weakref.WeakKeyDictionary()
_arrived: weakref.WeakValueDictionary[tuple[int, int], Storage] = weakref.WeakValueDictionary()  # by device and inode


class FileMemory:
    """A map of a file, and its descriptor; alive as long as a storage lies on it. (Python's mmap would keep a second
    descriptor for each.)

    Args:
        descriptor: of the file, which this closes.
        shared: what is written goes into the file.
    """

    def __init__(self, descriptor: int, nbytes: int, shared: bool = True, path: str | None = None) -> None:
        import ctypes  # takes a twentieth of the package's import

        self.descriptor, self.nbytes, self.shared, self.path = descriptor, max(nbytes, 1), shared, path
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.address, self._unmap, self._close = 0, libc.munmap, os.close
        found = libc.mmap(None, self.nbytes, _READ_WRITE, _SHARED if shared else _PRIVATE, descriptor, 0)
        if found == ctypes.c_void_p(-1).value:
            code = ctypes.get_errno()
            raise MemoryError(f"{nbytes} bytes of {path or 'shared memory'} cannot be mapped ({os.strerror(code)})")
        self.address = found

    def __del__(self) -> None:
        if self.address:
            self._unmap(self.address, self.nbytes)
        self._close(self.descriptor)

    def storage(self) -> Storage:
        """A storage on the memory."""
        made = _storage.storage_from_external(self.address, self.nbytes, self)
        _memory[made] = self
        return made


def map_file(name: str, path: str, shared: bool, nbytes: int) -> Storage:
    """A storage on the first `nbytes` (at least 1) of a file, read as they are needed.

    Args:
        name: of the function, for errors.
        shared: what is written goes into the file, which is made as large as needed.

    Raises:
        RuntimeError: for a file that cannot be opened, or is too short.
    """
    try:
        descriptor = os.open(path, os.O_CLOEXEC | (os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY), 0o666)
    except OSError as error:
        raise RuntimeError(
            f"{name}(): 'filename' must be a file that can be opened; found {path!r} ({error.strerror})"
        ) from error
    memory = FileMemory(descriptor, nbytes, shared, path if shared else None)  # which closes it, whatever comes
    have = os.fstat(descriptor).st_size
    if have < nbytes:
        if not shared:
            raise RuntimeError(f"{name}(): {path!r} must have {nbytes} bytes; found {have}: too short")
        try:
            # a file with holes would end the process at the first write to a full disk
            os.posix_fallocate(descriptor, 0, nbytes)
        except OSError as error:
            raise RuntimeError(
                f"{name}(): {path!r} must become {nbytes} bytes large; found {have}, and no room for more "
                f"({error.strerror})"
            ) from error
    return memory.storage()


def filename(storage: Storage) -> str | None:
    """The path of the file that a storage shares with others; None if there is none."""
    memory = _memory.get(storage)
    return None if memory is None else memory.path


def _new_file(nbytes: int) -> int:
    """A descriptor of a new file in memory. For a program that shares many tensors the soft limit of descriptors is
    raised, up to the hard one.
    """
    try:
        descriptor = os.memfd_create("rushlight")
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft == hard:
            raise RuntimeError(
                "share_memory_(): each shared storage needs a file descriptor, and this process has its limit of "
                f"{hard} open"
            ) from error
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        descriptor = os.memfd_create("rushlight")
    os.ftruncate(descriptor, max(nbytes, 1))
    return descriptor


def is_shared(storage: Storage) -> bool:
    """Whether other processes may see the memory."""
    return storage in _memory


def share(storage: Storage) -> None:
    """Move a storage, and with it all tensors on it, to memory that other processes may see."""
    register_reductions()
    if storage not in _memory:
        _move(storage)


def _move(storage: Storage) -> FileMemory:
    n = storage.nbytes()
    memory = FileMemory(_new_file(n), n)
    new = _storage.storage_from_external(memory.address, n, memory)
    if n:
        _raw.copy_bytes(_raw.tensor_from_storage(new, uint8, 0, (n,), (1,)), _storage.contents(storage))
    _storage.move_storage(storage, new)
    _memory[storage] = memory
    found = os.fstat(memory.descriptor)
    _arrived[found.st_dev, found.st_ino] = storage
    return memory


# --------------------------------------------------------------------------------- what a pickler of processes is given
def reduce_storage(storage: Storage) -> tuple[Any, ...]:
    """How another process gets the memory of a storage, which becomes shared."""
    from multiprocessing.reduction import DupFd

    if storage.device.type != "cpu":
        return storage.__reduce__()  # type: ignore[return-value]
    memory = _memory[storage] if storage in _memory else _move(storage)
    if not memory.shared:  # what this process has written is in no file
        return storage.__reduce__()  # type: ignore[return-value]
    return rebuild_storage, (DupFd(memory.descriptor), storage.nbytes())


def rebuild_storage(handle: Any, nbytes: int) -> Storage:
    """The storage on the memory of a descriptor that has arrived; the one that is here already, if it was here
    before.
    """
    descriptor = handle.detach()
    found = os.fstat(descriptor)
    key = found.st_dev, found.st_ino
    known = _arrived.get(key)
    if known is not None:
        os.close(descriptor)
        return known
    memory = FileMemory(descriptor, nbytes)
    storage = _storage.storage_from_external(memory.address, nbytes, memory)
    _memory[storage], _arrived[key] = memory, storage
    return storage


def reduce_tensor(t: Tensor) -> tuple[Any, ...]:
    """How another process gets a tensor: its storage shared, and where it lies in it.

    Raises:
        RuntimeError: for a tensor that an operation has computed: its graph is this process's.
    """
    if t.requires_grad and not t.is_leaf:
        raise RuntimeError(
            "a tensor that requires grad and is not a leaf cannot be sent to another process, for its graph stays in "
            "this one; "
            "send detach() of it"
        )
    if type(t) not in _classes or t.is_meta or t.layout.name != "strided":
        return t.__reduce_ex__(4)  # type: ignore[return-value]
    return rebuild_tensor, (
        type(t),
        t.untyped_storage(),
        (t.dtype, t.storage_offset(), tuple(t.shape), t.stride()),
        t.requires_grad,
        dict(t.__dict__),
    )


def rebuild_tensor(
    cls: Any,
    storage: Storage,
    place: tuple[dtype, int, tuple[int, ...], tuple[int, ...]],
    requires_grad: bool,
    state: dict[str, Any],
) -> Tensor:
    """The tensor that reduce_tensor described; place: its dtype, offset, size and strides in the storage."""
    made = _raw.tensor_from_storage(storage, *place)
    result: Tensor = cls(made, requires_grad) if cls is not Tensor else made
    if cls is Tensor and requires_grad:
        result.requires_grad = True
    result.__dict__.update(state)
    return result


_classes: list[type] = [Tensor]
_registered = False


def register_class(cls: type) -> None:
    """Let tensors of a class `cls(data, requires_grad)` be shared when they are sent to other processes; other
    subclasses are copied.
    """
    _classes.append(cls)
    if _registered:
        from multiprocessing.reduction import ForkingPickler

        ForkingPickler.register(cls, reduce_tensor)


def register_reductions() -> None:
    """Have tensors shared, not copied, when multiprocessing sends them."""
    global _registered
    if _registered:
        return
    from multiprocessing.reduction import ForkingPickler

    _registered = True
    ForkingPickler.register(Storage, reduce_storage)
    for cls in _classes:
        ForkingPickler.register(cls, reduce_tensor)
