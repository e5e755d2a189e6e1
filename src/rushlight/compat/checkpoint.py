"""torch.save and torch.load in PyTorch's own file format, so that checkpoints go back and forth between the two.

A checkpoint is a zip archive with uncompressed members: `data.pkl`, a pickle in which each storage is a persistent id
("storage", type, key, location, number of elements), and `data/KEY`, the bytes of that storage, aligned to 64 bytes.
Tensors that share a storage share it again after loading.

Source:
    The files that PyTorch writes; no text of it says so.
"""

from __future__ import annotations

import io
import os
import pickle
import secrets
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from mmap import MAP_SHARED
from typing import IO, Any, TypeAlias

from rushlight.compat import unpickler
from rushlight.compat.archive import Archive, DamagedFileError
from rushlight.compat.legacy import load_legacy, looks_legacy, save_legacy
from rushlight.compat.pickles import CheckpointPickler
from rushlight.compat.rebuild import brief, loaded_storage
from rushlight.core.dtypes import dtype
from rushlight.core.storage import Storage, contents
from rushlight.core.tensor import device
from rushlight.operators.tensors.memory import TypedStorage
from rushlight.utils.serialization import _options as file_options
from rushlight.utils.serialization import config

__all__ = ["get_unsafe_globals_in_checkpoint", "load", "save"]

NEWEST_VERSION = 10  # of the format; what PyTorch 2.13 reads
ALIGNMENT = 64  # PyTorch maps members straight into memory, and SIMD loads like their operands aligned

MapLocation: TypeAlias = Callable[[Any, str], Any] | device | str | dict[str, str] | None


