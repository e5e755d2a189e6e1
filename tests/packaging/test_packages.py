"""`rushlight.package` and `load_package`: the module's bits, for all sizes of the ranges, and errors that say what is
wrong.
"""

from __future__ import annotations

import json
import platform
import struct
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest
from networks import CASES, Net, at_sizes, made

import rushlight as rl
from rushlight import nn
from rushlight.export import Dim, export
from rushlight.func.tree import flatten
from rushlight.packaging import Package, PackageError, _load
from rushlight.packaging._file import _CHECKED_FROM, _HEAD, VERSION

F = nn.functional
X86 = platform.machine() in ("x86_64", "AMD64")


def same(got: Any, expected: Any) -> None:
    """The same containers, dtypes, sizes and bits."""
    (a, shape), (b, expected_shape) = flatten(got), flatten(expected)
    assert shape == expected_shape
    for x, y in zip(a, b, strict=True):
        if isinstance(y, rl.Tensor):
            assert x.dtype == y.dtype and x.shape == y.shape
            assert bits(x) == bits(y)
        else:
            assert x == y and type(x) is type(y)


def bits(x: rl.Tensor) -> bytes:
    return rl.empty(x.shape, dtype=x.dtype).copy_(x.detach()).reshape(-1).view(rl.uint8).numpy().tobytes()


def packaged(path: Path, module: nn.Module, args: Any, **options: Any) -> Package:
    rl.package(module, path, args, **options)
    return rl.load_package(path)


@pytest.fixture
def small(tmp_path: Path) -> tuple[Package, nn.Module, Path]:
    """A package of a layer whose batch may vary."""
    rl.manual_seed(1)
    module = Net(lambda m, x: m[0](x).relu(), nn.Linear(6, 4)).eval()
    path = tmp_path / "small.rl"
    shapes = {"args": ({0: Dim("b", min=3, max=9)},)}
    return packaged(path, module, (rl.randn(4, 6),), dynamic_shapes=shapes), module, path


@pytest.mark.parametrize("name", CASES)
def test_the_module_s_bits_at_all_sizes(name: str, tmp_path: Path) -> None:
    module, args = made(name)
    run = packaged(tmp_path / "model.rl", module, args, dynamic_shapes=CASES[name].shapes)
    with rl.no_grad():
        same(run(*args), module(*args))
        for sizes in CASES[name].sizes:
            given = at_sizes(name, sizes, args)
            same(run(*given), module(*given))


