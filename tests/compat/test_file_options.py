"""The settings of torch.serialization: each changes what a file holds or how it is read, and is taken back."""

from __future__ import annotations

import copy
import io
import mmap
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import serialization as S
from rushlight.utils.serialization import _options as file_options
from rushlight.utils.serialization import config


def saved(value: object) -> io.BytesIO:
    file = io.BytesIO()
    rl.save(value, file)
    file.seek(0)
    return file


def changed(file: io.BytesIO, order: str | None) -> io.BytesIO:
    """The file with another member byteorder, or without it."""
    made = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            if not name.endswith("/byteorder"):
                new.writestr(name, old.read(name))
            elif order is not None:
                new.writestr(name, order)
    made.seek(0)
    return made


@pytest.mark.parametrize("dtype", ["float32", "int16", "complex64", "uint8", "bool", "bfloat16"])
def test_numbers_the_other_way_round(dtype: str) -> None:
    """A file of a big-endian machine: the bytes of each number, and of each part of a complex one, are turned round."""
    t = (rl.arange(5) % 2 == 0) if dtype == "bool" else rl.arange(5).to(getattr(rl, dtype))
    size = t.element_size() // (2 if t.is_complex() else 1)
    turned = t.view(rl.uint8).reshape(-1, size).flip(1).contiguous().view(-1).view(t.dtype)
    file = changed(saved([turned, turned[2:]]), "big")
    whole, part = rl.load(file)
    assert rl.equal(whole, t) and rl.equal(part, t[2:])
    assert whole.untyped_storage().data_ptr() == part.untyped_storage().data_ptr()


def test_files_that_do_not_say_their_order() -> None:
    t = rl.arange(4, dtype=rl.int32)
    file = changed(saved(t), None)
    assert S.get_default_load_endianness() is None
    found = []
    for order in (None, S.LoadEndianness.NATIVE, S.LoadEndianness.LITTLE, S.LoadEndianness.BIG):
        S.set_default_load_endianness(order)
        try:
            file.seek(0)
            found.append(rl.load(file).tolist())
        finally:
            S.set_default_load_endianness(None)
    assert found == [[0, 1, 2, 3]] * 3 + [[0, 1 << 24, 2 << 24, 3 << 24]]
    with pytest.raises(TypeError, match="LoadEndianness"):
        S.set_default_load_endianness("little")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="middle"):
        rl.load(changed(saved(t), "middle"))


def test_files_that_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    rl.save({"a": rl.ones(2)}, path)
    rl.load(path, mmap=True)["a"][0] = 5.0
    assert rl.load(path)["a"].tolist() == [1, 1]
    with S.set_default_mmap_options(mmap.MAP_SHARED):
        rl.load(path, mmap=True)["a"][0] = 7.0
    assert S.get_default_mmap_options() == mmap.MAP_PRIVATE
    assert rl.load(path)["a"].tolist() == [7, 1]
    with pytest.raises(ValueError, match="MAP_PRIVATE"):
        S.set_default_mmap_options(9)
    with config.patch("load.mmap", True):
        with pytest.raises(ValueError, match="path"):
            rl.load(io.BytesIO())
        rl.load(path)["a"][0] = 9.0
    assert rl.load(path)["a"].tolist() == [7, 1] and config.load.mmap is False
    with pytest.raises(AttributeError, match="nothing"):
        config.patch("load.nothing", 1).__enter__()


def test_data_left_out() -> None:
    t = rl.arange(300.0)
    with S.skip_data():
        file = saved({"a": t, "b": t[10:]})
        bare = rl.load(file)
    assert bare["a"].shape == (300,) and bare["b"].shape == (290,)
    file.seek(0)
    assert rl.load(file)["a"].tolist() == [0.0] * 300
    with zipfile.ZipFile(file) as archive:
        assert archive.getinfo("archive/data/0").file_size == 1200


def test_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory of a new kind has its own name in the file, and its package puts it back."""
    monkeypatch.setattr(file_options, "_packages", list(file_options._packages))
    restored: list[Any] = []
    S.register_package(
        5,
        lambda s: "mine:0" if s.nbytes() == 12 else None,
        lambda s, where: (restored.append(where), s)[1] if where == "mine:0" else None,
    )
    mine, other = rl.arange(3.0), rl.ones(1)
    assert S.location_tag(mine.untyped_storage()) == "mine:0" and S.location_tag(other.untyped_storage()) == "cpu"
    file = saved([mine, other])
    assert b"mine:0" in file.getvalue()
    assert [t.tolist() for t in rl.load(file)] == [[0, 1, 2], [1]] and restored == ["mine:0"]
    with pytest.raises(RuntimeError, match="nowhere"):
        S.default_restore_location(mine.untyped_storage(), "nowhere")
    monkeypatch.undo()
    file.seek(0)
    with pytest.raises(RuntimeError, match="mine:0"):
        rl.load(file)


def test_layouts_and_modes_are_pickled() -> None:
    for x in (rl.strided, rl.sparse_coo, rl.channels_last, rl.preserve_format, rl.float16):
        assert pickle.loads(pickle.dumps(x)) is x and copy.deepcopy(x) is x
    for mode in (rl.no_grad(), rl.enable_grad(), rl.inference_mode(False)):
        assert type(pickle.loads(pickle.dumps(mode))) is type(mode)
    with copy.deepcopy(rl.no_grad()):
        assert not rl.is_grad_enabled()


def test_a_local_class_cannot_be_saved() -> None:
    class Local:
        pass

    with pytest.raises(AttributeError, match="Local"):
        rl.save(Local(), io.BytesIO())


def test_versions_of_modules() -> None:
    assert S.check_module_version_greater_or_equal(rl, (0,)) and not S.check_module_version_greater_or_equal(
        rl, (99, 0)
    )
    with pytest.raises(RuntimeError, match="CUDA"):
        S.validate_cuda_device("cuda:0")