def save(
    obj: object,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object to a file that rushlight and PyTorch can load.

    Args:
        obj: tensors, modules' and optimizers' state dicts, any picklable object. Files of tensors, numbers, strings and
            containers of them load with `weights_only=True`.
        f: a path, or a file object with `write`.
        pickle_module: `pickle`.
        pickle_protocol: 2 is what `torch.load(weights_only=True)` reads.
        _use_new_zipfile_serialization: False writes the format of PyTorch before 1.6 (compat/legacy.py).

    Raises:
        RuntimeError: the folder of the path does not exist.
        NotImplementedError: for another pickle module.
        pickle.PicklingError, TypeError: for objects that cannot be pickled.
        RecursionError: for a tensor that is among its own attributes.
    """
    if pickle_module is not pickle:
        raise NotImplementedError(f"save(): pickle_module must be the module pickle; found {pickle_module!r}")
    if not _use_new_zipfile_serialization:
        with _opened_to_write(f) as file:
            save_legacy(obj, file, pickle_protocol, _write_all)
            _flush(file)
        return
    if isinstance(f, (str, os.PathLike)):
        path = _path(f)
        content, storages = _pickle(obj, pickle_protocol)
        with open(path, "wb") as file:
            _write(file, os.path.splitext(os.path.basename(path))[0] or "archive", content, storages)
    elif hasattr(f, "write"):
        content, storages = _pickle(obj, pickle_protocol)
        # The archive counts its offsets from its own start, and the file may not be able to seek.
        buffer = io.BytesIO()
        _write(buffer, "archive", content, storages)
        _write_all(f, buffer.getbuffer())
        _flush(f)
    else:
        raise _not_a_file(f)


def _flush(f: IO[bytes]) -> None:
    """Flush an open file, so that a program that opens it by name finds everything that was written."""
    if hasattr(f, "flush"):
        f.flush()


def _path(f: str | os.PathLike[str]) -> str:
    """The path of a file to write, whose folder must be there."""
    path = os.fspath(f)
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise RuntimeError(f"save(): the folder of 'f' must exist; there is no {folder}")
    return path


def _not_a_file(f: object) -> AttributeError:
    return AttributeError(
        f"save(): expected f to be a path or a file object with a write method; found {type(f).__name__}"
    )


@contextmanager
def _opened_to_write(f: Any) -> Iterator[IO[bytes]]:
    if isinstance(f, (str, os.PathLike)):
        with open(_path(f), "wb") as file:
            yield file
    elif hasattr(f, "write"):
        yield f
    else:
        raise _not_a_file(f)


def _write_all(file: IO[bytes], data: memoryview) -> None:
    # A file without a buffer may take less than it is given, and says how much.
    while len(data):
        taken = file.write(data)
        if type(taken) is not int or taken >= len(data):
            return
        if taken <= 0:
            raise OSError(f"save(): the file took none of the {len(data)} bytes that remain")
        data = data[taken:]


def _pickle(obj: object, protocol: int) -> tuple[bytes, list[Storage]]:
    out = io.BytesIO()
    pickler = CheckpointPickler(out, protocol)
    try:
        pickler.dump(obj)
    except pickle.PicklingError as error:
        if "<locals>" in str(error):  # the type that Python's pickler in C raises, which PyTorch uses
            raise AttributeError(f"save(): {error}") from error
        raise
    return out.getvalue(), pickler.storages


def _write(file: IO[bytes], name: str, content: bytes, storages: list[Storage]) -> None:
    try:
        _write_members(file, name, content, storages)
    except ValueError as error:
        # An error within a member (a signal's handler may raise one) leaves the member open, so the archive cannot be
        # closed; the error to report is the first one.
        if error.__context__ is not None:
            raise error.__context__ from None
        raise


def _write_members(file: IO[bytes], name: str, content: bytes, storages: list[Storage]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:

        def put(member: str, data: bytes | memoryview) -> None:
            info = zipfile.ZipInfo(f"{name}/{member}")
            # Where the data will begin: the local header, the name, what zipfile adds for large files, our padding.
            large = 20 if len(data) * 1.05 > zipfile.ZIP64_LIMIT else 0
            start = file.tell() + 30 + len(info.filename.encode()) + large
            pad = -start % ALIGNMENT
            if 0 < pad < 4:
                pad += ALIGNMENT
            if pad:
                info.extra = struct.pack("<2sH", b"FB", pad - 4) + b"Z" * (pad - 4)
            archive.writestr(info, data)

        put("data.pkl", content)
        put(".format_version", b"1")
        put(".storage_alignment", str(ALIGNMENT).encode())
        put("byteorder", sys.byteorder.encode())
        for key, storage in enumerate(storages):
            put(f"data/{key}", bytes(storage.nbytes()) if file_options.skips() else contents(storage))
        put("version", b"3\n")
        put(".data/serialization_id", str(secrets.randbits(128)).zfill(40).encode())


def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read a file that `save` or PyTorch wrote, in the format of today or in that of PyTorch before 1.6.

    Args:
        f: a path, or a file object with `read` and `seek`.
        map_location: where the tensors shall go, whatever the file says: a device or its name, a dict from names in the
            file to names here, or a function `(storage, location) -> storage or None`. "meta" reads no values.
        pickle_module: `pickle` or None.
        weights_only: True (the default): tensors, numbers, strings, containers, and the classes named by
            `add_safe_globals`; a file can do nothing but make those. False: any pickle; loading one runs whatever code
            its maker put in it.
        mmap: True: the tensors lie on the file, which is read as they are used; what is written to them stays in this
            process, unless `set_default_mmap_options` says otherwise.
        pickle_load_args: `encoding` and `errors` for strings that Python 2 pickled (weights_only=False).

    Raises:
        pickle.UnpicklingError: for a file with more than weights, or a damaged one.
        DamagedFileError: (an UnpicklingError, EOFError and RuntimeError) for what is no checkpoint, or was cut short.
        EmptyFileError: (one of those) the file is empty.
        RuntimeError: for a damaged archive, and for tensors on a device that is not there (give map_location="cpu").
        ValueError: mmap without a path.
    """
    if mmap is None:
        mmap = config.load.mmap
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError(
            f"load(): 'f' must be a path for mmap=True, a file that can be mapped; found {type(f).__name__}"
        )
    if pickle_module is not None and pickle_module is not pickle and not weights_only:
        raise NotImplementedError(f"load(): pickle_module must be the module pickle or None; found {pickle_module!r}")
    if pickle_module is not None and weights_only:
        raise RuntimeError(
            "load(): 'pickle_module' must be None with weights_only=True, which is safe by not using it; found "
            f"{pickle_module!r}"
        )
    if weights_only is None:
        weights_only = pickle_module is None and _weights_only_default()
    unknown = sorted(set(pickle_load_args) - {"encoding", "errors", "fix_imports", "buffers"})
    if unknown:
        raise TypeError(f"load(): got an unexpected keyword argument {unknown[0]!r}")
    with _opened(f) as file:
        position = file.tell()
        start = file.read(4)
        file.seek(position)
        if looks_legacy(start):
            if mmap:
                raise RuntimeError(
                    "load(): a file in the format of PyTorch before 1.6 cannot be mapped; leave mmap out"
                )
            return load_legacy(
                file,
                weights_only,
                lambda storage, location: _placed(storage, location, map_location),
                **pickle_load_args,
            )
        reader = _Reader(_archive(file), map_location)
        if mmap:
            shared = file_options.get_default_mmap_options() == MAP_SHARED
            if shared and reader.swapped:
                raise RuntimeError(
                    "load(): a file whose numbers are in another byte order than this machine's cannot be mapped "
                    "with MAP_SHARED, which would "
                    "write them back in this one's; use MAP_PRIVATE"
                )
            reader.archive.map(os.fspath(f), shared)  # type: ignore[arg-type]
        content = reader.archive.read(reader.folder + "data.pkl")
        if weights_only:
            return unpickler.load_weights(content, reader.storage)
        return unpickler.load_anything(content, reader.storage, **pickle_load_args)


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """The classes and functions that a checkpoint names and `load(weights_only=True)` would refuse.

    Args:
        f: as for `load`.

    Returns:
        Their names, sorted; those given to `add_safe_globals` are not among them.

    Raises:
        As `load`.
    """
    with _opened(f) as file:
        reader = _Reader(_archive(file), None)
        return unpickler.unsafe_globals(reader.archive.read(reader.folder + "data.pkl"))


class EmptyFileError(DamagedFileError):
    """A file without a byte."""


def _archive(file: IO[bytes]) -> Archive:
    magic = file.read(4)
    if not magic:
        raise EmptyFileError("load(): the file is empty")
    if magic[:2] != b"PK":
        raise DamagedFileError(
            "load(): this is not a checkpoint in PyTorch's zip format, nor in that of PyTorch before 1.6, or it was "
            "cut short"
        )
    return Archive(file)


def _weights_only_default() -> bool:
    # PyTorch's own switches for programs that cannot be edited.
    if os.environ.get("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "").lower() in ("1", "y", "yes", "true"):
        return True
    return os.environ.get("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "").lower() not in ("1", "y", "yes", "true")


@contextmanager
def _opened(f: str | os.PathLike[str] | IO[bytes]) -> Iterator[IO[bytes]]:
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield file
    elif hasattr(f, "read") and hasattr(f, "seek"):
        yield f
    else:
        raise AttributeError(
            f"load(): expected f to be a path or a file object with read and seek methods; found {type(f).__name__}; "
            "read other sources into an io.BytesIO first"
        )


class _Reader:
    """The storages of an archive, each read once."""

    def __init__(self, archive: Archive, map_location: MapLocation) -> None:
        self.archive, self.map_location = archive, map_location
        found = [n for n in archive.members if n.endswith("/data.pkl") and n.count("/") == 1]
        if len(found) != 1:
            raise RuntimeError(
                "load(): this zip archive is not a checkpoint: it has no member NAME/data.pkl, or several"
            )
        self.folder = found[0].removesuffix("data.pkl")
        if self.folder + "constants.pkl" in archive.members:
            raise RuntimeError(
                "load(): this is a TorchScript archive (it has constants.pkl), not a checkpoint; rushlight does not "
                "read those"
            )
        default = file_options.get_default_load_endianness() or file_options.LoadEndianness.LITTLE
        order = self.small(
            "byteorder", sys.byteorder if default is file_options.LoadEndianness.NATIVE else default.name.lower()
        )
        if order not in ("little", "big"):
            raise RuntimeError(f"load(): the checkpoint's member byteorder must be 'little' or 'big'; found {order!r}")
        self.swapped = order != sys.byteorder
        version = self.small("version", "3").strip()
        if not version.isdecimal() or not 1 <= int(version) <= NEWEST_VERSION:
            raise RuntimeError(
                f"load(): the checkpoint's member version says {version!r}; versions 1 to {NEWEST_VERSION} of the "
                "format are read"
            )
        self.stored: dict[str, tuple[Storage | None, dict[Any, Storage]]] = {}

    def small(self, name: str, default: str) -> str:
        """The text of a member that has a word to say."""
        member = self.archive.members.get(self.folder + name)
        if member is None:
            return default
        if member.size > 100:
            raise RuntimeError(f"load(): the checkpoint's member {name} has {member.size} bytes, and should be a word")
        return self.archive.read(member.name).decode("utf-8", "backslashreplace")

    def storage(self, pid: Any) -> TypedStorage | Storage:
        """The storage that a persistent id stands for: typed, if it says the dtype of the elements."""
        if not (
            type(pid) is tuple
            and [type(part) for part in pid] == [str, unpickler.StorageType, str, str, int]
            and pid[0] == "storage"
            and len(pid[2]) <= 100
            and len(pid[3]) <= 100
            and pid[4] >= 0
        ):
            raise pickle.UnpicklingError(
                "load(): data.pkl has a persistent id that is no storage's, which would be ('storage', type, key, "
                "location, number of elements); found "
                f"{', '.join(map(brief, pid[:6])) if type(pid) is tuple else brief(pid)}"
            )
        _, kind, key, location, count = pid
        nbytes = count * (1 if kind.dtype is None else kind.dtype.itemsize)
        member = self.archive.members.get(f"{self.folder}data/{key}")
        if member is None:
            raise pickle.UnpicklingError(
                f"load(): the checkpoint has no storage {key!r} (no member data/{key}), though a tensor names it"
            )
        if member.size < nbytes:
            raise pickle.UnpicklingError(
                f"load(): storage {key!r} should have {brief(nbytes)} bytes, and the member data/{key} has "
                f"{member.size}"
            )
        if key not in self.stored:
            raw = self.fetch(member.name, location)
            if self.swapped and raw is not None and kind.dtype is not None:
                _swap(raw, kind.dtype)
            self.stored[key] = raw, {}
        raw, resolved = self.stored[key]
        return loaded_storage(raw, nbytes, kind.dtype, resolved)

    def fetch(self, name: str, location: str) -> Storage | None:
        """The memory of a member, on the device that the caller wants; None on the meta device."""
        if (
            not callable(self.map_location)
            and not _of_package(self.map_location, location)
            and _target(self.map_location, location) == "meta"
        ):
            return None
        if file_options.skips():
            return _placed(Storage(self.archive.members[name].size), location, self.map_location)
        return _placed(self.archive.read_storage(name), location, self.map_location)


def _swap(storage: Storage, kind: dtype) -> None:
    """Turn round the bytes of each number."""
    import numpy as np

    itemsize = kind.itemsize // 2 if kind.kind == "c" else kind.itemsize
    if itemsize > 1:
        np.frombuffer(contents(storage), f"u{itemsize}")[:].byteswap(inplace=True)


def _of_package(map_location: MapLocation, location: str) -> bool:
    """Whether it is for a package of the program's to say where a storage goes."""
    return (
        map_location is None
        and file_options.has_packages()
        and location.partition(":")[0] not in ("cpu", "meta", "cuda")
    )


def _placed(storage: Storage, location: str, map_location: MapLocation) -> Storage | None:
    """A storage of the file on the device that the caller wants; None on the meta device."""
    if _of_package(map_location, location):
        try:
            found: Storage = file_options.default_restore_location(storage, location)
            return found
        except RuntimeError as e:
            raise unpickler.CallersError(e) from e
    if not callable(map_location):
        return None if _target(map_location, location) == "meta" else storage
    try:
        mapped = map_location(storage, location)
    except Exception as e:
        raise unpickler.CallersError(e) from e
    if mapped is None:
        _target(None, location)
        return storage
    if not isinstance(mapped, Storage):
        raise unpickler.CallersError(
            TypeError(f"load(): map_location must return a storage or None; found {type(mapped).__name__}")
        )
    return mapped


def _target(map_location: Any, location: str) -> str:
    """The type of the device that a storage goes to; RuntimeError when there is no such device here."""
    if isinstance(map_location, dict):
        location = map_location.get(location, location)
    elif map_location is not None:
        if not isinstance(map_location, (str, device)):
            raise unpickler.CallersError(
                TypeError(
                    "load(): map_location must be a device, a string, a dict, a function or None; "
                    f"found {type(map_location).__name__}"
                )
            )
        location = str(map_location)
    kind = str(location).partition(":")[0]
    if kind in ("cpu", "meta"):
        return kind
    if kind == "cuda":
        raise RuntimeError(
            "load(): the file has tensors on a CUDA device (in data.pkl), and CUDA is not available; load it with "
            "map_location='cpu' to "
            "have them on the CPU"
        )
    raise RuntimeError(
        f"load(): data.pkl has tensors on a device that is not known, tagged with {brief(str(location))}; "
        "load it with map_location='cpu' to have its tensors on the CPU"
    )
