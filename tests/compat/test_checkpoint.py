"""save and load: what comes back, what is refused, and that a file of weights can do nothing but be weights."""

from __future__ import annotations

import collections
import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.compat import unpickler
from rushlight.compat.checkpoint import load, save
from rushlight.core import dtypes
from rushlight.core.raw import tensor_from_storage
from rushlight.core.storage import Storage
from rushlight.core.tensor import Size, Tensor, device


def tensor(
    dtype: str, shape: tuple[int, ...], stride: tuple[int, ...], offset: int = 0, storage: Storage | None = None
) -> Tensor:
    kind = dtypes.by_name[dtype]
    if storage is None:
        storage = Storage(64 * kind.itemsize)
        memoryview(storage)[:] = bytes(i % 2 for i in range(storage.nbytes()))
    return tensor_from_storage(storage, kind, offset, shape, stride)


def again(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    save(obj, file)
    file.seek(0)
    return load(file, **options)


def same(a: Tensor, b: Tensor) -> bool:
    return (
        a.dtype is b.dtype
        and a.shape == b.shape
        and a.stride() == b.stride()
        and a.storage_offset() == b.storage_offset()
        and bytes(memoryview(a.untyped_storage())) == bytes(memoryview(b.untyped_storage()))
        and a.requires_grad == b.requires_grad
    )


@pytest.mark.parametrize("zipped", [True, False])
def test_an_open_file_has_all_that_was_saved(zipped: bool, tmp_path: Path) -> None:
    t = tensor("float32", (3,), (1,))
    with open(tmp_path / "file.pt", "wb") as file:
        save(t, file, _use_new_zipfile_serialization=zipped)
        assert same(load(tmp_path / "file.pt"), t)  # the file is still open, and nobody has flushed it


@pytest.mark.parametrize("dtype", sorted(name for name, d in dtypes.by_name.items() if d not in dtypes.NAMED))
def test_tensors(dtype: str, tmp_path: Path) -> None:
    for shape, stride, offset in [
        ((), (), 0),
        ((3,), (1,), 2),
        ((2, 3), (1, 4), 1),
        ((0, 3), (3, 1), 0),
        ((4, 2), (0, 1), 5),
    ]:
        t = tensor(dtype, shape, stride, offset)
        assert same(again(t), t) and same(again(t, weights_only=False), t)
        save({"t": t}, tmp_path / "file.pt")
        assert same(load(tmp_path / "file.pt")["t"], t)


def test_shared_storage_stays_shared() -> None:
    a = tensor("float32", (4,), (1,))
    b = tensor("float32", (2, 2), (1, 2), 3, a.untyped_storage())
    c = tensor("int32", (2,), (1,), 0, a.untyped_storage())
    x, y, z, w = again([a, b, c, a])
    assert x.untyped_storage() is y.untyped_storage() is z.untyped_storage() and w is x
    assert same(y, b) and same(z, c)


def test_values_and_containers() -> None:
    obj = {
        "list": [1, -2.5, True, None, "é", 2**70, 1j, b"ab", bytearray(b"cd"), {1, 2}],
        "tuple": (1, (2,)),
        3: Size([1, 2]),
        "kinds": [dtypes.float16, dtypes.strided, device("cpu")],
        "ordered": collections.OrderedDict(b=1, a=2),
        "counter": collections.Counter("aab"),
    }
    for weights_only in (True, False):
        back = again(obj, weights_only=weights_only)
        assert back == obj and type(back[3]) is Size and list(back["ordered"]) == ["b", "a"]
    state = collections.OrderedDict(x=1)
    state._metadata = {"": {"version": 1}}  # type: ignore[attr-defined]
    assert again(state)._metadata == {"": {"version": 1}}


def test_attributes_and_requires_grad() -> None:
    t = tensor("float32", (2,), (1,))
    t.requires_grad = True
    t.note = ["x"]  # type: ignore[attr-defined]
    back = again({"a": t, "b": t})
    assert back["a"] is back["b"] and back["a"].note == ["x"] and back["a"].requires_grad


class Plain:
    def __init__(self) -> None:
        self.k = 1


class Malicious:
    def __init__(self, how: tuple[Any, ...]) -> None:
        self.how = how

    def __reduce__(self) -> tuple[Any, ...]:
        return self.how


def test_objects_need_trust() -> None:
    with pytest.raises(
        pickle.UnpicklingError, match=r"Unsupported global: GLOBAL .*Plain is none that a file of weights may name"
    ):
        again(Plain())
    assert again(Plain(), weights_only=False).k == 1
    with unpickler.safe_globals([Plain]):
        assert again(Plain()).k == 1
        assert unpickler.get_safe_globals() == [Plain]
    assert unpickler.get_safe_globals() == []


@pytest.mark.parametrize(
    "how", [(os.system, ("true",)), (getattr, (Size, "__new__")), (eval, ("1",)), (Size, ((1,),), {"x": 1})], ids=str
)
def test_weights_run_no_code(how: tuple[Any, ...]) -> None:
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        again(Malicious(how))


def archive(pickled: bytes, **members: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("archive/data.pkl", pickled)
        for name, data in members.items():
            z.writestr("archive/" + name.replace("__", "/"), data)
    file.seek(0)
    return file


REBUILD = (
    b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n"
    b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02tQ"
)


@pytest.mark.parametrize(
    "pickled",
    [
        b"",
        b"\x80\x02.",
        b"\x80\x02cos\nsystem\n.",
        b"\x80\x02(S'x'\nios\nsystem\n.",
        b"\x80\x02X\x07\x00\x00\x00storageQ.",
        b"\x80\x02ctorch._utils\n_rebuild_parameter\n}X\x01\x00\x00\x00aK\x01sb.",  # attributes of a function
        b"\x80\x02ctorch\nFloatStorage\n)R.",
        b"\x80\x02ctorch\nTensor\n)\x81.",
    ],
    ids=str,
)
def test_malformed_pickles(pickled: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        load(archive(pickled))


@pytest.mark.parametrize(
    "rest",
    [
        b"K\x00K\x09\x85K\x01\x85\x89}tR.",  # longer than its storage
        b"K\x01K\x02\x85K\x01\x85\x89}tR.",  # begins too late
        b"J\xff\xff\xff\xffK\x01\x85K\x01\x85\x89}tR.",  # begins before it
        b"K\x00K\x02\x85J\xff\xff\xff\xff\x85\x89}tR.",  # runs backwards out of it
        b"K\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x40\x85K\x04\x85\x89}tR.",  # wraps around 64 bits
    ],
    ids=str,
)
def test_tensors_outside_their_storage(rest: bytes) -> None:
    with pytest.raises(RuntimeError, match=r"load\(\): a tensor"):
        load(archive(REBUILD + rest, data__0=bytes(8)))


def test_well_formed_by_hand() -> None:
    good = load(archive(REBUILD + b"K\x00K\x02\x85K\x01\x85\x89}tR.", data__0=bytes(8)))
    assert good.tolist() == [0.0, 0.0]
    with pytest.raises(pickle.UnpicklingError, match="no storage '0'"):
        load(archive(REBUILD + b"K\x00K\x02\x85K\x01\x85\x89}tR."))
    with pytest.raises(pickle.UnpicklingError, match="should have 8"):
        load(archive(REBUILD + b"K\x00K\x02\x85K\x01\x85\x89}tR.", data__0=bytes(7)))


def test_map_location() -> None:
    t = tensor("float32", (2, 3), (3, 1))
    for where in (
        "cpu",
        device("cpu"),
        {"cpu": "cpu"},
        {"cuda:0": "cpu"},
        lambda storage, location: storage,
        lambda storage, location: None,
    ):
        assert same(again(t, map_location=where), t)
    meta = again(t, map_location="meta")
    assert meta.is_meta and meta.shape == (2, 3) and meta.stride() == (3, 1)
    assert again(meta).is_meta
    with pytest.raises(RuntimeError, match="map_location='cpu'"):
        again(t, map_location="cuda:0")
    with pytest.raises(RuntimeError, match="tagged with 'nowhere'"):
        again(t, map_location={"cpu": "nowhere"})
    with pytest.raises(TypeError, match="map_location must be"):
        again(t, map_location=3)
    with pytest.raises(TypeError, match="return a storage or None; found int"):
        again(t, map_location=lambda storage, location: 3)


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(pickle.UnpicklingError, match="not a checkpoint"):
        load(io.BytesIO(b"nonsense"))
    with pytest.raises(RuntimeError, match="no member"):
        load(zip_of("other/file"))
    with pytest.raises(RuntimeError, match="TorchScript"):
        load(archive(b"\x80\x02N.", **{"constants.pkl": b""}))
    with pytest.raises(RuntimeError, match="byteorder"):
        load(archive(b"\x80\x02N.", byteorder=b"middle"))
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.pt")
    with pytest.raises(ValueError, match="must be a path for mmap=True"):
        load(io.BytesIO(), mmap=True)
    with pytest.raises(AttributeError, match="found int"):
        load(3)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="found int"):
        save(1, 3)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"save\(\): the folder of .f. must exist"):
        save(1, tmp_path / "no" / "file.pt")
    with pytest.raises((pickle.PicklingError, AttributeError)):
        save(lambda: 0, tmp_path / "file.pt")
    assert not (tmp_path / "file.pt").exists()


def zip_of(name: str) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        z.writestr(name, b"")
    file.seek(0)
    return file


def test_cut_short() -> None:
    file = io.BytesIO()
    save(tensor("float32", (2,), (1,)), file)
    for part in (0.3, 0.9):
        with pytest.raises(RuntimeError, match="cut short"):
            load(io.BytesIO(file.getvalue()[: int(part * len(file.getvalue()))]))


def test_storages_are_aligned() -> None:
    file = io.BytesIO()
    save([tensor("float32", (n,), (1,)) for n in (1, 2, 3)], file)
    data = file.getvalue()
    with zipfile.ZipFile(file) as z:
        assert z.testzip() is None
        for info in z.infolist():
            start = (
                info.header_offset
                + 30
                + len(info.filename)
                + int.from_bytes(data[info.header_offset + 28 : info.header_offset + 30], "little")
            )
            assert start % 64 == 0, info.filename


def test_a_file_that_cannot_be_moved_in_is_asked_for_its_place_first() -> None:
    """What it raises there is what `load` raises."""

    class Upload:
        def tell(self) -> int:
            raise NotImplementedError("no place")

        def seek(self, offset: int, whence: int = 0) -> int:
            raise NotImplementedError("no place")

        def read(self) -> bytes:
            raise NotImplementedError("no bytes")

    with pytest.raises(NotImplementedError, match="no place"):
        load(Upload())  # type: ignore[arg-type]


@pytest.mark.parametrize("zipped", [True, False])
def test_a_storage_of_most_of_the_file_is_named_again(zipped: bool, tmp_path: Path) -> None:
    weight = rushlight.arange(2500.0).reshape(50, 50)
    save({"first": weight, "tied": weight, "row": weight[3]}, tmp_path / "f.pt", _use_new_zipfile_serialization=zipped)
    found = load(tmp_path / "f.pt")
    assert all(same(found[name], t) for name, t in (("first", weight), ("tied", weight), ("row", weight[3])))
    assert found["tied"].untyped_storage().data_ptr() == found["row"].untyped_storage().data_ptr()
