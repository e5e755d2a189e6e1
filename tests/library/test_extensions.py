"""Extensions of packages compiled for PyTorch: the operators of those that rushlight has are there without them."""

from __future__ import annotations

from pathlib import Path

import pytest

import rushlight as torch


def _extension(folder: Path, package: str, name: str) -> str:
    (folder / package).mkdir(exist_ok=True)
    made = folder / package / name
    made.write_bytes(b"no shared library")
    return str(made)


def test_the_operators_of_torchvisions_extensions_are_defined_when_they_are_loaded(tmp_path: Path) -> None:
    for name in ("_C.so", "image.so"):
        path = _extension(tmp_path, "torchvision", name)
        torch.ops.load_library(path)
        assert path in torch.ops.loaded_libraries
    assert torch.ops.torchvision._cuda_version() == -1
    assert {"nms", "roi_align", "_roi_align_backward", "deform_conv2d"} <= set(dir(torch.ops.torchvision))
    # Of another folder, and once more: the operators are there already.
    (tmp_path / "elsewhere").mkdir()
    torch.ops.load_library(_extension(tmp_path / "elsewhere", "torchvision", "_C.so"))


@pytest.mark.parametrize(("package", "name"), [("torchvision", "_D.so"), ("mypackage", "_C.so")])
def test_any_other_library_is_refused(tmp_path: Path, package: str, name: str) -> None:
    path = _extension(tmp_path, package, name)
    with pytest.raises(OSError, match="is compiled for PyTorch's own library"):
        torch.ops.load_library(path)
    assert path not in torch.ops.loaded_libraries


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="load_library"):
        torch.ops.load_library(str(tmp_path / "torchvision" / "_C.so"))


def test_autocast_calls_the_function_registered_for_its_key() -> None:
    with torch.library._scoped_library("rl_autocast", "DEF") as made:
        made.define("twice(Tensor x) -> Tensor")
        made.impl("twice", lambda x: x + x, "CompositeExplicitAutograd")
        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)

        def cast(x: torch.Tensor) -> torch.Tensor:
            with torch._C._ExcludeDispatchKeyGuard(keys):
                return torch.ops.rl_autocast.twice(x.double())

        made.impl("twice", cast, "AutocastCPU")
        x = torch.ones(3)
        assert torch.ops.rl_autocast.twice(x).dtype is torch.float32
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert torch.ops.rl_autocast.twice(x).dtype is torch.float64
