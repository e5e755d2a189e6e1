"""Packages in programs of C: the bits that Python gets, on any number of threads and at all sizes that were asked for;
what cannot be run is refused by name; and whatever is handed over wrong is an error that says so.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from networks import CASES, Net, at_sizes, made

import rushlight as rl
from rushlight import nn
from rushlight.core import dtypes as dt
from rushlight.export import Dim
from rushlight.func.tree import flatten
from rushlight.packaging import _paths, _traces, _write, include_dir, library
from rushlight.packaging._file import _CHECKED_FROM, _HEAD, VERSION

F = nn.functional
ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
CC = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler (cc, gcc)")


def compiled(source: Path, to: Path) -> Path:
    """A program, with the flags that users get."""
    assert CC is not None
    instrumented = b"__asan_init" in Path(library()).read_bytes()  # tools/sanitize.py
    extra = ["-fsanitize=address,undefined"] if instrumented else []
    options = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", *extra]
    subprocess.run([CC, *options, str(source), *_paths.flags(True, True), "-o", str(to)], check=True)
    return to


def clean_environment(**more: str) -> dict[str, str]:
    """That of a program which knows of no Python."""
    left = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "RUSHLIGHT", "LD_"))}
    return {**left, **more}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's program, which runs a package on files of arguments."""
    return compiled(ROOT / "examples" / "package" / "run.c", tmp_path_factory.mktemp("program") / "run")


def data_of(x: Any) -> bytes:
    """The elements of a tensor, row by row."""
    t = x if isinstance(x, rl.Tensor) else rl.tensor(x)
    flat = rl.empty(t.shape, dtype=t.dtype).copy_(t.detach()).reshape(-1)
    return flat.view(rl.uint8).numpy().tobytes() if flat.numel() else b""


def check(program: Path, model: Path, args: Any, expected: Any, folder: Path, case: int = 0, threads: int = 2) -> None:
    """The program's results have the bits of `expected`."""
    files = []
    for k, x in enumerate(y for y in flatten(args)[0] if isinstance(y, rl.Tensor)):
        files.append(folder / f"argument.{k}")
        files[-1].write_bytes(data_of(x))
    for old in folder.glob("result.*"):
        old.unlink()
    command = [program, model, "-c", case, "-t", threads, "-o", folder / "result", *files]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, env=clean_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    leaves = [x for x in flatten(expected)[0] if isinstance(x, (rl.Tensor, int)) and not isinstance(x, bool)]
    assert len(list(folder.glob("result.*"))) == len(leaves) > 0
    for k, x in enumerate(leaves):
        assert (folder / f"result.{k}").read_bytes() == data_of(x), f"result {k}"


def _mlp() -> tuple[nn.Module, tuple[Any, ...]]:
    layers = nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1), nn.Softmax(0)
    return nn.Sequential(*layers), (rl.randn(32, 20),)


def _resnet() -> tuple[nn.Module, tuple[Any, ...]]:
    """Blocks with batch normalization and ways around them."""

    def run(m: Any, x: Any) -> Any:
        x = F.max_pool2d(F.relu(m[1](m[0](x))), 3, 2, 1)
        for k in (2, 7):
            y = m[k + 3](m[k + 2](F.relu(m[k + 1](m[k](x)))))
            x = F.relu(y + (x if k == 2 else m[k + 4](x)))
        return m[12](F.adaptive_avg_pool2d(x, 1).flatten(1))

    def conv(a: int, b: int, size: int, stride: int) -> nn.Module:
        return nn.Conv2d(a, b, size, stride, size // 2, bias=False)

    norm, net = nn.BatchNorm2d, [conv(3, 16, 7, 2), nn.BatchNorm2d(16)]
    net += [conv(16, 16, 3, 1), norm(16), conv(16, 16, 3, 1), norm(16), nn.Identity()]
    net += [conv(16, 32, 3, 2), norm(32), conv(32, 32, 3, 1), norm(32), conv(16, 32, 1, 2), nn.Linear(32, 10)]
    for m in net:
        if isinstance(m, norm):
            m.running_mean, m.running_var = rl.randn(m.num_features), rl.rand(m.num_features) + 0.5
    return Net(run, *net), (rl.randn(2, 3, 32, 32),)


def _transformer() -> tuple[nn.Module, tuple[Any, ...]]:
    return nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), (rl.randn(2, 70, 64),)


