"""torch.save and torch.load in PyTorch's own file format, so that checkpoints go back and forth between the two.

A checkpoint is a zip archive with uncompressed members: `data.pkl`, a pickle in which each storage is a persistent id
("storage", type, key, location, number of elements), and `data/KEY`, the bytes of that storage, aligned to 64 bytes.
Tensors that share a storage share it again after loading. Source: the files that PyTorch writes; no text of it says so.
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
from typing import IO, Any, TypeAlias

from rushlight.compat import unpickler
from rushlight.compat.pickles import CheckpointPickler
from rushlight.compat.rebuild import LoadedStorage
from rushlight.core.tensor import Storage, contents, device

__all__ = ["load", "save"]

ALIGNMENT = 64  # PyTorch maps members straight into memory, and SIMD loads like their operands aligned

MapLocation: TypeAlias = Callable[[Any, str], Any] | device | str | dict[str, str] | None


def save(obj: object, f: str | os.PathLike[str] | IO[bytes], pickle_module: Any = pickle, pickle_protocol: int = 2,
         _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False) -> None:
    """Write an object to a file that rushlight and PyTorch can load.

    Args:
        obj: tensors, modules' and optimizers' state dicts, any picklable object. Files of tensors, numbers, strings and
            containers of them load with `weights_only=True`.
        f: a path, or a file object with `write`.
        pickle_module: `pickle`.
        pickle_protocol: 2 is what `torch.load(weights_only=True)` reads.

    Errors: RuntimeError when the folder of the path does not exist; NotImplementedError for another pickle module and for
    the file format of PyTorch before 1.6; pickle.PicklingError and TypeError for objects that cannot be pickled.
    """
    if pickle_module is not pickle:
        raise NotImplementedError(f"save(): pickle_module must be the module pickle, got {pickle_module!r}")
    if not _use_new_zipfile_serialization:
        raise NotImplementedError("save(): the file format of PyTorch before 1.6 "
                                  "(_use_new_zipfile_serialization=False) is not written")
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise RuntimeError(f"save(): the folder of 'f' must exist; there is no {folder}")
        content, storages = _pickle(obj, pickle_protocol)
        with open(path, "wb") as file:
            _write(file, os.path.splitext(os.path.basename(path))[0] or "archive", content, storages)
    elif hasattr(f, "write"):
        content, storages = _pickle(obj, pickle_protocol)
        # The archive counts its offsets from its own start, and the file may not be able to seek.
        buffer = io.BytesIO()
        _write(buffer, "archive", content, storages)
        f.write(buffer.getbuffer())
    else:
        raise AttributeError(f"save(): expected f to be a path or a file object with a write method, got {type(f).__name__}")


def _pickle(obj: object, protocol: int) -> tuple[bytes, list[Storage]]:
    out = io.BytesIO()
    pickler = CheckpointPickler(out, protocol)
    pickler.dump(obj)
    return out.getvalue(), pickler.storages


def _write(file: IO[bytes], name: str, content: bytes, storages: list[Storage]) -> None:
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
            archive.writestr(info, data)  # type: ignore[arg-type]

        put("data.pkl", content)
        put(".format_version", b"1")
        put(".storage_alignment", str(ALIGNMENT).encode())
        put("byteorder", sys.byteorder.encode())
        for key, storage in enumerate(storages):
            put(f"data/{key}", contents(storage))
        put("version", b"3\n")
        put(".data/serialization_id", str(secrets.randbits(128)).zfill(40).encode())


def load(f: str | os.PathLike[str] | IO[bytes], map_location: MapLocation = None, pickle_module: Any = None, *,
         weights_only: bool | None = None, mmap: bool | None = None, **pickle_load_args: Any) -> Any:
    """Read a file that `save` or PyTorch 1.6 or newer wrote.

    Args:
        f: a path, or a file object with `read` and `seek`.
        map_location: where the tensors shall go, whatever the file says: a device or its name, a dict from names in the
            file to names here, or a function `(storage, location) -> storage or None`. "meta" reads no values.
        pickle_module: `pickle` or None.
        weights_only: True (the default): tensors, numbers, strings, containers, and the classes named by
            `add_safe_globals`; a file can do nothing but make those. False: any pickle; loading one runs whatever code its
            maker put in it.
        mmap: only False; the file is read.
        pickle_load_args: `encoding` and `errors` for strings that Python 2 pickled (weights_only=False).

    Errors: pickle.UnpicklingError for a file with more than weights, or a damaged one; RuntimeError for a file that is no
    checkpoint of this format, and for tensors on a device that is not there (give map_location="cpu").
    """
    if mmap:
        raise NotImplementedError("load(): mmap=True is not supported; the file is read into memory (leave mmap out)")
    if pickle_module is not None and pickle_module is not pickle:
        if weights_only:
            raise RuntimeError(f"load(): 'pickle_module' must be None with weights_only=True, which is safe by not using it; found {pickle_module!r}")
        raise NotImplementedError(f"load(): pickle_module must be the module pickle or None, got {pickle_module!r}")
    if weights_only is None:
        weights_only = _weights_only_default()
    with _opened(f) as file:
        start = file.tell()
        magic = file.read(4)
        file.seek(start)
        if magic[:2] != b"PK" or not zipfile.is_zipfile(file):
            raise RuntimeError(
                "load(): this is not a checkpoint in PyTorch's zip format (or it was cut short). Files in the older format, "
                "of PyTorch before 1.6, are not read: load them in PyTorch and save them again")
        file.seek(start)
        with zipfile.ZipFile(file) as archive:
            reader = _Reader(archive, file, map_location)
            content = io.BytesIO(reader.member("data.pkl"))
            if weights_only:
                return unpickler.load_weights(content, reader.storage)
            return unpickler.load_anything(content, reader.storage, **pickle_load_args)


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
            f"load(): expected f to be a path or a file object with read and seek methods, got {type(f).__name__}; "
            "read other sources into an io.BytesIO first")


class _Reader:
    """The storages of an open archive, each read once."""

    def __init__(self, archive: zipfile.ZipFile, file: IO[bytes], map_location: MapLocation) -> None:
        self.archive, self.file, self.map_location = archive, file, map_location
        names = archive.namelist()
        found = [n for n in names if n.endswith("/data.pkl") and n.count("/") == 1]
        if len(found) != 1:
            raise RuntimeError("load(): this zip archive is not a checkpoint: it has no member NAME/data.pkl")
        self.folder = found[0].removesuffix("data.pkl")
        if self.folder + "constants.pkl" in names:
            raise RuntimeError("load(): this is a TorchScript archive, not a checkpoint; rushlight does not read those")
        if self.folder + "byteorder" in names and self.member("byteorder") != sys.byteorder.encode():
            raise RuntimeError(f"load(): the checkpoint was written on a machine with {self.member('byteorder').decode()}-"
                               f"endian numbers and this one is {sys.byteorder}-endian")
        self.read: dict[str, Storage] = {}

    def member(self, name: str) -> bytes:
        return self.archive.read(self.folder + name)

    def storage(self, pid: Any) -> Any:
        """The storage that a persistent id stands for: a Storage, or a LoadedStorage with the dtype of its elements."""
        if not (isinstance(pid, tuple) and len(pid) == 5 and pid[0] == "storage" and isinstance(pid[2], str)
                and isinstance(pid[3], str) and isinstance(pid[4], int)
                and isinstance(pid[1], unpickler.StorageType)):
            raise pickle.UnpicklingError(f"load(): expected the persistent id of a storage, got {pid!r}")
        _, kind, key, location, count = pid
        if kind.dtype is not None:
            count *= kind.dtype.itemsize
        if key not in self.read:
            self.read[key] = self.fetch(key, location, count)
        raw = self.read[key]
        return raw if kind.dtype is None else LoadedStorage(raw, kind.dtype)

    def fetch(self, key: str, location: str, nbytes: int) -> Any:
        try:
            info = self.archive.getinfo(f"{self.folder}data/{key}")
        except KeyError:
            raise pickle.UnpicklingError(f"load(): the checkpoint has no storage {key!r}, though a tensor names it") from None
        if info.file_size < nbytes or info.compress_type != zipfile.ZIP_STORED:
            raise pickle.UnpicklingError(f"load(): storage {key!r} should have {nbytes} plain bytes, the file has {info.file_size}"
                                         + (" compressed" if info.compress_type else ""))
        if not callable(self.map_location):
            target = _target(self.map_location, location)
            if target == "meta":
                return None
            return self.bytes_of(info)
        storage = self.bytes_of(info)
        mapped = self.map_location(storage, location)
        if mapped is None:
            _target(None, location)
            return storage
        if not isinstance(mapped, Storage):
            raise TypeError(f"load(): map_location must return a storage or None, got {type(mapped).__name__}")
        return mapped

    def bytes_of(self, info: zipfile.ZipInfo) -> Storage:
        storage = Storage(info.file_size)
        # Straight into the storage: zipfile would copy twice. The name and padding lengths in the local header may
        # differ from those of the directory at the end. Checksums are not checked; PyTorch can be told to write none.
        self.file.seek(info.header_offset)
        header = self.file.read(30)
        if len(header) != 30 or header[:4] != b"PK\x03\x04":
            raise pickle.UnpicklingError(f"load(): damaged checkpoint: no member at {info.header_offset}")
        name_length, extra_length = struct.unpack_from("<HH", header, 26)
        self.file.seek(name_length + extra_length, os.SEEK_CUR)
        done, view = 0, contents(storage)
        while done < info.file_size:
            if hasattr(self.file, "readinto"):
                got = self.file.readinto(view[done:])
            else:
                piece = self.file.read(info.file_size - done)
                view[done:done + len(piece)] = piece
                got = len(piece)
            if not got:
                raise pickle.UnpicklingError(f"load(): the checkpoint is cut short in member {info.filename!r}")
            done += got
        return storage


def _target(map_location: Any, location: str) -> str:
    """The type of the device that a storage goes to; RuntimeError when there is no such device here."""
    if isinstance(map_location, dict):
        location = map_location.get(location, location)
    elif map_location is not None:
        if not isinstance(map_location, (str, device)):
            raise TypeError("load(): map_location must be a device, a string, a dict, a function or None, "
                            f"got {type(map_location).__name__}")
        location = str(map_location)
    kind = str(location).partition(":")[0]
    if kind in ("cpu", "meta"):
        return kind
    if kind == "cuda":
        raise RuntimeError(
            "load(): the file has tensors on a CUDA device, and CUDA is not available; load it with map_location='cpu' to "
            "have them on the CPU")
    raise RuntimeError(f"load(): the file has tensors on a device that is not known, tagged with {location!r}; "
                       "load it with map_location='cpu' to have its tensors on the CPU")
