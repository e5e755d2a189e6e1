"""Checkpoints go back and forth between rushlight and PyTorch."""

from __future__ import annotations

import io
import pickle
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import rushlight as rl  # noqa: E402
from rushlight.compat.checkpoint import load, save  # noqa: E402
from rushlight.core.tensor import Tensor  # noqa: E402

DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
    "complex32 "
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu"
).split()


def from_torch(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return load(file, **options)


def to_torch(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    save(obj, file)
    file.seek(0)
    return torch.load(file, **options)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors(dtype: str) -> None:
    x = torch.arange(24).to(getattr(torch, dtype)).reshape(2, 3, 4)
    given = [x, x[1:, ::2].transpose(0, 2), x[0, 0, 0], x.new_empty(0, 3), x.clone()]
    here = from_torch(given)
    for a, b in zip(given, here):
        assert (tuple(b.shape), tuple(b.stride()), b.storage_offset(), str(b.dtype)) == (
            tuple(a.shape),
            a.stride(),
            a.storage_offset(),
            str(a.dtype),
        )
        assert bytes(memoryview(b.untyped_storage())) == bytes(a.untyped_storage().tolist())
    assert here[0].untyped_storage() is here[1].untyped_storage() is not here[4].untyped_storage()
    for weights_only in (True, False):
        back = to_torch(here, weights_only=weights_only)
        assert all(
            a.dtype is b.dtype and a.shape == b.shape and a.tolist() == b.tolist() and a.stride() == b.stride()
            for a, b in zip(given, back)
        )
        assert back[0].untyped_storage().data_ptr() == back[1].untyped_storage().data_ptr()


def test_mapped_by_torch(tmp_path: Any) -> None:
    save(from_torch([torch.arange(1000.0), torch.ones(3)]), tmp_path / "file.pt")
    a, b = torch.load(tmp_path / "file.pt", mmap=True)
    assert torch.equal(a, torch.arange(1000.0)) and torch.equal(b, torch.ones(3))


def test_training_state() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    given = {
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "epoch": 3,
        "parameters": list(net.parameters()),
    }
    here = from_torch(given)
    assert here["model"]._metadata == given["model"]._metadata and here["epoch"] == 3
    assert [type(p).__name__ for p in here["parameters"]] == ["Parameter"] * 4
    assert all(isinstance(p, Tensor) and p.requires_grad for p in here["parameters"])
    back = to_torch(here, weights_only=True)
    net.load_state_dict(back["model"])
    optimizer.load_state_dict(back["optimizer"])
    assert str(back) == str(given) and isinstance(back["parameters"][0], torch.nn.Parameter)


def test_small_things() -> None:
    given = [
        torch.Size([1, 2]),
        torch.device("cpu"),
        torch.float16,
        torch.strided,
        2**70,
        "é",
        b"ab",
        {1},
        (None, True, 1j),
    ]
    assert to_torch(from_torch(given)) == given
    p = torch.nn.Parameter(torch.ones(2))
    t = torch.ones(2)
    p.note, t.note = [1], [2]
    back = to_torch(from_torch([p, t]))
    assert [x.note for x in back] == [[1], [2]]
    meta = to_torch(from_torch(torch.zeros(3, 4, device="meta").t()))
    assert meta.is_meta and meta.stride() == (1, 4)


def test_lazy_conjugate() -> None:
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert from_torch(z.conj()).tolist() == z.conj().tolist()


def views(x: Any) -> list[Any]:
    """Views of every kind on x's memory, and one of two flags where the dtype has them."""
    flat = x.flatten()
    made = [
        x,
        x[1:],
        x.transpose(0, -1),
        x[:0],
        flat[2],
        flat[::3],
        flat[1].expand(4, 5),
        flat[:3].unsqueeze(0).expand(2, 3),
        x[..., None, :],
        flat[5:5],
    ]
    if x.is_complex():
        made += [x.conj(), x.conj()[1:, :1], flat[1].expand(2, 2).conj()]
    return made


@pytest.mark.parametrize("dtype", DTYPES)
def test_views_both_ways(dtype: str) -> None:
    x = torch.arange(24).to(getattr(torch, dtype)).reshape(2, 3, 4)
    if x.is_complex():
        x = x * (1 + 2j)
    given = views(x)
    here = from_torch(given)
    back = to_torch(here, weights_only=True)
    for a, b, c in zip(given, here, back, strict=True):
        assert b.tolist() == a.tolist() == c.tolist()
        assert (
            (tuple(b.shape), b.stride(), b.storage_offset())
            == (tuple(a.shape), a.stride(), a.storage_offset())
            == (tuple(c.shape), c.stride(), c.storage_offset())
        )
    if x.is_complex():
        assert [p.tolist() for p in from_torch([x.conj().imag, x.imag])] == [x.conj().imag.tolist(), x.imag.tolist()]
    # A negative's view has no constructor here; PyTorch's file has the values before the flag.
    if x.is_floating_point() and "float8" not in dtype:
        assert from_torch(torch._neg_view(x)).tolist() == (-x).tolist()


class Special(torch.Tensor):
    pass


def test_modules_with_everything() -> None:
    import rushlight as rl

    net = torch.nn.Sequential(torch.nn.Embedding(5, 4), torch.nn.Linear(4, 5, bias=False), torch.nn.BatchNorm1d(5))
    net[1].weight = net[0].weight  # tied
    net.register_buffer("counts", torch.arange(3))
    frozen = torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16), requires_grad=False)
    leaf, result = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 2
    leaf.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="hook"):
        here = from_torch(
            {
                "net": net.state_dict(),
                "frozen": frozen,
                "leaf": leaf,
                "result": result,
                "buffer": torch.nn.Buffer(torch.ones(2)),
                "parameter": net[0].weight,
            }
        )
    state = here["net"]
    assert state["0.weight"].untyped_storage() is state["1.weight"].untyped_storage()
    assert (
        type(here["frozen"]) is rl.nn.Parameter
        and not here["frozen"].requires_grad
        and here["frozen"].dtype is rl.bfloat16
    )
    assert here["leaf"].requires_grad and here["result"].requires_grad and here["result"].is_leaf
    assert isinstance(here["buffer"], rl.nn.Buffer) and here["buffer"].persistent
    back = to_torch(here, weights_only=True)
    assert str(back["net"]) == str(net.state_dict()) and isinstance(back["buffer"], torch.nn.Buffer)
    assert back["net"]["0.weight"].data_ptr() == back["net"]["1.weight"].data_ptr()


