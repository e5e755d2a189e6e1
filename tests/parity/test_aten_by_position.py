"""aten's operators take aten's arguments: the calls that PyTorch's own make of every sample are done again here, with
each argument at its place in the schema, defaults as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the reference")

from test_operators import counterpart, to_torch  # noqa: E402
from test_saved_values import REGISTRY  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import rushlight  # noqa: E402
from rushlight.core import dtypes as dt  # noqa: E402

Call = tuple[Any, tuple[Any, ...], dict[str, Any], Any]
# Results that PyTorch leaves to chance, to the memory that it found, or to the library that it was built with.
UNDEFINED = frozenset(
    "empty empty_like empty_strided new_empty new_empty_strided empty_permuted resize_ resize".split()
)
LOSSES = {
    "binary_cross_entropy": "xy-R",
    "binary_cross_entropy_with_logits": "xy--R",
    "cosine_embedding_loss": "mms0R",
    "cross_entropy_loss": "mc-R",
    "hinge_embedding_loss": "xs1R",
    "huber_loss": "xyR",
    "kl_div": "xyR",
    "l1_loss": "xyR",
    "margin_ranking_loss": "xys0R",
    "mse_loss": "xyR",
    "multi_margin_loss": "mc11-R",
    "multilabel_margin_loss": "mkR",
    "nll_loss": "mc-R",
    "nll_loss_nd": "mc-R",
    "poisson_nll_loss": "xyTF2R",
    "smooth_l1_loss": "xyR",
    "soft_margin_loss": "xyR",
    "triplet_margin_loss": "mmn122FR",
}


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("name", LOSSES)
def test_losses_take_aten_numbers_for_the_reduction(name: str, reduction: int) -> None:
    found = []
    for M in (torch, rushlight):
        m = M.linspace(0.1, 0.9, 6, dtype=M.float64).reshape(2, 3).requires_grad_()
        values = {
            "x": m[0],
            "y": m[1].detach() / 2,
            "s": M.tensor([1.0, -1.0, 1.0], dtype=M.float64)[: 2 if "m" in LOSSES[name] else 3],
            "m": m,
            "n": m.detach().flip(1),
            "c": M.tensor([0, 2]),
            "k": M.tensor([[1, -1, 0], [0, 2, -1]]),
            "-": None,
            "R": reduction,
            "T": True,
            "F": False,
        }
        args = [values[c] if c in values else int(c) for c in LOSSES[name]]
        packet = getattr(M.ops.aten, name)
        for f in (packet, packet.default):
            y = f(*args)
            (g,) = M.autograd.grad(y.sum(), m)
            found.append((tuple(y.shape), [*y.reshape(-1).tolist(), *g.reshape(-1).tolist()]))
    assert [s for s, _ in found] == [found[0][0]] * 4
    for _, values in found[1:]:
        assert values == pytest.approx(found[0][1], rel=1e-12, abs=1e-12)


def test_a_reduction_that_is_no_number_of_aten_is_refused() -> None:
    x = rushlight.ones(2)
    for wrong in (3, -1, True, None):
        with pytest.raises(ValueError, match=r"aten::mse_loss\(\): 'reduction' must be 0 \(none\), 1 \(mean\) or 2"):
            rushlight.ops.aten.mse_loss(x, x, wrong)
    with pytest.raises(TypeError, match=r"aten::kl_div\(\): .*; expected \(input, target, reduction=1"):
        rushlight.ops.aten.kl_div(x, x, 1, True)


class Recorder(TorchDispatchMode):  # type: ignore[misc]
    """Keeps the calls, with copies of what they were given."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given, named = copied(args), copied(kwargs or {})
        result = func(*args, **(kwargs or {}))
        self.calls.append((func, given, named, copied(result)))
        return result


def copied(x: Any) -> Any:
    if isinstance(x, torch.Tensor):
        return x.detach().clone()
    if isinstance(x, (list, tuple)):
        return [copied(v) for v in x]
    return {k: copied(v) for k, v in x.items()} if isinstance(x, dict) else x


