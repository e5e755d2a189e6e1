"""`.pt2` files: the zip archive in which PyTorch keeps an exported program, its weights and an example call."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Mapping
from typing import Any

import rushlight
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.export._deserialize import dtype_of, program_of
from rushlight.export._serialize import document_of, tensor_meta
from rushlight.export.exported_program import ExportedProgram
from rushlight.nn.parameter import Parameter

__all__ = ["load_program", "save_program"]

_WEIGHTS, _CONSTANTS = "data/weights/", "data/constants/"
_WEIGHTS_CONFIG = f"{_WEIGHTS}model_weights_config.json"
_CONSTANTS_CONFIG = f"{_CONSTANTS}model_constants_config.json"
_MODEL, _EXAMPLE = "models/model.json", "data/sample_inputs/model.pt"
_EXTRA = "extra/"


def save_program(
    ep: ExportedProgram, f: Any, extra_files: Mapping[str, Any] | None, opset_version: dict[str, int] | None
) -> None:
    """See `torch.export.save`."""
    if not isinstance(ep, ExportedProgram):
        raise TypeError(f"export.save(): argument 'ep' must be an ExportedProgram; found {type(ep).__name__}")
    members: dict[str, bytes] = {}
    config = _payloads(ep.state_dict, _WEIGHTS, "weight", members)
    members[_WEIGHTS_CONFIG] = json.dumps({"config": config}).encode()
    config = _payloads(ep.constants, _CONSTANTS, "tensor", members)
    members[_CONSTANTS_CONFIG] = json.dumps({"config": config}).encode()
    members[_MODEL] = json.dumps(document_of(ep, opset_version), allow_nan=False).encode()
    if ep.example_inputs is not None:
        buffer = io.BytesIO()
        rushlight.save(ep.example_inputs, buffer)
        members[_EXAMPLE] = buffer.getvalue()
    for name, content in (extra_files or {}).items():
        members[f"{_EXTRA}{name}"] = content if isinstance(content, bytes) else str(content).encode()
    members["archive_format"] = b"pt2"
    members["archive_version"] = b"0"
    members[".data/version"] = b"6\n"
    members["byteorder"] = b"little"
    root = "archive" if not isinstance(f, (str, os.PathLike)) else os.path.basename(os.fspath(f)).rpartition(".")[0]
    root = root or "archive"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(f"{root}/{name}"), data)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            file.write(buffer.getvalue())
    else:
        f.write(buffer.getvalue())


def _payloads(tensors: Mapping[str, Any], folder: str, name: str, members: dict[str, bytes]) -> dict[str, Any]:
    """The config of tensors, whose memory goes into `members`: once where several share it."""
    config: dict[str, Any] = {}
    known: dict[int, str] = {}
    for path, t in tensors.items():
        if not isinstance(t, Tensor):
            raise NotImplementedError(
                f"export.save(): the constant {path!r} must be a tensor; found {type(t).__name__}"
            )
        if t.layout.name != "strided" or t.is_meta:
            raise NotImplementedError(
                f"export.save(): {path!r} must be in memory, strided; found {t.layout}, {t.device}"
            )
        storage = t.untyped_storage()
        key = storage.data_ptr() if storage.nbytes() else -1 - len(known)
        if key not in known:
            known[key] = f"{name}_{len(known)}"
            members[f"{folder}{known[key]}"] = bytes(memoryview(storage))
        config[path] = {
            "path_name": known[key],
            "is_param": isinstance(t, Parameter),
            "use_pickle": False,
            "tensor_meta": tensor_meta(t.detach().requires_grad_(t.requires_grad)),
        }
    return config


def load_program(f: Any, extra_files: dict[str, Any] | None) -> ExportedProgram:
    """See `torch.export.load`."""
    source = os.fspath(f) if isinstance(f, os.PathLike) else f
    if not isinstance(source, str) and not hasattr(source, "read"):
        raise TypeError(f"export.load(): argument 'f' must be a path or a file; found {type(f).__name__}")
    with zipfile.ZipFile(source) as archive:
        reader = _Members(archive)
        if reader.text("archive_format", "pt2").strip() != "pt2":
            raise RuntimeError("export.load(): the archive is no .pt2 file: its archive_format is another one")
        document = json.loads(reader.bytes(_MODEL))
        state = _tensors(reader, _WEIGHTS, _WEIGHTS_CONFIG)
        constants = _tensors(reader, _CONSTANTS, _CONSTANTS_CONFIG)
        example = None
        if reader.has(_EXAMPLE):
            try:
                example = rushlight.load(io.BytesIO(reader.bytes(_EXAMPLE)), weights_only=True)
            except pickle.UnpicklingError as error:
                warn(f"export.load(): the example call is left out, since it holds objects of the program's: {error}")
        for name in extra_files if extra_files is not None else ():
            if reader.has(f"{_EXTRA}{name}"):
                extra_files[name] = reader.bytes(f"{_EXTRA}{name}").decode()  # type: ignore[index]
    return program_of(document, state, constants, _example(example))


def _example(x: Any) -> tuple[tuple[Any, ...], dict[Any, Any]] | None:
    return (tuple(x[0]), dict(x[1])) if isinstance(x, (tuple, list)) and len(x) == 2 else None


class _Members:
    """The members of an archive, below the folder that holds them all."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        names = archive.namelist()
        self.root = next((n.removesuffix(_MODEL) for n in names if n.endswith(_MODEL)), None)
        if self.root is None:
            raise RuntimeError(f"export.load(): the archive is no .pt2 file of one program: it lacks {_MODEL}")
        self.names = set(names)

    def has(self, name: str) -> bool:
        """Whether there is a member."""
        return f"{self.root}{name}" in self.names

    def bytes(self, name: str) -> bytes:
        """A member's content."""
        if not self.has(name):
            raise RuntimeError(f"export.load(): the archive lacks {name}")
        return self.archive.read(f"{self.root}{name}")

    def text(self, name: str, default: str) -> str:
        """A member's text."""
        return self.bytes(name).decode() if self.has(name) else default


def _tensors(reader: _Members, folder: str, config: str) -> dict[str, Any]:
    """The tensors of a config; those of one member share its memory."""
    if not reader.has(config):
        return {}
    storages: dict[str, Any] = {}
    found: dict[str, Any] = {}
    made: dict[tuple[Any, ...], Any] = {}
    for path, entry in json.loads(reader.bytes(config))["config"].items():
        meta, name = entry.get("tensor_meta"), entry["path_name"]
        if entry.get("use_pickle") or meta is None:
            found[path] = rushlight.load(io.BytesIO(reader.bytes(f"{folder}{name}")), weights_only=True)
            continue
        if name not in storages:
            storages[name] = _memory(reader.bytes(f"{folder}{name}"))
        sizes, strides = (tuple(int(s["as_int"]) for s in meta[k]) for k in ("sizes", "strides"))
        offset = int(meta["storage_offset"]["as_int"])
        key = (name, meta["dtype"], sizes, strides, offset, entry["is_param"])
        if key not in made:
            t = rushlight.empty(0, dtype=dtype_of(meta["dtype"])).set_(storages[name], offset, sizes, strides)
            made[key] = Parameter(t, requires_grad=meta["requires_grad"]) if entry["is_param"] else t
        found[path] = made[key]
    return found


def _memory(data: bytes) -> Any:
    """A storage with these bytes."""
    return rushlight.frombuffer(bytearray(data), dtype=rushlight.uint8).untyped_storage() if data else _empty()


def _empty() -> Storage:
    return rushlight.empty(0, dtype=rushlight.uint8).untyped_storage()
