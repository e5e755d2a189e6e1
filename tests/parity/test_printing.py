"""repr() of tensors: the same text as PyTorch, character for character."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from rushlight.core import dtypes  # noqa: E402
from rushlight.core.raw import tensor_from_storage  # noqa: E402
from rushlight.core.storage import Storage  # noqa: E402
from rushlight.inspection import printing  # noqa: E402

DTYPES = [
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "uint8",
    "bool",
    "complex64",
    "complex128",
    "uint16",
    "complex32",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e8m0fnu",
]
SHAPES = [
    (),
    (1,),
    (7,),
    (30,),
    (0,),
    (0, 3),
    (1001,),
    (2, 3),
    (3, 40),
    (40, 30),
    (2, 3, 4),
    (12, 12, 12),
    (2, 2, 2, 2),
    (2, 1000),
    (1000, 2),
]
SCALES = [1.0, 1e-3, 1e-6, 100.0, 1e5, 1e9, 1e-40, 0.0]
OPTIONS: list[dict[str, Any]] = [
    {"precision": 2},
    {"threshold": 0},
    {"threshold": 5},
    {"edgeitems": 1, "threshold": 3},
    {"edgeitems": 0, "threshold": 3},
    {"linewidth": 30},
    {"profile": "short"},
    {"profile": "full"},
    {"sci_mode": True},
    {"sci_mode": False},
    {"precision": 10},
]


def ours(t: Any) -> Any:
    """The rushlight tensor with the bytes, shape and strides of a contiguous PyTorch tensor."""
    data = t.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes()
    storage = Storage(len(data))
    memoryview(storage)[:] = data
    return tensor_from_storage(
        storage, dtypes.by_name[str(t.dtype).removeprefix("torch.")], 0, tuple(t.shape), t.contiguous().stride()
    )


def made(shape: tuple[int, ...], dtype: str, scale: float) -> Any:
    generator = torch.Generator().manual_seed(len(shape) + int(100 * math.log10(scale)) if scale else 0)
    x = torch.randn(shape, dtype=torch.float64, generator=generator) * scale
    kind = getattr(torch, dtype)
    if kind.is_complex:
        x = torch.complex(x, torch.randn(shape, dtype=torch.float64, generator=generator))
    return (x if kind.is_floating_point or kind.is_complex else x.abs().clamp(max=60000)).to(kind)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values(shape: tuple[int, ...], dtype: str) -> None:
    for scale in SCALES:
        t = made(shape, dtype, scale)
        assert printing.tensor_repr(ours(t)) == repr(t), scale


@pytest.mark.parametrize("special", [math.inf, -math.inf, math.nan, 0.0, -0.0, 1e10])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "complex64"])
@pytest.mark.parametrize("whole", [False, True])
def test_special_values(special: float, dtype: str, whole: bool) -> None:
    for shape in [(), (3,), (9,), (3, 4), (1001,)]:
        t = made(shape, dtype, 10.0)
        if whole and not t.is_complex():
            t = t.round()
        t.view(-1)[::3] = special
        assert printing.tensor_repr(ours(t)) == repr(t), shape


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options(options: dict[str, Any]) -> None:
    torch.set_printoptions(**options)
    try:
        with printing.printoptions(**options):
            for dtype in ("float32", "float64", "complex64", "int64"):
                for shape in [(), (2,), (9,), (25, 2), (3, 3, 9)]:
                    t = made(shape, dtype, 1e3)
                    assert printing.tensor_repr(ours(t)) == repr(t), (dtype, shape)
    finally:
        torch.set_printoptions(profile="default")
    assert printing.get_printoptions()["precision"] == 4


def test_requires_grad() -> None:
    for n in (3, 5, 9):
        t = made((n,), "float64", 1.0)
        assert printing.tensor_repr(ours(t).requires_grad_()) == repr(t.requires_grad_())


def test_unknown_profile() -> None:
    with pytest.raises(ValueError, match="default, short, full"):
        printing.set_printoptions(profile="long")


def _said(lib: Any) -> list[str]:
    """What is shown of dual and batched tensors."""
    from importlib import import_module

    forward, said = import_module(f"{lib.__name__}.autograd.forward_ad"), []
    with forward.dual_level():
        for primal, tangent in (
            (lib.ones(2), lib.arange(2.0)),
            (lib.tensor(3.0), lib.tensor(2.0)),
            (lib.ones(2, dtype=lib.float64), lib.ones(2, dtype=lib.float64)),
            (lib.ones(2, 2), lib.zeros(2, 2)),
        ):
            said += [repr(forward.make_dual(primal, tangent)), repr(forward.make_dual(primal, tangent) * 2)]
    lib.func.vmap(lambda x: (said.append(repr(x)), x)[1])(lib.arange(6.0).reshape(2, 3))
    return said


def test_dual_and_batched_tensors() -> None:
    import rushlight

    assert _said(rushlight) == _said(torch)


def test_numbers_are_close_to_numbers_of_their_type() -> None:
    import rushlight

    for a, b in ((1, 1), (1, 1.0), (1.0, 1), (1.0, 1 + 0j), (1.0, 1.0 + 1e-9), (2, 3)):
        raised = []
        for lib in (rushlight, torch):
            try:
                lib.testing.assert_close(a, b)
                raised.append(None)
            except AssertionError:
                raised.append(AssertionError)
        assert raised[0] is raised[1], (a, b)