def ours(x: Any) -> Any:
    """A value of PyTorch's as ours."""
    if isinstance(x, torch.Tensor):
        return rushlight.tensor(x.tolist(), dtype=ours(x.dtype)).reshape(tuple(x.shape))
    if isinstance(x, torch.dtype):
        return getattr(rushlight, str(x).removeprefix("torch."))
    if isinstance(x, torch.device):
        return rushlight.device(str(x))
    if isinstance(x, (torch.layout, torch.memory_format)):
        return getattr(rushlight, str(x).removeprefix("torch."))
    if isinstance(x, (list, tuple)):
        return [ours(v) for v in x]
    return {k: ours(v) for k, v in x.items()} if isinstance(x, dict) else x


def by_position(func: Any, args: Any, kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
    """The arguments with each that has a place at it, defaults as well; the others by name."""
    places = [a for a in func._schema.arguments if not a.kwarg_only]
    full = [*args, *(kwargs[a.name] if a.name in kwargs else a.default_value for a in places[len(args) :])]
    return full, {k: v for k, v in kwargs.items() if k not in {a.name for a in places}}


def tensors(x: Any) -> Iterator[Any]:
    if isinstance(x, (list, tuple)):
        for v in x:
            yield from tensors(v)
    else:
        yield x


def recorded(name: str) -> list[Call]:
    theirs = counterpart(name)
    found: dict[str, Call] = {}
    for dtype in (dt.float64, dt.int64, dt.bool_):
        if theirs is None or dtype not in REGISTRY[name].dtypes:
            continue
        for s in REGISTRY[name].samples(dtype)[:4]:
            with Recorder() as mode:
                try:
                    theirs(*to_torch(list(s.args)), **{k: to_torch(v) for k, v in s.kwargs.items()})
                except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AttributeError):
                    continue
            for call in mode.calls:
                found.setdefault(f"{call[0]} {len(call[1])} {sorted(call[2])}", call)
    return list(found.values())


def wrong(call: Call) -> str | None:
    func, args, kwargs, result = call
    packet = getattr(rushlight.ops.aten, func._schema.name.removeprefix("aten::"), None)
    mine = packet and getattr(packet, func._overloadname, None)
    if mine is None:
        return None  # tests/namespaces has the list of names
    given, named = by_position(func, args, kwargs)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = list(tensors(mine(*ours(given), **ours(named))))
    except NotImplementedError:
        return None  # an inner operator that PyTorch alone has
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    expected = list(tensors(result))
    for a, b in zip(expected, got, strict=False):
        if isinstance(a, torch.Tensor):
            if tuple(a.shape) != tuple(b.shape):
                return f"shape {tuple(b.shape)}, expected {tuple(a.shape)}"
            if a.is_complex():
                a, b = torch.view_as_real(a), rushlight.view_as_real(b)
            if (
                a.tolist() != pytest.approx(b.tolist(), nan_ok=True)
                if not a.ndim
                else not torch.allclose(
                    a.double(), torch.tensor(b.tolist(), dtype=torch.float64).reshape(a.shape), equal_nan=True
                )
            ):
                return "other values"
    return None


def differences() -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    seen: dict[str, Call] = {}
    for name in sorted(REGISTRY):
        for call in recorded(name):
            seen.setdefault(f"{call[0]} {len(call[1])} {sorted(call[2])}", call)
    for key, call in sorted(seen.items()):
        if call[0]._schema.name.removeprefix("aten::") in UNDEFINED:
            continue
        if (text := wrong(call)) is not None:
            found.setdefault(key, text)
    return found, len(seen)


# What differs, and why.
KNOWN = {
    "_ctc_loss": "what the backward keeps; losses that are infinite are made zero here at once",
    "_dirichlet_grad": "PyTorch's approximation, by 1e-3",
    "_linalg_det": "factors of the transposed matrix",
    "_linalg_eigh": "the signs of vectors",
    "_linalg_slogdet": "factors of the transposed matrix",
    "_linalg_svd": "the signs of vectors",
    "_standard_gamma_grad": "PyTorch's approximation, by 1e-4",
    "randn": "chance: equal where both generators happen to be in one state",
    "unique_consecutive": "three results whatever is asked for",
}


def test_calls_of_every_sample_by_position() -> None:
    found, compared = differences()
    assert compared > 600
    names = {key.split(".")[1]: text for key, text in found.items()}
    assert {k: v for k, v in names.items() if k not in KNOWN} == {}
    assert sorted(set(KNOWN) - set(names) - {"randn"}) == [], "these are equal now: take them out of KNOWN"