def _language() -> tuple[nn.Module, tuple[Any, ...]]:
    """A block of a language model, with causal attention."""

    def run(m: Any, i: Any) -> Any:
        x = m[0](i)
        q, k, v = (y.unflatten(-1, (4, 8)).transpose(1, 2) for y in m[2](m[1](x)).chunk(3, -1))
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        return m[4](m[3](x)).log_softmax(-1), x.argmax(-1)

    layers = nn.Embedding(40, 32), nn.LayerNorm(32), nn.Linear(32, 96), nn.LayerNorm(32), nn.Linear(32, 40)
    return Net(run, *layers), (rl.randint(0, 40, (3, 17)),)


def _long() -> tuple[nn.Module, tuple[Any, ...]]:
    """Reductions that threads share, of rows and of columns, and a product of vectors, which OpenBLAS makes."""
    x = rl.randn(70_000, 6)
    return Net(lambda m, x: (x.sum(), x.sum(0), x.amax(1), x.var(), x[:, 0] @ x[:, 1], x.mT @ x)), (x,)


def _half(dtype: Any) -> tuple[nn.Module, tuple[Any, ...]]:
    layers = nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 33), nn.LayerNorm(33)
    return nn.Sequential(*layers).to(dtype), (rl.randn(40, 48).to(dtype),)


def _bytes() -> tuple[nn.Module, tuple[Any, ...]]:
    x = rl.randint(-128, 128, (40, 96), dtype=rl.int8)
    return Net(lambda m, x: (rl._int_mm(x, x.mT).float() * 0.1, x @ x.mT)), (x,)


def _complex() -> tuple[nn.Module, tuple[Any, ...]]:
    """Products that are results, that have a kernel behind them, and one by a vector, which OpenBLAS makes."""
    x = rl.randn(40, 33, dtype=rl.complex64)
    return Net(
        lambda m, x: (
            x @ x.mH,
            rl.addmm(x, x[:, :20], x[:20]).sum(0),
            x @ x[0],
            x.mT.to(rl.complex128) @ x.to(rl.complex128),
        )
    ), (x,)


def _strided() -> tuple[nn.Module, tuple[Any, ...]]:
    """Results that lie otherwise, that are arguments, that have no elements, and such that share."""

    def run(m: Any, x: Any) -> Any:
        y = x.exp()
        return {"t": y.t(), "x": x, "wide": x[0].expand(3, 6), "none": y[:0], "flip": y.flip(0)}

    return Net(run), (rl.randn(4, 6),)