@pytest.mark.parametrize(
    "obj",
    [
        {1, 2},
        bytearray(b"ab"),
        b"ab",
        1j,
        2**100,
        -(2**63),
        float("inf"),
        "é\ud800",
        {"a": {1: (2, [3])}},
        torch.Size([1, 2]),
        torch.device("cpu"),
        torch.device("cuda", 1),
        torch.float16,
        torch.strided,
        {torch.float32: 1, (1, (2, "a")): 2, torch.Size([3]): 3},
        __import__("collections").Counter("aab"),
        None,
        True,
        [],
        (),
        {},
    ],
    ids=repr,
)
def test_what_weights_may_be(obj: Any) -> None:
    here = from_torch(obj)
    assert repr(to_torch(here, weights_only=True)) == repr(obj)


@pytest.mark.parametrize(
    "obj",
    [
        range(3),
        slice(1, 2),
        frozenset([1]),
        __import__("collections").defaultdict(int),
        __import__("datetime").timedelta(1),
        print,
        int,
        Special([1.0]),
        torch.nn.Linear(1, 1),
    ],
    ids=str,
)
def test_what_weights_may_not_be(obj: Any) -> None:
    import pickle

    file = io.BytesIO()
    torch.save(obj, file)
    for load_with, listed in ((torch.load, torch.serialization), (load, __import__("rushlight").serialization)):
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            load_with(file)
        file.seek(0)
        assert listed.get_unsafe_globals_in_checkpoint(file)