@pytest.mark.parametrize("name", ["convolutions", "transformer", "reductions", "functions", "lstm", "scattered"])
def test_general_variants_give_the_same_bits(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    """For sizes that ask for none of the variants that were found beforehand."""
    module, args = made(name)
    run = packaged(tmp_path / "model.rl", module, args, dynamic_shapes=CASES[name].shapes)
    used = []

    def general_alone(self: Any, key: Any) -> Any:
        K, R, mode, _ = key
        used.append(key)
        return self.made[K, R, mode, "s" * self.n_operands]

    monkeypatch.setattr(_load._Kernel, "placed", general_alone)
    with rl.no_grad():
        for sizes in CASES[name].sizes:
            given = at_sizes(name, sizes, args)
            same(run(*given), module(*given))
    assert used


@pytest.mark.skipif(not X86, reason="levels of x86-64")
def test_code_of_each_level_gives_the_same_bits(tmp_path: Path, monkeypatch: Any) -> None:
    from rushlight.packaging._processors import LEVELS

    module, args = made("functions")
    rl.package(module, tmp_path / "model.rl", args, processors=(*LEVELS, "native"))
    own = allowed = _load.own_flags()
    monkeypatch.setattr(_load, "own_flags", lambda: allowed)
    for name, level in LEVELS.items():
        if not own >= level.flags:
            continue
        allowed = level.flags
        run = rl.load_package(tmp_path / "model.rl")
        assert run.processor == name
        same(run(*args), module(*args))
    allowed = own
    assert rl.load_package(tmp_path / "model.rl").processor == "native"
    allowed = frozenset({"sse2"})
    with pytest.raises(PackageError, match=r"has code for x86-64-v3, x86-64-v4, native; this processor lacks .*avx2"):
        rl.load_package(tmp_path / "model.rl")


def test_a_package_of_this_processor_asks_for_its_instruction_sets() -> None:
    from rushlight.packaging._processors import processor_of

    processor, target = processor_of("native")
    wide = {f[1:] for f in target.features.split(",") if f.startswith(("+avx", "+amx"))}
    asked = {f.replace("_", "") for f in processor.flags}
    assert not {f for f in wide if f.replace("-", "") not in asked}


def test_a_long_reduction_on_any_number_of_threads(tmp_path: Path) -> None:
    module, args = Net(lambda m, x: (x.sum(), x.sum(0))).eval(), (rl.randn(70_000, 3),)
    run = packaged(tmp_path / "model.rl", module, args)
    before = rl.get_num_threads()
    try:
        for threads in (1, 2, 5):
            rl.set_num_threads(threads)
            same(run(*args), module(*args))
    finally:
        rl.set_num_threads(before)


def test_operands_that_do_not_lie_row_by_row(small: Any) -> None:
    run, module, _ = small
    x = rl.randn(6, 5)
    same(run(x.t()), module(x.t()))
    repeated = rl.randn(1, 6).expand(4, 6)
    same(run(repeated), module(repeated))
    wide = rl.randn(4, 12)[:, ::2]
    same(run(wide), module(wide))


def test_an_exported_program_and_a_module_make_the_same_file(tmp_path: Path) -> None:
    module, args = made("embedding")
    rl.package(module, tmp_path / "a.rl", args)
    rl.package(export(module, args), tmp_path / "b.rl")
    assert (tmp_path / "a.rl").read_bytes() == (tmp_path / "b.rl").read_bytes()


def test_memory_that_parameters_share_is_there_once(tmp_path: Path) -> None:
    module, args = made("embedding")
    run = packaged(tmp_path / "model.rl", module, args)
    assert len(run.reader.description["weights"]) == 1


def test_keyword_arguments_and_constants(tmp_path: Path) -> None:
    class Scaled(nn.Module):
        def forward(self, x: Any, *, scale: Any, times: int = 2) -> Any:
            return x * scale * times

    x, scale = rl.randn(3), rl.tensor(2.0)
    run = packaged(tmp_path / "model.rl", Scaled(), (x,), kwargs={"scale": scale, "times": 3})
    same(run(x, times=3, scale=scale), x * scale * 3)
    with pytest.raises(RuntimeError, match=r"argument 'times' must be 3, with which the model was packaged"):
        run(x, scale=scale, times=4)
    with pytest.raises(ValueError, match="containers"):
        run(x)


def test_several_threads_call_one_package(small: Any) -> None:
    run, module, _ = small
    inputs = [rl.randn(3 + k % 7, 6) for k in range(40)]
    expected = [module(x).detach() for x in inputs]
    found: list[Any] = [None] * len(inputs)

    def work(first: int) -> None:
        for k in range(first, len(inputs), 4):
            found[k] = run(inputs[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same(found, expected)


# ------------------------------------------------------------------------------------------ arguments that are wrong
@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: rl.randn(4, 6).double(), TypeError, "argument 'args_0' must be of torch.float32, not torch.float64"),
        (lambda: [1.0] * 6, ValueError, "containers"),
        (lambda: 3.0, TypeError, "argument 'args_0' must be Tensor, not float"),
        (lambda: rl.randn(6), RuntimeError, "argument 'args_0' must have 2 dimensions; found 1"),
        (lambda: rl.randn(4, 5), RuntimeError, "argument 'args_0' must have the size 6 in dimension 1; found 5"),
        (
            lambda: rl.randn(2, 6),
            RuntimeError,
            "argument 'args_0' must have a size from 3 to 9 in dimension 0; found 2",
        ),
        (lambda: rl.randn(10, 6), RuntimeError, "must have a size from 3 to 9 in dimension 0; found 10"),
        (lambda: rl.randn(4, 6, device="meta"), RuntimeError, "meta"),
    ],
)
def test_arguments_that_do_not_fit(small: Any, make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        small[0](make())


def test_sizes_that_belong_together(tmp_path: Path) -> None:
    b = Dim("b", max=9)
    run = packaged(
        tmp_path / "model.rl",
        Net(lambda m, x, y: x + y[: x.size(0)] * 2),
        (rl.randn(4, 6), rl.randn(8, 6)),
        dynamic_shapes={"args": ({0: b}, {0: 2 * b})},
    )
    x, y = rl.randn(3, 6), rl.randn(6, 6)
    same(run(x, y), x + y[:3] * 2)
    with pytest.raises(RuntimeError, match=r"argument 'args_1' must have the size 6 in dimension 0; found 5"):
        run(x, rl.randn(5, 6))


# ------------------------------------------------------------------------------------------------- files that are wrong
def test_a_file_that_was_cut(small: Any, tmp_path: Path) -> None:
    whole = small[2].read_bytes()
    for length in (0, 5, 8, 20, _HEAD.size, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.rl").write_bytes(whole[:length])
        with pytest.raises(PackageError, match="was cut" if length >= 8 else "is no file that"):
            rl.load_package(tmp_path / "cut.rl")


def test_a_file_that_was_changed(small: Any, tmp_path: Path) -> None:
    whole = bytearray(small[2].read_bytes())
    for at in range(12, len(whole), max(1, len(whole) // 97)):
        changed = bytearray(whole)
        changed[at] ^= 0x10
        (tmp_path / "changed.rl").write_bytes(changed)
        with pytest.raises(PackageError):
            rl.load_package(tmp_path / "changed.rl")


def test_a_file_of_another_version(small: Any, tmp_path: Path) -> None:
    whole = bytearray(small[2].read_bytes())
    struct.pack_into("<I", whole, 8, VERSION + 1)
    (tmp_path / "other.rl").write_bytes(whole)
    with pytest.raises(PackageError, match=rf"has the format {VERSION + 1}; this rushlight reads the format {VERSION}"):
        rl.load_package(tmp_path / "other.rl")


def test_a_file_of_another_code_generator(small: Any, tmp_path: Path) -> None:
    whole = bytearray(small[2].read_bytes())
    at = whole.index(json.dumps(small[0].reader.description["code"]).encode())
    whole[at + 1 : at + 5] = b"0000"
    struct.pack_into("<I", whole, 12, zlib.crc32(whole[_CHECKED_FROM:]))
    (tmp_path / "other.rl").write_bytes(whole)
    with pytest.raises(PackageError, match="was made by another version of rushlight"):
        rl.load_package(tmp_path / "other.rl")


def test_what_is_no_package(tmp_path: Path) -> None:
    (tmp_path / "text.rl").write_text("a text of some length, which is no package")
    with pytest.raises(PackageError, match="is no file that rushlight"):
        rl.load_package(tmp_path / "text.rl")
    with pytest.raises(FileNotFoundError):
        rl.load_package(tmp_path / "none.rl")


# ---------------------------------------------------------------------------------------------- what cannot be packaged
@pytest.mark.parametrize(
    "make, options, error, text",
    [
        (lambda: nn.BatchNorm1d(6), {}, NotImplementedError, "writes to 'running_mean'"),
        (lambda: nn.Dropout(0.5), {}, NotImplementedError, "draws random numbers"),
        (lambda: Net(lambda m, x: x.add_(1)), {}, NotImplementedError, "writes to 'args_0'"),
        (
            lambda: Net(lambda m, x: rl.fft.rfft(x, dim=0).abs()),
            {"dynamic_shapes": {"args": ({0: Dim("b")},)}},
            NotImplementedError,
            "rfft transforms along a size that varies",
        ),
        (
            lambda: nn.Linear(6, 2),
            {"processors": ("pentium",)},
            ValueError,
            "'processors' must be of .*; found 'pentium'",
        ),
        (lambda: nn.Linear(6, 2), {"processors": ()}, ValueError, "must name one processor at least"),
        (lambda: len, {}, TypeError, "argument 'model' must be a Module or an ExportedProgram"),
    ],
)
def test_what_cannot_be_packaged(make: Any, options: Any, error: type[Exception], text: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=text):
        rl.package(make(), tmp_path / "model.rl", (rl.randn(4, 6),), **options)
    assert not list(tmp_path.iterdir())


def test_examples_that_are_missing_or_too_many(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="argument 'args' must be a tuple"):
        rl.package(nn.Linear(6, 2), tmp_path / "model.rl")
    exported = export(nn.Linear(6, 2), (rl.randn(4, 6),))
    with pytest.raises(TypeError, match="has its arguments and sizes"):
        rl.package(exported, tmp_path / "model.rl", (rl.randn(4, 6),))


def test_a_disk_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        rl.package(nn.Linear(6, 2), tmp_path / "nowhere" / "model.rl", (rl.randn(4, 6),))