NETWORKS: dict[str, Any] = {
    "mlp": _mlp,
    "resnet": _resnet,
    "transformer": _transformer,
    "language": _language,
    "long": _long,
    "bfloat16": lambda: _half(rl.bfloat16),
    "float16": lambda: _half(rl.float16),
    "bytes": _bytes,
    "complex": _complex,
    "strided": _strided,
    "sorted": lambda: (Net(lambda m, x: (rl.topk(x, 3, -1), x.sort(0))), (rl.randn(4, 9),)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_bits_that_python_gets(name: str, program: Path, tmp_path: Path) -> None:
    rl.manual_seed(3)
    module, args = NETWORKS[name]()
    rl.package(module.eval(), tmp_path / "model.rl", args)
    with rl.no_grad():
        expected = rl.load_package(tmp_path / "model.rl")(*args)
        for threads in (1, 2, 5):
            check(program, tmp_path / "model.rl", args, expected, tmp_path, threads=threads)


@pytest.mark.parametrize(
    "name", [n for n, c in CASES.items() if n not in ("lstm", "fourier", "solve") and c.shapes is not None]
)
def test_the_bits_at_all_sizes_that_are_asked_for(name: str, program: Path, tmp_path: Path) -> None:
    module, args = made(name)
    plain = tuple(x["b"] if isinstance(x, dict) else x for x in args)
    names = ["src"] if name == "transformer" else [f"args_{k}" for k in range(len(plain))]
    sizes = [
        {n: tuple(x.shape) for n, x in zip(names, at_sizes(name, s, plain), strict=True)} for s in CASES[name].sizes
    ]
    rl.package(module, tmp_path / "model.rl", args, dynamic_shapes=CASES[name].shapes, sizes=sizes)
    run = rl.load_package(tmp_path / "model.rl")
    for case, s in enumerate(CASES[name].sizes):
        given = at_sizes(name, s, args)
        check(program, tmp_path / "model.rl", given, run(*given), tmp_path, case=case)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="levels of x86-64")
def test_code_of_a_level(program: Path, tmp_path: Path) -> None:
    module, args = made("transformer")
    rl.package(module, tmp_path / "model.rl", args, processors=("x86-64-v3",))
    check(program, tmp_path / "model.rl", args, rl.load_package(tmp_path / "model.rl")(*args), tmp_path)


@pytest.mark.parametrize("name, step", [("lstm", "recurrence"), ("fourier", "rfft"), ("solve", "lu")])
def test_what_c_cannot_run_is_refused_by_name(name: str, step: str, program: Path, tmp_path: Path) -> None:
    module, args = made(name)
    rl.package(module, tmp_path / "model.rl", args)
    rl.load_package(tmp_path / "model.rl")(*args)
    done = subprocess.run([program, tmp_path / "model.rl"], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 1
    assert "runs in Python alone" in done.stderr and step in done.stderr


def test_a_long_sort_is_refused_by_name(program: Path, tmp_path: Path) -> None:
    rl.package(Net(lambda m, x: x.sort(0)).eval(), tmp_path / "model.rl", (rl.randn(5000),))
    done = subprocess.run([program, tmp_path / "model.rl"], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 1
    assert "runs in Python alone: sort" in done.stderr


def test_without_openblas(program: Path, tmp_path: Path) -> None:
    """A model that has products of vectors says what it lacks; one that has none runs."""
    x = rl.randn(100, 40)
    rl.package(Net(lambda m, x: x.mT @ x), tmp_path / "ours.rl", (x,))
    rl.package(Net(lambda m, x: x @ x[0]), tmp_path / "vector.rl", (x,))
    env = clean_environment(RUSHLIGHT_OPENBLAS=str(tmp_path / "nothing.so"))
    assert subprocess.run([program, tmp_path / "ours.rl"], env=env, capture_output=True).returncode == 0
    done = subprocess.run([program, tmp_path / "vector.rl"], env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert "products that OpenBLAS makes, which cannot be opened" in done.stderr and "nothing.so" in done.stderr


@pytest.mark.parametrize(
    "sizes, error, text",
    [
        ([], ValueError, "must have one combination at least"),
        ([{"c": (3, 24)}], ValueError, "must name arguments, args_0; found 'c'"),
        ([{}], ValueError, "must have the sizes of 'args_0', which vary"),
        ([{"args_0": (41, 24)}], ValueError, "must have a size from 1 to 40 in dimension 0 of 'args_0'; found 41"),
        ([{"args_0": (4,)}], ValueError, "must have 2 sizes for 'args_0'; found 1"),
        ([{"args_0": (4, 25)}], ValueError, r"must have \[4, 24\] for 'args_0', as the model .*; found \[4, 25\]"),
        ([{"args_0": (2.0, 24)}], TypeError, r"must have a tuple of ints for 'args_0'; found \(2.0, 24\)"),
        ([{"args_0": 3}], TypeError, "must have a tuple of ints for 'args_0'; found 3"),
        ([{"args_0": (True, 24)}], TypeError, r"must have a tuple of ints for 'args_0'; found \(True, 24\)"),
        ([{"args_0": (2**70, 24)}], ValueError, r"must have fewer than 2\*\*63 bytes for 'args_0'; found"),
        ([3], TypeError, "must hold dicts of sizes, not int"),
        (3, TypeError, "must be a list of dicts, not int"),
    ],
)
def test_sizes_that_are_wrong(sizes: Any, error: type[Exception], text: str, tmp_path: Path) -> None:
    module, args = made("functions")
    with pytest.raises(error, match=text):
        rl.package(module, tmp_path / "x.rl", args, dynamic_shapes=CASES["functions"].shapes, sizes=sizes)
    assert not list(tmp_path.iterdir())


def test_sizes_that_belong_together(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    b = Dim("b", max=9)
    module, args = Net(lambda m, x, y: x + y[: x.size(0)] * 2).eval(), (rl.randn(4, 6), rl.randn(8, 6))
    shapes = {"args": ({0: b}, {0: 2 * b})}

    def packaged(**sizes: tuple[int, int]) -> None:
        rl.package(module, tmp_path / "model.rl", args, dynamic_shapes=shapes, sizes=[sizes])

    packaged(args_0=(3, 6))
    given = rl.randn(3, 6), rl.randn(6, 6)
    check(program, tmp_path / "model.rl", given, module(*given), tmp_path)
    with pytest.raises(ValueError, match=r"must have \[6, 6\] for 'args_1', as the model and its other arguments are"):
        packaged(args_0=(3, 6), args_1=(5, 6))
    # a comparison of sizes that does not hold
    monkeypatch.setattr(_traces, "_launched", lambda executable, tensors: None)
    with pytest.raises(ValueError, match=r"takes another way for \[\[3, 6\], \[6, 6\]\], of argument 'sizes'"):
        packaged(args_0=(3, 6))


# ------------------------------------------------------------------------------------------- what is handed over wrong
EXPECTED = {  # name: status (include/rushlight.h), and what the message holds
    "good": (0, ""),
    "open NULL path": (1, "argument 'path' must not be NULL"),
    "open NULL model": (1, "argument 'model' must not be NULL"),
    "run NULL model": (1, "rushlight_run(): argument 'model' must not be NULL"),
    "run NULL arguments": (1, "argument 'arguments' must not be NULL"),
    "run NULL results": (1, "argument 'results' must not be NULL"),
    "find NULL": (1, "argument 'which' must not be NULL"),
    "find": (0, ""),
    "value NULL": (1, "argument 'value' must not be NULL"),
    "value of NULL": (1, "rushlight_result(): argument 'model' must not be NULL"),
    "argument 3": (7, "rushlight_argument(): the model has 3 arguments; found number 3"),
    "result -1": (7, "the model has 2 results; found number -1"),
    "case 1": (7, "the model has 1 cases; found number 1"),
    "counts of NULL": (0, ""),
    "two arguments": (7, "the model has 3 arguments; found 2"),
    "three results": (7, "the model has 2 results; found 3"),
    "NULL data": (1, "argument 'args_0' must have data; found NULL"),
    "NULL result": (1, "result '[1]' must have data; found NULL"),
    "NULL sizes": (1, "argument 'args_0' must have sizes; found NULL"),
    "another dtype": (8, "argument 'args_0' must be of float32; found float64"),
    "no dtype": (8, "argument 'args_0' must be of float32; found no dtype"),
    "another dtype of a result": (8, "result '[1]' must be of int64; found int32"),
    "another rank": (9, "argument 'args_0' must have 2 dimensions; found 1"),
    "a negative rank": (9, "argument 'args_0' must have 2 dimensions; found -1"),
    "another size": (9, "argument 'args_0' must have the sizes [4, 6]; found [4, 7]"),
    "a negative size": (9, "argument 'args_1' must have the sizes [4]; found [-4]"),
    "another size of a result": (9, "result '[0]' must have the sizes [4, 6], as these arguments are; found [5, 6]"),
    "a stride of 0 of a result": (10, "result '[0]' has strides that lead to one place twice"),
    "strides of a result that overlap": (10, "result '[0]' has strides that lead to one place twice"),
    "strides that lead out of memory": (10, "argument 'args_0' has strides that lead out of all memory"),
    "an index too large": (11, "index 5 lies outside dimension 0, which has the size 5"),
    "a negative index": (11, "lies outside dimension 0, which has the size 5"),
    "a division by zero": (12, "an integer is divided by zero"),
    "turned": (0, ""),
    "backwards": (0, ""),
    "unaligned": (0, ""),
    "in place": (0, ""),
    "several threads": (0, ""),
    "nothing.rl": (2, "cannot read"),
    "folder": (2, "it is no file"),
    "empty.rl": (3, "is no file that rushlight.package() has written"),
    "text.rl": (3, "is no file that rushlight.package() has written"),
    "cut in the head.rl": (3, "was cut"),
    "cut.rl": (3, "it was cut"),
    "changed.rl": (3, "was changed: its checksum is not that of its bytes"),
    "version.rl": (4, f"has the format {VERSION + 1}; this library reads the format {VERSION}"),
    "conventions.rl": (4, "was made by another version of rushlight than this library"),
    "processor.rl": (5, "has code for native; this processor lacks an_instruction"),
    "section.rl": (3, "has a section for C that cannot be read"),
    "whole.rl": (0, ""),
}


def _with_checksum(data: bytearray) -> bytes:
    import zlib

    struct.pack_into("<I", data, 12, zlib.crc32(data[_CHECKED_FROM:]))
    return bytes(data)


def _package(path: Path) -> None:
    rl.manual_seed(1)

    def run(m: Any, x: Any, i: Any, n: Any) -> Any:
        return m[1](x.relu()) + m[0](i), i // n

    args = rl.randn(4, 6), rl.arange(4), rl.arange(1, 5)
    rl.package(Net(run, nn.Embedding(5, 6), nn.Linear(6, 6)).eval(), path, args)


def _other_files(whole: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files that are no good packages, each under the name of what is wrong with it."""

    def put(name: str, data: bytes) -> None:
        (folder / name).write_bytes(data)

    (folder / "folder").mkdir()
    put("empty.rl", b"")
    put("text.rl", b"no package\n" * 20)
    put("cut in the head.rl", whole[:30])
    put("cut.rl", whole[:-1])
    put("whole.rl", whole)
    data = bytearray(whole)
    data[len(data) // 2] ^= 1
    put("changed.rl", bytes(data))
    data = bytearray(whole)
    struct.pack_into("<I", data, 8, VERSION + 1)
    put("version.rl", bytes(data))
    at, size = _HEAD.unpack(whole[: _HEAD.size])[-2:]
    data = bytearray(whole)
    data[at + 8] ^= 1  # of the first string
    put("conventions.rl", _with_checksum(data))
    data = bytearray(whole)
    struct.pack_into("<Q", data, 48, size - 8)
    put("section.rl", _with_checksum(data))
    placed = _write._placed
    with monkeypatch.context() as m:
        m.setattr(_write, "_placed", lambda code, w: {**placed(code, w), "flags": ["an_instruction"]})
        _package(folder / "processor.rl")
    return [folder / name for name in EXPECTED if name.endswith(".rl") or name == "folder"]


@pytest.fixture(scope="module")
def misused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """What the program prints that does all of it: by name the status and the message."""
    folder = tmp_path_factory.mktemp("misuse")
    binary = compiled(HERE / "misuse.c", folder / "misuse")
    _package(folder / "model.rl")
    monkeypatch = pytest.MonkeyPatch()
    others = _other_files((folder / "model.rl").read_bytes(), folder, monkeypatch)
    done = subprocess.run(
        [binary, folder / "model.rl", *others], capture_output=True, text=True, timeout=120, env=clean_environment()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split("|", 2) for line in done.stdout.splitlines()]
    return {name: (int(status), message) for name, status, message in rows}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_handed_over_wrong(name: str, misused: Any) -> None:
    status, message = misused[name]
    expected, text = EXPECTED[name]
    assert status == expected, message
    assert text in message
    assert bool(message) == bool(expected)


def test_every_word_of_the_section_may_be_wrong(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Words replaced where the checksum says nothing: an error, or what the words mean then, and never a crash."""
    binary = compiled(HERE / "misuse.c", tmp_path / "misuse")
    _package(tmp_path / "model.rl")
    whole = (tmp_path / "model.rl").read_bytes()
    at, size = _HEAD.unpack(whole[: _HEAD.size])[-2:]
    numbers = (-1, 0, 1 << 62, -(1 << 63), size + 1)
    files = []
    for k in range(size // 8):
        data = bytearray(whole)
        struct.pack_into("<q", data, at + 8 * k, numbers[k % len(numbers)])
        if data != whole:
            files.append(tmp_path / f"{k}.rl")
            files[-1].write_bytes(_with_checksum(data))
    done = subprocess.run(
        [binary, tmp_path / "model.rl", *files],
        capture_output=True,
        text=True,
        errors="replace",  # names may be of any bytes then
        timeout=300,
        env=clean_environment(),
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    statuses = [int(line.split("|")[1]) for line in done.stdout.splitlines() if line.split("|")[0].endswith(".rl")]
    assert len(statuses) == len(files) and {3, 4} <= set(statuses)


def test_names_and_codes_of_the_header() -> None:
    text = (Path(include_dir()) / "rushlight.h").read_text()
    for d in dt.by_code:
        if d.format is None or "e4m3" in d.name or "e5m2" in d.name or "e8m0" in d.name:
            assert f"RUSHLIGHT_{d.name.upper()} = {d.code}" in text


def test_flags_on_the_command_line(program: Path) -> None:
    def told(*options: str) -> list[str]:
        command = [sys.executable, "-m", "rushlight.packaging", *options]
        return shlex.split(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert told("--cflags") == [f"-I{include_dir()}"]
    both = told("--cflags", "--libs")
    assert both[:2] == [f"-I{include_dir()}", library()]
    assert subprocess.run([sys.executable, "-m", "rushlight.packaging"], capture_output=True).returncode == 2


def test_no_name_of_the_library_is_anothers() -> None:
    """What the library defines begins with its name, so that programs may define what they like."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("there is no nm")
    out = subprocess.run([nm, "-g", "--defined-only", library()], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in out.splitlines() if len(line.split()) == 3]
    assert len(names) > 20
    assert [n for n in names if not n.startswith(("rl_", "rushlight_", "__odr_asan"))] == []