def test_tensors_that_do_not_exist_here() -> None:
    import pickle

    with pytest.raises(pickle.UnpicklingError, match="quantized"):
        from_torch(torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8))


@pytest.mark.parametrize("zipped", [True, False])
def test_sparse_tensors(zipped: bool) -> None:
    x = torch.sparse_coo_tensor(torch.tensor([[0, 2, 2], [1, 0, 0]]), torch.arange(6.0).reshape(3, 2), (3, 2, 2))
    given = {"x": x, "coalesced": x.coalesce(), "parameter": torch.nn.Parameter(x), "half": x.half(), "empty": x * 0}
    file = io.BytesIO()
    torch.save(given, file, _use_new_zipfile_serialization=zipped)
    file.seek(0)
    ours = load(file)
    back = io.BytesIO()
    save(ours, back, _use_new_zipfile_serialization=zipped)
    back.seek(0)
    theirs = torch.load(back)
    for name, y in given.items():
        for z in (ours[name], theirs[name]):
            assert z.is_coalesced() == y.is_coalesced() and z._indices().tolist() == y._indices().tolist()
            assert z._values().tolist() == y._values().tolist() and tuple(z.shape) == tuple(y.shape)
            assert str(z.dtype) == str(y.dtype) and z.requires_grad == y.requires_grad


def test_compressed_archives() -> None:
    import zipfile

    file, packed = io.BytesIO(), io.BytesIO()
    torch.save([torch.arange(1000.0), torch.ones(3)], file)
    with zipfile.ZipFile(file) as given, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
        for name in given.namelist():
            z.writestr(name, given.read(name))
    for load_with in (torch.load, load):
        packed.seek(0)
        assert [x.sum().item() for x in load_with(packed)] == [499500.0, 3.0]


@pytest.mark.parametrize("weights_only", [True, False])
def test_the_older_format(weights_only: bool, tmp_path: Any) -> None:
    x = torch.arange(24.0).reshape(4, 6)
    given = {
        "x": x,
        "view": x[1:, ::2],
        "h": torch.ones(3, dtype=torch.bfloat16),
        "none": torch.empty(0, 2),
        "n": [1, "two", 3.0],
        "p": torch.nn.Parameter(x[0]),
    }
    torch.save(given, tmp_path / "theirs.pt", _use_new_zipfile_serialization=False)
    here = load(tmp_path / "theirs.pt", weights_only=weights_only)
    assert (
        here["view"].untyped_storage() is here["x"].untyped_storage()
        and here["n"] == [1, "two", 3.0]
        and here["p"].requires_grad
    )
    save(here, tmp_path / "ours.pt", _use_new_zipfile_serialization=False)
    with open(tmp_path / "ours.pt", "rb") as file:
        for back in (
            torch.load(tmp_path / "ours.pt", weights_only=weights_only),
            load(file, weights_only=weights_only),
        ):
            assert all(
                back[k].tolist() == given[k].tolist() and back[k].stride() == given[k].stride()
                for k in ("x", "view", "h", "none", "p")
            )
    meta = load(tmp_path / "theirs.pt", map_location="meta")
    assert meta["x"].is_meta and tuple(meta["view"].shape) == (3, 3)
    for mapped in (lambda s, where: s, lambda s, where: None):
        assert load(tmp_path / "theirs.pt", map_location=mapped)["x"].tolist() == x.tolist()


def test_damaged_files_of_the_older_format() -> None:
    import pickle
    import random

    file = io.BytesIO()
    save({"x": from_torch(torch.arange(100.0)), "s": "text"}, file, _use_new_zipfile_serialization=False)
    data, r = bytearray(file.getvalue()), random.Random(0)
    with pytest.raises(RuntimeError, match="cannot be mapped"):
        import tempfile

        with tempfile.NamedTemporaryFile(suffix=".pt") as named:
            named.write(data)
            named.flush()
            load(named.name, mmap=True)
    for _ in range(2000):
        bad = bytearray(data)
        for _ in range(r.randint(1, 3)):
            bad[r.randrange(len(bad))] = r.randrange(256)
        bad = bad[: r.choice((len(bad), r.randrange(len(bad))))]
        try:
            load(io.BytesIO(bad), weights_only=True)
        except (RuntimeError, pickle.UnpicklingError):
            pass


def test_mapped_here(tmp_path: Any) -> None:
    x = torch.arange(1000.0)
    torch.save(
        {"x": x, "view": x[10:20], "empty": x[:0].clone(), "h": torch.ones(5, dtype=torch.float16)},
        tmp_path / "file.pt",
    )
    before = (tmp_path / "file.pt").read_bytes()
    for weights_only in (True, False):
        found = load(tmp_path / "file.pt", mmap=True, weights_only=weights_only)
        found["x"].mul_(2)
        assert (
            found["x"].tolist() == (x * 2).tolist()
            and found["view"].tolist() == (x[10:20] * 2).tolist()
            and found["h"].tolist() == [1.0] * 5
        )
    assert (tmp_path / "file.pt").read_bytes() == before
    with pytest.raises(ValueError, match="must be a path"):
        load(io.BytesIO(before), mmap=True)


def test_a_tensor_among_its_own_attributes() -> None:
    x = from_torch(torch.ones(2))
    x.me = [x]
    with pytest.raises(RecursionError, match="among its own attributes"):
        save(x, io.BytesIO())
    y = from_torch(torch.ones(2))
    y.other = z = from_torch(torch.ones(3))
    back = load(io.BytesIO(_saved([y, z, y])), weights_only=True)
    assert back[0] is back[2] and back[0].other is back[1]


def _saved(obj: Any) -> bytes:
    file = io.BytesIO()
    save(obj, file)
    return file.getvalue()


def test_functions_and_places() -> None:
    """What modules hold beside tensors: functions, dtypes, devices, sizes."""
    given = [
        torch.exp,
        torch.nn.functional.gelu,
        torch.nn.functional.relu,
        torch.float16,
        torch.device("cpu"),
        torch.Size([2]),
    ]
    here = from_torch(given, weights_only=False)
    import rushlight

    assert (
        here[:3] == [rushlight.exp, rushlight.nn.functional.gelu, rushlight.nn.functional.relu]
        and here[3] is rushlight.float16
    )
    assert to_torch(here, weights_only=False) == given


def test_every_global_that_pytorch_allows() -> None:
    """What a file may name there by default it may name here, or the error says which kind of tensors is lacking."""
    from torch._weights_only_unpickler import _get_allowed_globals

    from rushlight.compat.unpickler import _WeightsUnpickler

    names, lacking = sorted(_get_allowed_globals()), []
    unpickler = _WeightsUnpickler(b"", lambda _: None)
    for name in names:
        module, _, last = name.rpartition(".")
        try:
            assert unpickler.find_class(module, last) is not None, name
        except pickle.UnpicklingError as error:
            assert "the file holds tensors that are" in str(error), f"{name}: {error}"
            lacking.append(name)
    assert len(names) > 100 and len(lacking) < len(names) / 4
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL builtins\.eval"):
        unpickler.find_class("builtins", "eval")


def test_safe_globals_is_a_class_that_is_entered() -> None:
    own = rl.serialization.safe_globals([pickle.Pickler])
    before = rl.serialization.get_safe_globals()
    for _ in range(2):
        with own:
            assert pickle.Pickler in rl.serialization.get_safe_globals()
        assert rl.serialization.get_safe_globals() == before
    assert isinstance(rl.serialization.safe_globals, type) and isinstance(torch.serialization.safe_globals, type)
